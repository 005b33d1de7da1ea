package judge

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
	text, err := os.ReadFile(filepath.Join("..", "testdata", "kernels", "softmax", "tuned.cu"))
	if err != nil {
		b.Fatal(err)
	}
	cache := b.TempDir()
	run := func(b *testing.B, j *judge) {
		v, err := j.evaluate(b.Context(), gpu.Request{Task: task, Dialect: gpu.CUDA, Kernel: string(text)}, ignore)
		if err != nil || v.Outcome != gpu.OutcomeCorrect {
			b.Fatal(v.Summary, err)
		}
		for _, s := range v.Stages {
			b.ReportMetric(s.MS, string(s.Name)+"-ms")
		}
	}
	warm := newJudge(Options{Cache: cache, Scratch: b.TempDir()})
	defer warm.close()
	if _, err := warm.open(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			if err := os.RemoveAll(filepath.Join(cache, "kernels")); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			j := newJudge(Options{Cache: cache, Scratch: b.TempDir()})
			run(b, j)
			b.StopTimer()
			j.close()
			b.StartTimer()
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			run(b, warm)
		}
	})
}
