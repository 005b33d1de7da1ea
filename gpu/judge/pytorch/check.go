package pytorch

import (
	"context"
	"errors"
	"fmt"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch/oracle"
)

// firstRun finds out whether the answer runs at all, on the first trial.
func (e *evaluation) firstRun(ctx context.Context) (string, error) {
	e.trials = trials(e.req.Limits.Trials)
	for _, note := range e.reference.about.Notes {
		e.report.Find(gpu.Finding{Kind: "task", Severity: report.Warning, Evidence: note})
	}
	t := e.trials[0]
	e.report.Seed(t.seed)
	if err := e.settle(ctx, t); err != nil {
		return "", err
	}
	kernels, err := e.runFirst(ctx)
	if err != nil || e.report.Decided() {
		return "", err
	}
	if e.report.Verdict.Resources = e.form.resources(kernels); len(kernels) > 0 {
		return report.Launches(kernels), nil
	}
	return fmt.Sprintf("%d inputs, %d outputs", len(e.reference.about.Inputs), len(e.reference.about.Outputs)), nil
}

// runFirst concludes from the last of the first runs that fails, or from one that does
// not end, and returns what the first one launched.
func (e *evaluation) runFirst(ctx context.Context) (kernels []gpu.Resources, err error) {
	var failed *attempt
	for _, r := range e.form.first() {
		a, err := e.attempt(ctx, r.answer, call{looked: true, limit: e.req.Limits.Run}, fillerNaN)
		if err = errors.Join(err, a.close()); err != nil {
			return nil, err
		}
		if e.waived(r, a) {
			continue
		}
		if kernels == nil {
			kernels = a.kernels
		}
		if !a.well() {
			failed = &a
		}
		if a.timedOut() {
			break
		}
	}
	if failed != nil {
		e.ended(*failed)
	}
	return kernels, nil
}

// waived reports whether a run says nothing of the answer, and says so.
func (e *evaluation) waived(r run, a attempt) bool {
	if !r.watched || !a.timedOut() {
		return false
	}
	e.unwatched = true
	e.report.Find(gpu.Finding{Kind: "unchecked", Severity: report.Warning, Evidence: fmt.Sprintf(
		"with every memory access watched, the kernel did not end within %s: races and the like were not looked for", e.req.Limits.Run)})
	return true
}

// check runs every trial and compares all outputs with what is right.
func (e *evaluation) check(ctx context.Context) (string, error) {
	for i, t := range e.trials {
		e.report.Step(fmt.Sprintf("trial %d/%d", i+1, len(e.trials)))
		if i > 0 {
			e.report.Seed(t.seed)
		}
		if err := e.try(ctx, i, t); err != nil || e.report.Decided() {
			return "", err
		}
	}
	e.record(nil)
	return e.tally.String(), nil
}

// try runs a trial in every way. Only the last one counts.
func (e *evaluation) try(ctx context.Context, number int, t trial) error {
	if err := e.settle(ctx, t); err != nil {
		return err
	}
	filler := byte(fillerNaN)
	if number%2 == 0 {
		filler = fillerFinite
	}
	return e.tryEach(ctx, t, call{trial: number, limit: e.req.Limits.Run}, filler)
}

// tryEach runs the settled trial in every way. A watched run that did not end in time has
// ended its process, so that there are no more of them.
func (e *evaluation) tryEach(ctx context.Context, t trial, c call, filler byte) error {
	runs := e.form.runs(c.trial)
	for i, r := range runs {
		if r.watched && e.unwatched {
			continue
		}
		if err := e.once(ctx, t, r, c, filler, i == len(runs)-1); err != nil || e.report.Decided() {
			return err
		}
	}
	return nil
}

func (e *evaluation) once(ctx context.Context, t trial, r run, c call, filler byte, counts bool) (err error) {
	a, err := e.attempt(ctx, r.answer, c, filler)
	defer func() { err = errors.Join(err, a.close()) }()
	switch {
	case err != nil || e.waived(r, a) || e.ended(a):
		return err
	case check.Wrong(a.sums) > 0:
		differs, err := e.unsteady(ctx, r, c, a)
		if err != nil {
			return err
		}
		return e.conclude(ctx, t, a, differs)
	case counts:
		e.tally.Add(t.kind == oracle.Fresh, a.sums)
	}
	return nil
}

// unsteady runs a trial again and reports whether the outputs are others.
func (e *evaluation) unsteady(ctx context.Context, r run, c call, a attempt) (differs bool, err error) {
	if r.again == nil {
		return false, nil
	}
	again, err := e.attempt(ctx, r.again, c, a.filler)
	defer func() { err = errors.Join(err, again.close()) }()
	if err != nil || !again.well() {
		return false, err
	}
	for i := range e.reference.about.Outputs {
		c, err := e.reference.memory.compare(ctx, i, again.outputs, a.outputs, a.outputs, e.reference.tolerance())
		if err != nil || c.Wrong > 0 {
			return c.Wrong > 0, err
		}
	}
	return false, nil
}

// conclude ends the evaluation with a trial that failed.
func (e *evaluation) conclude(ctx context.Context, t trial, a attempt, differs bool) error {
	e.tally.Add(t.kind == oracle.Fresh, a.sums)
	diffs, err := e.reference.bench.explain(ctx, a.outputs)
	if err != nil {
		return err
	}
	e.record(diffs)
	e.report.Mismatch(report.Mismatch{About: t.about, Diffs: diffs, Filler: a.filler, Differs: differs})
	return nil
}

// record writes the check into the verdict, with the outputs of the trial that failed.
func (e *evaluation) record(failed []check.Difference) {
	criterion := check.InDouble
	if e.native {
		criterion = check.Natively
	}
	e.report.Verdict.Check = e.tally.Check(criterion, e.reference.tolerance(), failed)
}

// timedOut reports whether a run did not end in time.
func (a attempt) timedOut() bool { return a.fault != nil && a.fault.Kind == process.FaultTimeout }

// well reports whether a run ended as it should, whatever its outputs are.
func (a attempt) well() bool { return a.fault == nil && a.damage == "" && a.tampered == "" }
