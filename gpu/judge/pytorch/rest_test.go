package pytorch

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/hone/gpu"
)

// TestTheBestRests holds that right answers wait for the next evaluation, stopped, and
// that the best one is timed beside it without being loaded again.
func TestTheBestRests(t *testing.T) {
	b := newBench(t)
	text := func(name string) string { return read(t, filepath.Join(collection, "answers", "add", name+".py")) }
	first, second := buildsAgain(t, text("inline_example")), text("on_current_stream")
	judge := func(kernel, best string) gpu.Verdict {
		t.Helper()
		over := false
		v, err := b.judge.Evaluate(t.Context(), gpu.Request{
			Task: taskOf(t, "add"), Dialect: gpu.Torch, Kernel: kernel, Best: best, Limits: gpu.Limits{Run: 30 * time.Second},
		}, func(e gpu.Event) {
			if over {
				t.Errorf("an evaluation that is over tells %+v", e)
			}
		})
		if over = true; err != nil {
			t.Fatal(err)
		}
		if err := b.judge.references.Left(); err != nil {
			t.Fatal(err)
		}
		return v
	}
	reference := func() *reference {
		t.Helper()
		r, err := b.judge.references.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	resting := func() (texts []string) {
		for _, r := range reference().resting {
			texts = append(texts, r.text)
		}
		return texts
	}
	holds := func(when string, want ...string) {
		t.Helper()
		got := resting()
		same := len(got) == len(want)
		for i := range got {
			same = same && got[i] == want[i]
		}
		if !same {
			t.Errorf("%s: %d answers rest, want %d", when, len(got), len(want))
		}
	}
	judge(first, "")
	holds("after a right one", first)
	if judge("import torch\n", first); t.Failed() {
		t.FailNow()
	}
	holds("after one that is none", first)
	process := reference().resting[0].answer.process.PID()
	v := judge(second, first)
	if _, ok := v.Baselines[best]; !ok || v.Outcome != gpu.OutcomeCorrect {
		t.Errorf("%s, baselines %v", v.Summary, v.Baselines)
	}
	holds("after another right one", second, first)
	if got := reference().resting[1].answer.process.PID(); got != process {
		t.Errorf("the best one was loaded again: %d, then %d", process, got)
	}
	judge(text("subtracts"), second)
	holds("after a wrong one", second)
	judge(second, second)
	holds("after the best one again", second)
	if err := reference().resting[0].answer.process.Kill(); err != nil {
		t.Fatal(err)
	}
	judge(text("subtracts"), second)
	holds("after the best one died")
	judge(second, "")
	holds("after a right one once more", second)
	process = reference().resting[0].answer.process.PID()
	if err := b.judge.references.Drop(); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(process, 0); err == nil {
		t.Error("an answer rests beside a reference that has gone")
	}
}

// buildsAgain has the answer that is built first build its module again in every so many
// calls, in this evaluation and in those in which it is the best one.
func buildsAgain(t *testing.T, text string) string {
	t.Helper()
	const call = "return self.add.add_cuda(a, b)"
	if !strings.Contains(text, call) {
		t.Fatalf("no %q in the answer", call)
	}
	build := "load_inline(name=\"add_module\", cpp_sources=add_declaration, cuda_sources=add_source, functions=[\"add_cuda\"])"
	return strings.Replace(text, call, "self.calls = getattr(self, \"calls\", 0) + 1\n"+
		"        if self.calls % 20 == 0:\n            "+build+"\n        "+call, 1)
}
