package check

import (
	"fmt"

	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

// What outputs are held against, as a verdict names it.
const (
	InDouble = "fp64"   // the reference in double
	Natively = "native" // the reference in the task's own types
)

// firstMismatches is how many wrong elements a verdict shows.
const firstMismatches = 5

// Sum is what the comparison of one output came to, wherever it was made.
type Sum struct {
	Total       int64   // elements
	Wrong       int64   // out of tolerance; none where the baseline's own error excuses them
	MaxAbs      float64 // over the elements that are finite on both sides
	MaxRel      float64 // of those, over the elements whose truth exceeds the absolute tolerance
	KernelBench bool    // KernelBench's criterion is met
}

// Sum is the difference without its elements.
func (d Difference) Sum() Sum {
	return Sum{
		Total: int64(d.Got.Len()), Wrong: int64(len(d.Wrong)), MaxAbs: d.MaxAbs, MaxRel: d.MaxRel, KernelBench: KernelBench(d.Output),
	}
}

// Wrong is how many elements of all outputs are.
func Wrong(outputs []Sum) int64 {
	n := int64(0)
	for _, s := range outputs {
		n += s.Wrong
	}
	return n
}

// Tally adds up the trials of one evaluation. A trial that runs twice counts twice
// where each run is checked on its own. Its zero value has seen none.
type Tally struct {
	trials, passed int
	failed         int // number of the first trial that failed, from 1; 0 for none
	wrong, total   int64
	maxAbs, maxRel float64
	bench          *bool // KernelBench's criterion over the task's own inputs
}

// Add takes a trial in: by what its outputs came to, and whether its inputs were the
// task's own.
func (t *Tally) Add(own bool, outputs []Sum) {
	t.trials++
	if Wrong(outputs) == 0 {
		t.passed++
	} else if t.failed == 0 {
		t.failed = t.trials
	}
	for _, s := range outputs {
		t.total += s.Total
		t.wrong += s.Wrong
		t.Widen(s.MaxAbs, s.MaxRel)
		if own {
			met := s.KernelBench && (t.bench == nil || *t.bench)
			t.bench = &met
		}
	}
}

// Widen counts errors of a run that is no trial of its own among the worst.
func (t *Tally) Widen(abs, rel float64) { t.maxAbs, t.maxRel = max(t.maxAbs, abs), max(t.maxRel, rel) }

// Trials is how many were taken in.
func (t *Tally) Trials() int { return t.trials }

// String says how many trials passed.
func (t *Tally) String() string { return fmt.Sprintf("%d/%d trials", t.passed, t.trials) }

// Check is the tally as a verdict has it, with the outputs of the first trial that
// failed, if one did.
func (t *Tally) Check(criterion string, tolerance tasks.Tolerance, failed []Difference) *gpu.Check {
	first := []gpu.Mismatch{} // where none is wrong, that is known, which is not null
	for _, d := range failed {
		first = append(first, d.First(t.failed-1, firstMismatches-len(first))...)
	}
	return &gpu.Check{
		Trials: t.trials, Passed: t.passed, Criterion: criterion,
		MaxAbs: &t.maxAbs, MaxRel: &t.maxRel, Atol: tolerance.Abs, Rtol: tolerance.Rel,
		KernelBenchPass: t.bench, Wrong: t.wrong, Total: t.total, First: first,
	}
}
