package emulated

import (
	"context"
	"fmt"
	"slices"

	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/worker"
	"example.com/hone/tasks"
)

// check runs every trial and compares all outputs with the truth.
func (e *evaluation) check(ctx context.Context) (string, error) {
	for i, t := range e.deck.trials {
		e.report.Step(fmt.Sprintf("trial %d/%d: %s", i+1, len(e.deck.trials), t.about))
		if err := e.try(ctx, t, e.runs(i)); err != nil || e.report.Decided() {
			return "", err
		}
	}
	if e.req.Accept && e.failure == nil {
		if err := e.acceptance(ctx); err != nil || e.report.Decided() {
			return "", err
		}
	}
	e.concludeCheck()
	return e.tally.String(), nil
}

// concludeCheck writes the check into the verdict, and concludes from the first trial
// that failed, if one did.
func (e *evaluation) concludeCheck() {
	var failed []check.Difference
	if e.failure != nil {
		failed = e.failure.Diffs
	}
	e.report.Verdict.Check = e.tally.Check(check.InDouble, e.req.Task.Tolerance, failed)
	if e.failure != nil {
		e.report.Mismatch(*e.failure)
	}
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
	if e.tally.Trials() == 0 {
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
	e.count(t, done)
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

// count adds a trial up by all its runs: the errors of each, the elements of one, which
// is the first that is wrong.
func (e *evaluation) count(t trial, runs []attempt) {
	var shown []check.Difference
	failed := false
	for _, a := range runs {
		diffs := t.compare(a, e.req.Task.Tolerance)
		bad := wrong(diffs)
		if shown == nil || bad && !failed {
			shown = diffs
		}
		for _, d := range diffs {
			e.tally.Widen(d.MaxAbs, d.MaxRel)
		}
		if bad && !failed && e.failure == nil {
			e.failure = &report.Mismatch{About: t.special(), Diffs: diffs, Filler: a.filler, Differs: differ(runs, e.req.Task.Tolerance)}
		}
		failed = failed || bad
	}
	sums := make([]check.Sum, len(shown))
	for i, d := range shown {
		sums[i] = d.Sum()
	}
	e.tally.Add(t.own, sums)
}

func wrong(diffs []check.Difference) bool {
	return slices.ContainsFunc(diffs, func(d check.Difference) bool { return len(d.Wrong) > 0 })
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
