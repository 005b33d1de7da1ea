package judge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/emulated"
	"example.com/hone/gpu/torch"
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
	machine, err := c.Machine(t.Context(), gpu.CUDA)
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
	j := judge{opts: Options{Cache: t.TempDir(), Device: "99"}}
	if _, err := j.open(t.Context()); !errors.Is(err, ErrUnusable) {
		t.Errorf("a GPU that does not exist was opened: %v", err)
	}
}

// card stands for a device that was opened.
type card struct{ closed chan struct{} }

func (c card) Close() error {
	close(c.closed)
	return nil
}

// TestOpenInTime holds that nothing stays open that nobody waited for.
func TestOpenInTime(t *testing.T) {
	t.Parallel()
	broken := errors.New("no driver")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for name, c := range map[string]struct {
		ctx   context.Context
		limit time.Duration
		late  bool
		err   error
		says  string // of the error, empty for none
	}{
		"at once":                {t.Context(), time.Minute, false, nil, ""},
		"it fails":               {t.Context(), time.Minute, false, broken, "no driver"},
		"too late":               {t.Context(), time.Millisecond, true, nil, "nvidia-smi"},
		"too late, and it fails": {t.Context(), time.Millisecond, true, broken, "nvidia-smi"},
		"nobody wants it":        {stopped, time.Minute, true, nil, "canceled"},
	} {
		opened, answered := card{make(chan struct{})}, make(chan struct{})
		got, err := openInTime(c.ctx, c.limit, func(context.Context) (card, error) {
			if c.late {
				<-answered
			}
			return opened, c.err
		})
		close(answered)
		switch {
		case c.says == "" && (err != nil || got != opened):
			t.Errorf("%s: %v, %v", name, got, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, want %q", name, err, c.says)
		case c.late && c.err == nil:
			<-opened.closed
		}
	}
}

func TestMachineOfPyTorch(t *testing.T) {
	t.Parallel()
	card := gpu.Machine{Device: "NVIDIA H200"}
	for name, c := range map[string]struct {
		torch   torch.Installation
		missing error
		reason  string // empty for the card
	}{
		"of CUDA":        {torch.Installation{Torch: "2.11", CUDA: "13.0", Devices: 1}, nil, ""},
		"for the CPU":    {torch.Installation{Torch: "1.13"}, nil, "built without CUDA"},
		"a newer driver": {torch.Installation{Torch: "2.11", CUDA: "13.0"}, nil, "newer driver"},
		"none":           {torch.Installation{}, &torch.MissingError{}, "pip install torch"},
	} {
		got := forTorch(card, c.torch, c.missing)
		if got.Emulated != (c.reason != "") || !strings.Contains(got.Reason, c.reason) || c.reason == "" && got != card {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// idle stands where nothing is to be judged.
type idle struct{ evaluator }

func (idle) Close() error { return nil }

// TestDeriveFromWhatIsKept holds that a task that was described before needs no Python.
func TestDeriveFromWhatIsKept(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	j := judge{
		opts: Options{Cache: cache}, inner: idle{}, machine: gpu.Machine{Emulated: true},
		torch: &torch.Installation{Torch: "2.11", Python: "/absent/python"},
	}
	memo := torch.Memo{Folder: filepath.Join(cache, "descriptions"), Torch: "2.11", Device: "cpu"}
	for reference, dtype := range map[string]string{"floats": "float32", "truths": "bool"} {
		about := torch.Description{Outputs: []torch.Tensor{{Name: "out", DType: dtype, Shape: []int64{4}}}}
		if err := memo.Keep(reference, about); err != nil {
			t.Fatal(err)
		}
	}
	native := builtin(t, "softmax")
	for name, c := range map[string]struct {
		task        tasks.Task
		declaration string // empty where there can be none
	}{
		"known by its reference": {tasks.Task{ID: "mine/x", Reference: "floats"}, `extern "C" void solve(float* out, cudaStream_t stream)`},
		"without a signature":    {tasks.Task{ID: "mine/y", Reference: "truths"}, ""},
		"native":                 {native, native.Signature.Declare("solve")},
	} {
		got, err := j.derive(t.Context(), c.task)
		unfit, is := errors.AsType[*torch.NoSignatureError](err)
		if got.Signature.Declare("solve") != c.declaration || is != (c.declaration == "") || err != nil && !is {
			t.Errorf("%s: %+v, %v, %v", name, got.Signature, err, unfit)
		}
	}
	if j.python != nil {
		t.Error("Python was started for what was known")
	}
}
