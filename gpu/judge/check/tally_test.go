package check

import (
	"bytes"
	"encoding/json"
	"testing"

	"example.com/hone/tasks"
)

func TestTally(t *testing.T) {
	t.Parallel()
	right := []Sum{{Total: 4, MaxAbs: 0.5, KernelBench: true}, {Total: 2, MaxRel: 0.25, KernelBench: true}}
	wrong := []Sum{{Total: 4, Wrong: 3, MaxAbs: 2}, {Total: 2, KernelBench: true}}
	yes, no := true, false
	for name, c := range map[string]struct {
		own, foreign  [][]Sum // trials with the task's own inputs, then others
		passed, first int     // first is the number of the first that failed, from 1
		wrong, total  int64
		abs           float64
		bench         *bool
	}{
		"none":                               {},
		"one that passes":                    {own: [][]Sum{right}, passed: 1, total: 6, abs: 0.5, bench: &yes},
		"the second fails":                   {own: [][]Sum{right, wrong, right}, passed: 2, first: 2, wrong: 3, total: 18, abs: 2, bench: &no},
		"two fail":                           {own: [][]Sum{wrong, wrong}, first: 1, wrong: 6, total: 12, abs: 2, bench: &no},
		"KernelBench sees the task's inputs": {own: [][]Sum{right}, foreign: [][]Sum{wrong}, passed: 1, first: 2, wrong: 3, total: 12, abs: 2, bench: &yes},
		"KernelBench sees none":              {foreign: [][]Sum{right}, passed: 1, total: 6, abs: 0.5},
	} {
		var tally Tally
		for _, sums := range c.own {
			tally.Add(true, sums)
		}
		for _, sums := range c.foreign {
			tally.Add(false, sums)
		}
		got := tally.Check(InDouble, tasks.Tolerance{}, nil)
		if got.Trials != len(c.own)+len(c.foreign) || got.Passed != c.passed || got.Wrong != c.wrong || got.Total != c.total || *got.MaxAbs != c.abs {
			t.Errorf("%s: %+v, worst %v", name, got, *got.MaxAbs)
		}
		if b := got.KernelBenchPass; (b == nil) != (c.bench == nil) || b != nil && *b != *c.bench {
			t.Errorf("%s: KernelBench passes: %v, want %v", name, b, c.bench)
		}
		if tally.failed != c.first {
			t.Errorf("%s: trial %d failed first, want %d", name, tally.failed, c.first)
		}
	}
}

// TestTallyShowsTheFirstTrialThatFailed holds that wrong elements bear its number, from
// 0, that there are but a few, and that an error of another run widens the worst.
func TestTallyShowsTheFirstTrialThatFailed(t *testing.T) {
	t.Parallel()
	var tally Tally
	tally.Add(true, []Sum{{Total: 8}})
	tally.Add(true, []Sum{{Total: 8, Wrong: 8}})
	tally.Widen(7, 0)
	two := Values{Name: "y", DType: tasks.Float32, Shape: []int64{8}, Bytes: make([]byte, 32)}
	failed := Difference{Output: Output{Got: two, Truth: two, Baseline: two}, Wrong: []int{2, 3, 4}}
	got := tally.Check(Natively, tasks.Tolerance{}, []Difference{failed, failed})
	if len(got.First) != firstMismatches || got.First[0].Trial != 1 || got.First[3].Index[0] != 2 {
		t.Errorf("first = %+v", got.First)
	}
	if *got.MaxAbs != 7 || got.Criterion != Natively || tally.String() != "1/2 trials" {
		t.Errorf("%s: %+v, worst %v", &tally, got, *got.MaxAbs)
	}
}

// A kernel that is right has no wrong elements, which is known: a list, not null.
func TestNoMismatchIsAnEmptyList(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(new(Tally).Check(InDouble, tasks.Tolerance{}, nil))
	if err != nil || !bytes.Contains(text, []byte(`"first":[]`)) {
		t.Errorf("got %s, %v", text, err)
	}
}
