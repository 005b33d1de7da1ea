package pytorch

import (
	"context"
	"fmt"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/torch/oracle"
)

// firstRun finds out whether the answer runs at all, on the first trial.
func (e *evaluation) firstRun(ctx context.Context) (string, error) {
	e.trials = trials(e.req.Limits.Trials)
	b, err := e.reference.bench(ctx)
	if err != nil {
		return "", err
	}
	defer b.close()
	for _, note := range e.reference.about.Notes {
		e.report.Find(gpu.Finding{Kind: "task", Severity: report.Warning, Evidence: note})
	}
	t := e.trials[0]
	e.note(t)
	if err := b.settle(ctx, t); err != nil {
		return "", err
	}
	a, err := e.attempt(ctx, b, fillerNaN)
	if err != nil || e.ended(a) {
		return "", err
	}
	return fmt.Sprintf("%d inputs, %d outputs", len(e.reference.about.Inputs), len(e.reference.about.Outputs)), nil
}

// check runs every trial and compares all outputs with what is right.
func (e *evaluation) check(ctx context.Context) (string, error) {
	b, err := e.reference.bench(ctx)
	if err != nil {
		return "", err
	}
	defer b.close()
	for i, t := range e.trials {
		e.report.Step(fmt.Sprintf("trial %d/%d", i+1, len(e.trials)))
		if i > 0 {
			e.note(t)
		}
		if err := e.try(ctx, b, i, t); err != nil || e.report.Decided() {
			return "", err
		}
	}
	e.record([]gpu.Mismatch{})
	return fmt.Sprintf("%d/%d trials", e.tally.passed, e.tally.trials), nil
}

func (e *evaluation) try(ctx context.Context, b *bench, number int, t trial) error {
	if err := b.settle(ctx, t); err != nil {
		return err
	}
	filler := byte(fillerNaN)
	if number%2 == 0 {
		filler = fillerFinite
	}
	a, err := e.attempt(ctx, b, filler)
	if err != nil || e.ended(a) {
		return err
	}
	e.conclude(t, a, b.compare(a.outputs))
	return nil
}

// conclude adds a trial up, and ends the evaluation where it failed.
func (e *evaluation) conclude(t trial, a attempt, diffs []check.Difference) {
	e.tally.add(t.kind == oracle.Fresh, diffs)
	if wrong(diffs) > 0 {
		e.mismatch(t, a, diffs)
	}
}

// note remembers a trial's seed, which the verdict tells once all is over.
func (e *evaluation) note(t trial) { e.seeds = append(e.seeds, fmt.Sprintf("%016x", t.seed)) }
