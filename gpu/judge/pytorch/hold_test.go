package pytorch

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"example.com/hone/gpu"
)

// TestHold has answers in both dialects wait for their turn: withdrawn, an answer leaves
// the task's reference as it was; then it may run.
func TestHold(t *testing.T) {
	b := newBench(t)
	for dialect, file := range map[gpu.Dialect]string{
		gpu.Torch: filepath.Join(collection, "answers", "add", "inline_example.py"),
		gpu.CUDA:  filepath.Join(collection, "cuda", "add", "grid_stride.cu"),
	} {
		t.Run(string(dialect), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			hold := make(chan struct{})
			req := gpu.Request{
				Task: taskOf(t, "add"), Dialect: dialect, Kernel: read(t, file), Limits: gpu.Limits{Run: 5 * time.Second}, Hold: hold,
			}
			after := func(do func()) func(gpu.Event) {
				return func(e gpu.Event) {
					switch {
					case e.Stage == gpu.StageCompile && e.Status == gpu.StatusOK:
						time.AfterFunc(100*time.Millisecond, do)
					case e.Stage == gpu.StageRun && req.Held():
						t.Error("it runs before it may")
					}
				}
			}
			if err := b.judge.Prepare(t.Context(), req.Task); err != nil {
				t.Fatal(err)
			}
			before, err := b.judge.references.Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.judge.Evaluate(ctx, req, after(cancel)); !errors.Is(err, context.Canceled) {
				t.Errorf("withdrawn: error %v, want context.Canceled", err)
			}
			v, err := b.judge.Evaluate(t.Context(), req, after(func() { close(hold) }))
			if err != nil || v.Outcome != gpu.OutcomeCorrect {
				t.Errorf("allowed to run: %s, %v", v.Summary, err)
			}
			if now, err := b.judge.references.Wait(t.Context()); err != nil || now != before {
				t.Errorf("the reference was loaded anew, or is gone: %v", err)
			}
		})
	}
}
