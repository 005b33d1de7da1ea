package judge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/emulated"
	"example.com/hone/tasks"
)

// TestProcess has real evaluations done through a judge process.
func TestProcess(t *testing.T) {
	t.Parallel()
	cache, scratch := t.TempDir(), t.TempDir()
	c, err := Open(Launch{Argv: []string{self(t), wordJudge, cache, scratch}, Stderr: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	machine, err := c.Machine(t.Context())
	if errors.Is(err, ErrUnusable) {
		t.Skip("needs g++: ", err)
	}
	if want := (gpu.Machine{Device: emulated.Device, Emulated: true}); err != nil || machine != want {
		t.Errorf("machine = %+v, %v; want %+v", machine, err, want)
	}
	req := gpu.Request{Task: builtin(t, "softmax"), Dialect: gpu.CUDA, Kernel: kernel(t, "softmax", "tuned"), Limits: gpu.Limits{Run: 30 * time.Second}}
	v, err := c.Evaluate(t.Context(), req, ignore)
	if err != nil || v.Outcome != gpu.OutcomeCorrect {
		t.Errorf("%s: %v", v.Summary, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req.Task, req.Kernel, req.Limits.Run = builtin(t, "vector_add"), kernel(t, "vector_add", "endless_loop"), time.Hour
	_, err = c.Evaluate(ctx, req, func(e gpu.Event) {
		if e.Stage == gpu.StageRun {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want context.Canceled", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(scratch, "*")); len(left) > 0 {
		t.Errorf("scratch folders are left: %v", left)
	}
}

func builtin(t *testing.T, name string) tasks.Task {
	t.Helper()
	catalog, err := tasks.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	task, err := catalog.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// kernel reads a kernel of the collection.
func kernel(t *testing.T, task, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", "kernels", task, name+".cu"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestChoice holds what a judge does where there is no GPU that it was told to use.
func TestChoice(t *testing.T) {
	t.Parallel()
	_, _, err := choose(t.Context(), Options{Cache: t.TempDir(), Device: "99"})
	if err == nil {
		t.Error("a GPU that does not exist was opened")
	}
}

func TestMachineOfADialect(t *testing.T) {
	t.Parallel()
	card, none := gpu.Machine{Device: "NVIDIA H200"}, gpu.Machine{Device: emulated.Device, Emulated: true, Reason: "no GPU"}
	if got := For(gpu.CUDA, card); got != card {
		t.Errorf("CUDA on a GPU: %+v", got)
	}
	if got := For(gpu.Torch, card); !got.Emulated || got.Reason == "" {
		t.Errorf("PyTorch on a GPU: %+v, which is not where it runs", got)
	}
	if got := For(gpu.Torch, none); got != none {
		t.Errorf("PyTorch without a GPU: %+v", got)
	}
}
