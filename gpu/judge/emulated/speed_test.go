package emulated

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

// BenchmarkEvaluate is what a person waits for: the row softmax from the start
// of the judge to its verdict, and the same text again.
func BenchmarkEvaluate(b *testing.B) {
	catalog, err := tasks.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	task, err := catalog.Find("softmax")
	if err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "kernels", "softmax", "tuned.cu"))
	if err != nil {
		b.Fatal(err)
	}
	cache := b.TempDir()
	run := func(b *testing.B, j *Evaluator) {
		v, err := j.Evaluate(b.Context(), gpu.Request{Task: task, Dialect: gpu.CUDA, Kernel: string(text)}, ignore)
		if err != nil || v.Outcome != gpu.OutcomeCorrect {
			b.Fatal(v.Summary, err)
		}
		for _, s := range v.Stages {
			b.ReportMetric(s.MS, string(s.Name)+"-ms")
		}
	}
	start := func(b *testing.B) *Evaluator {
		j, err := Open(b.Context(), Options{Cache: cache, Scratch: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		return j
	}
	end := func(b *testing.B, j *Evaluator) {
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
	}
	warm := start(b)
	defer end(b, warm)
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			if err := os.RemoveAll(filepath.Join(cache, "kernels")); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			j := start(b)
			run(b, j)
			b.StopTimer()
			end(b, j)
			b.StartTimer()
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			run(b, warm)
		}
	})
}
