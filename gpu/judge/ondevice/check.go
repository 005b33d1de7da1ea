package ondevice

import (
	"context"
	"errors"
	"fmt"

	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/report"
)

// check runs every trial and compares all outputs with the truth. The first
// trial, which has run before, runs again without any waiting between launches.
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
	if e.req.Accept {
		if err := e.acceptance(ctx); err != nil || e.report.Decided() {
			return "", err
		}
	}
	e.report.Verdict.Check = e.tally.Check(check.InDouble, e.req.Task.Tolerance, nil)
	return e.tally.String(), nil
}

// try runs the candidate on a trial and draws the conclusion from a run that did
// not end well.
func (e *evaluation) try(ctx context.Context, number int, t trial) (err error) {
	if err := e.oracle.settle(ctx, t); err != nil {
		return err
	}
	filler := byte(fillerFinite)
	if number%2 == 1 {
		filler = fillerNaN
	}
	call := device.Call{Poison: poison(number + 1)}
	a, err := e.oracle.attempt(ctx, e.kernel, t, call, filler)
	defer func() { err = errors.Join(err, e.oracle.free(a)) }()
	switch {
	case err != nil || e.failed(a):
		return err
	case check.Wrong(a.sums) > 0:
		return e.wrong(ctx, t, a, call)
	}
	e.tally.Add(t.own(), a.sums)
	return nil
}

// acceptance tries the sizes that are used for nothing else, with fresh seeds.
func (e *evaluation) acceptance(ctx context.Context) error {
	for i, size := range e.req.Task.Sizes {
		if size.Name == fullSize {
			continue
		}
		e.report.Step("size " + size.Name)
		t := fresh(size)
		t.about = "size " + size.Name
		e.report.Seed(t.seed)
		if err := e.try(ctx, i, t); err != nil || e.report.Decided() {
			return err
		}
	}
	return nil
}

// failed concludes from an attempt that did not end well.
func (e *evaluation) failed(a attempt) bool {
	return e.report.Spoilt(a.fault, a.damage, a.tampered)
}

// wrong concludes from an attempt with wrong outputs. Those are fetched from the
// device and compared again by package check, which knows what they have in
// common; another run tells whether they are the same each time.
func (e *evaluation) wrong(ctx context.Context, t trial, a attempt, c device.Call) error {
	diffs, err := e.oracle.fetch(ctx, a)
	if err != nil {
		return err
	}
	differs, err := e.unsteady(ctx, t, a, c)
	if err != nil {
		return err
	}
	e.mismatch(t, a, diffs, differs)
	return nil
}

// unsteady runs a trial again and reports whether the outputs are others.
func (e *evaluation) unsteady(ctx context.Context, t trial, a attempt, c device.Call) (differs bool, err error) {
	again, err := e.oracle.attempt(ctx, e.kernel, t, c, a.filler)
	defer func() { err = errors.Join(err, e.oracle.free(again)) }()
	if err != nil || again.fault != nil {
		return false, err
	}
	return e.oracle.differs(ctx, a, again)
}

// mismatch concludes from outputs that were compared on the host.
func (e *evaluation) mismatch(t trial, a attempt, diffs []check.Difference, differs bool) {
	e.tally.Add(t.own(), a.sums)
	e.report.Verdict.Check = e.tally.Check(check.InDouble, e.req.Task.Tolerance, diffs)
	e.report.Mismatch(report.Mismatch{About: t.about, Diffs: diffs, Filler: a.filler, Differs: differs})
}

// fetch compares an attempt's outputs on the host.
func (o *oracle) fetch(ctx context.Context, a attempt) ([]check.Difference, error) {
	diffs := make([]check.Difference, len(a.outputs))
	for i, out := range a.outputs {
		got, err := o.shop.lab.Download(ctx, out)
		if err != nil {
			return nil, err
		}
		truth, err := o.shop.lab.Download(ctx, o.exact.outputs[i])
		if err != nil {
			return nil, err
		}
		baseline, err := o.shop.lab.Download(ctx, o.native.outputs[i])
		if err != nil {
			return nil, err
		}
		diffs[i] = check.Compare(check.Output{Got: got, Truth: truth, Baseline: baseline}, o.task.Tolerance)
	}
	return diffs, nil
}
