package emulated

import (
	"context"
	"fmt"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/worker"
	"example.com/hone/tasks"
)

// firstMismatches is how many wrong elements are shown.
const firstMismatches = 5

// check runs every trial and compares all outputs with the truth.
func (e *evaluation) check(ctx context.Context) (string, error) {
	for i, t := range e.deck.trials {
		e.report.Step(fmt.Sprintf("trial %d/%d: %s", i+1, len(e.deck.trials), t.about))
		if err := e.try(ctx, t, e.runs(i)); err != nil || e.report.Decided() {
			return "", err
		}
	}
	if e.req.Accept && e.tally.failure == nil {
		if err := e.acceptance(ctx); err != nil || e.report.Decided() {
			return "", err
		}
	}
	e.report.Verdict.Check = e.tally.check(e.req.Task.Tolerance)
	if e.tally.failure != nil {
		e.mismatch()
	}
	return fmt.Sprintf("%d/%d trials", e.tally.passed, e.tally.trials), nil
}

// mismatch concludes from the first trial that failed.
func (e *evaluation) mismatch() {
	f := e.tally.failure
	about := f.trial.about
	if about == freshInputs {
		about = ""
	}
	e.report.Mismatch(report.Mismatch{About: about, Diffs: f.diffs, Filler: f.filler, Differs: f.differs})
}

// run is one way to run a trial.
type run struct {
	checked  bool
	schedule int
	filler   byte
}

// runs says how the trial of that number is run. The runs of the checked build
// differ in nothing but the schedule and what shared memory holds at the start,
// so that their outputs can be compared with each other.
func (e *evaluation) runs(trial int) []run {
	switch trial {
	case 0: // beside what ran first
		return []run{
			{true, worker.ScheduleReverse, fillerFinite},
			{true, worker.ScheduleSeeded, fillerFinite},
		}
	case 1:
		return []run{
			{true, worker.ScheduleSeeded, fillerNaN},
			{false, worker.ScheduleForward, fillerFinite},
		}
	}
	filler := byte(fillerNaN)
	if trial%2 == 1 {
		filler = fillerFinite
	}
	return []run{{false, trial % 3, filler}}
}

// try runs one trial in several ways and adds it up.
func (e *evaluation) try(ctx context.Context, t trial, runs []run) error {
	var done []attempt
	if e.tally.trials == 0 {
		done = e.first.all()
	} else {
		e.report.Seed(t.seed)
	}
	for _, r := range runs {
		a, err := e.once(ctx, t, r)
		if err != nil {
			return err
		}
		if a == nil {
			continue
		}
		if e.failed(*a) {
			return nil
		}
		done = append(done, *a)
	}
	e.tally.add(t, done, e.req.Task.Tolerance)
	return nil
}

func (e *evaluation) once(ctx context.Context, t trial, r run) (*attempt, error) {
	if r.checked {
		return e.watch(ctx, t, r.schedule, r.filler)
	}
	a, err := e.attempt(ctx, e.plain, t, r.schedule, r.filler)
	return &a, err
}

func (a attempts) all() []attempt {
	list := []attempt{a.plain}
	if a.checked != nil {
		// Behind the plain one, at the head of the checked ones.
		list = append(list, *a.checked)
	}
	return list
}

// acceptance tries the sizes that are used for nothing else, with fresh seeds.
func (e *evaluation) acceptance(ctx context.Context) error {
	for _, size := range e.req.Task.Sizes {
		if size.Name == emulatedSize || size.Name == "full" {
			continue
		}
		e.report.Step("size " + size.Name)
		for _, checked := range []bool{true, false} {
			t, err := e.deck.oracle.fresh(ctx, size, 1)
			if err != nil {
				return err
			}
			t.about = "size " + size.Name
			if err := e.try(ctx, t, []run{{checked, worker.ScheduleForward, fillerNaN}}); err != nil || e.report.Decided() {
				return err
			}
		}
	}
	return nil
}

// failed concludes from an attempt that did not end well.
func (e *evaluation) failed(a attempt) bool {
	return e.report.Spoilt(a.fault, a.damage, a.tampered)
}

// tally adds up the trials of one evaluation.
type tally struct {
	trials  int
	passed  int
	wrong   int64
	total   int64
	maxAbs  float64
	maxRel  float64
	bench   *bool // KernelBench's criterion over the task's own inputs
	failure *failure
}

// failure is the first trial that failed.
type failure struct {
	number  int
	trial   trial
	diffs   []check.Difference
	filler  byte
	differs bool // the outputs change with the schedule
}

func (l *tally) add(t trial, runs []attempt, tolerance tasks.Tolerance) {
	number := l.trials
	l.trials++
	var shown []check.Difference
	failed := false
	for _, a := range runs {
		diffs := t.compare(a, tolerance)
		bad := wrong(diffs) > 0
		if shown == nil || bad && !failed {
			shown = diffs
		}
		l.worst(diffs)
		if bad && !failed && l.failure == nil {
			l.failure = &failure{number: number, trial: t, diffs: diffs, filler: a.filler, differs: differ(runs, tolerance)}
		}
		failed = failed || bad
	}
	if !failed {
		l.passed++
	}
	l.count(shown, t.own)
}

func wrong(diffs []check.Difference) int64 {
	n := int64(0)
	for _, d := range diffs {
		n += int64(len(d.Wrong))
	}
	return n
}

func (l *tally) worst(diffs []check.Difference) {
	for _, d := range diffs {
		l.maxAbs, l.maxRel = max(l.maxAbs, d.MaxAbs), max(l.maxRel, d.MaxRel)
	}
}

// count adds the elements of one run of a trial.
func (l *tally) count(diffs []check.Difference, own bool) {
	for _, d := range diffs {
		l.wrong += int64(len(d.Wrong))
		l.total += int64(d.Got.Len())
		if own {
			pass := check.KernelBench(d.Output) && (l.bench == nil || *l.bench)
			l.bench = &pass
		}
	}
}

// differ reports whether runs that began alike, with the same filler, ended
// with outputs beyond tolerance of each other.
func differ(runs []attempt, tolerance tasks.Tolerance) bool {
	for _, a := range runs[1:] {
		for _, b := range runs {
			if b.filler != a.filler || b.schedule == a.schedule {
				continue
			}
			for i := range a.outputs {
				if check.Apart(a.outputs[i], b.outputs[i], tolerance) > 0 {
					return true
				}
			}
		}
	}
	return false
}

func (l *tally) check(tolerance tasks.Tolerance) *gpu.Check {
	c := &gpu.Check{
		Trials: l.trials, Passed: l.passed, Criterion: "fp64",
		MaxAbs: &l.maxAbs, MaxRel: &l.maxRel, Atol: tolerance.Abs, Rtol: tolerance.Rel,
		KernelBenchPass: l.bench, Wrong: l.wrong, Total: l.total,
		First: []gpu.Mismatch{}, // none is known to be there, which is not null
	}
	if f := l.failure; f != nil {
		for _, d := range f.diffs {
			c.First = append(c.First, d.First(f.number, firstMismatches-len(c.First))...)
		}
	}
	return c
}
