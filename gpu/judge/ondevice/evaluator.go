package ondevice

import (
	"context"
	"errors"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/gpu/judge/ready"
	"example.com/hone/tasks"
)

// Options say where an evaluator works, and on what.
type Options struct {
	Platform   *platform.Platform // stays the caller's
	Cache      string             // folder for the worker program and compiled kernels
	CacheBytes int64              // bound on the compiled kernels, 0 for the default
	Scratch    string             // folder for the workers' scratch folders, empty for the system's
}

// Evaluator holds what outlives an evaluation. One evaluation at a time uses it.
type Evaluator struct {
	shop    *workshop
	oracles *ready.Keeper[*oracle]
	budget  time.Duration
}

// Open gets ready to compile and run kernels.
func Open(ctx context.Context, opts Options) (*Evaluator, error) {
	shop, err := openWorkshop(ctx, opts)
	if err != nil {
		return nil, err
	}
	make := func(ctx context.Context, task tasks.Task) (*oracle, error) { return newOracle(ctx, shop, task) }
	return &Evaluator{shop: shop, oracles: ready.New(make), budget: timeBudget}, nil
}

// Prepare builds and starts the references of a task in the background.
func (v *Evaluator) Prepare(_ context.Context, task tasks.Task) error {
	if _, err := task.Size(fullSize); err != nil {
		return err
	}
	return v.oracles.Ask(task)
}

// Close ends every process that the evaluator started.
func (v *Evaluator) Close() error {
	err := v.oracles.Drop()
	v.shop.close()
	return err
}

// Evaluate judges one kernel. An error means that it could not.
func (v *Evaluator) Evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
	req.Limits = req.Limits.WithDefaults()
	size, err := req.Task.Size(fullSize)
	if err != nil {
		return gpu.Verdict{}, err
	}
	if err := v.oracles.Ask(req.Task); err != nil {
		return gpu.Verdict{}, err
	}
	e := newEvaluation(v, req, size, observe)
	release := v.shop.spares.Hold()
	verdict, err := e.run(ctx)
	v.oracles.Leave(func() error {
		defer release()
		return e.close(context.WithoutCancel(ctx))
	})
	if err != nil && !e.report.Withdrawn(ctx) {
		// Nothing that took part is trusted to be in order.
		err = errors.Join(err, v.oracles.Drop())
	}
	if ctx.Err() != nil {
		return gpu.Verdict{}, ctx.Err()
	}
	return verdict, err
}
