package pytorch

import (
	"path/filepath"
	"testing"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/judgetest"
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
			req := gpu.Request{Task: taskOf(t, "add"), Dialect: dialect, Kernel: read(t, file), Limits: gpu.Limits{Run: 5 * time.Second}}
			if err := b.judge.Prepare(t.Context(), req.Task); err != nil {
				t.Fatal(err)
			}
			before, err := b.judge.references.Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			judgetest.Hold(t, b.judge, req, func() {
				if now, err := b.judge.references.Wait(t.Context()); err != nil || now != before {
					t.Errorf("withdrawn: the reference was loaded anew, or is gone: %v", err)
				}
			})
		})
	}
}
