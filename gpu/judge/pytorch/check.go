package pytorch

import (
	"context"
	"errors"
	"fmt"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/torch/oracle"
)

// firstRun finds out whether the answer runs at all, on the first trial.
func (e *evaluation) firstRun(ctx context.Context) (string, error) {
	e.trials = trials(e.req.Limits.Trials)
	for _, note := range e.reference.about.Notes {
		e.report.Find(gpu.Finding{Kind: "task", Severity: report.Warning, Evidence: note})
	}
	t := e.trials[0]
	e.note(t)
	if err := e.reference.bench.settle(ctx, t); err != nil {
		return "", err
	}
	a, err := e.attempt(ctx, e.reference.bench, fillerNaN)
	if err = errors.Join(err, a.close()); err != nil || e.ended(a) {
		return "", err
	}
	if e.report.Verdict.Resources = e.resources(a.kernels); len(a.kernels) > 0 {
		return report.Launches(a.kernels), nil
	}
	return fmt.Sprintf("%d inputs, %d outputs", len(e.reference.about.Inputs), len(e.reference.about.Outputs)), nil
}

// check runs every trial and compares all outputs with what is right.
func (e *evaluation) check(ctx context.Context) (string, error) {
	for i, t := range e.trials {
		e.report.Step(fmt.Sprintf("trial %d/%d", i+1, len(e.trials)))
		if i > 0 {
			e.note(t)
		}
		if err := e.try(ctx, i, t); err != nil || e.report.Decided() {
			return "", err
		}
	}
	e.record([]gpu.Mismatch{})
	return fmt.Sprintf("%d/%d trials", e.tally.passed, e.tally.trials), nil
}

func (e *evaluation) try(ctx context.Context, number int, t trial) (err error) {
	if err := e.reference.bench.settle(ctx, t); err != nil {
		return err
	}
	filler := byte(fillerNaN)
	if number%2 == 0 {
		filler = fillerFinite
	}
	a, err := e.attempt(ctx, e.reference.bench, filler)
	defer func() { err = errors.Join(err, a.close()) }()
	if err != nil || e.ended(a) {
		return err
	}
	return e.conclude(ctx, t, a)
}

// conclude adds a trial up, and ends the evaluation where it failed.
func (e *evaluation) conclude(ctx context.Context, t trial, a attempt) error {
	e.tally.add(t.kind == oracle.Fresh, a)
	if a.wrong() == 0 {
		return nil
	}
	diffs, err := e.reference.bench.explain(ctx, a.outputs)
	if err == nil {
		e.mismatch(t, a, diffs)
	}
	return err
}

// note remembers a trial's seed, which the verdict tells once all is over.
func (e *evaluation) note(t trial) { e.seeds = append(e.seeds, fmt.Sprintf("%016x", t.seed)) }
