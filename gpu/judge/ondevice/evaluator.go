package ondevice

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/platform"
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
	next    *preparing // the oracle last asked for, nil when there is none
	leaving chan error // ends with what went wrong when the last candidate's processes were ended; nil before
	budget  time.Duration
}

// Open gets ready to compile and run kernels.
func Open(ctx context.Context, opts Options) (*Evaluator, error) {
	shop, err := openWorkshop(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &Evaluator{shop: shop, budget: timeBudget}, nil
}

// Prepare builds and starts the references of a task in the background.
func (v *Evaluator) Prepare(_ context.Context, task tasks.Task) error {
	if _, err := task.Size(fullSize); err != nil {
		return err
	}
	return errors.Join(v.left(), v.ask(task))
}

// Close ends every process that the evaluator started.
func (v *Evaluator) Close() error {
	err := v.drop()
	v.shop.close()
	return err
}

// leave ends an evaluation's processes while its verdict is already on its way: a
// driver takes a tenth of a second to end one.
func (v *Evaluator) leave(ctx context.Context, e *evaluation, release func()) {
	done := make(chan error, 1)
	v.leaving = done
	go func() {
		done <- e.close(ctx)
		release()
	}()
}

// left waits until nothing of the last evaluation runs any more.
func (v *Evaluator) left() error {
	if v.leaving == nil {
		return nil
	}
	err := <-v.leaving
	v.leaving = nil
	return err
}

// preparing is an oracle in the making, or made.
type preparing struct {
	key    string // of its task
	cancel context.CancelFunc
	done   chan struct{}
	oracle *oracle // with err, read after done
	err    error
}

// ask has the oracle of a task made, unless it is there or in the making.
func (v *Evaluator) ask(task tasks.Task) error {
	key := task.ID + " " + task.SHA256
	if v.next != nil && v.next.key == key && !v.next.failed() {
		return nil
	}
	if err := v.drop(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &preparing{key: key, cancel: cancel, done: make(chan struct{})}
	v.next = p
	go func() {
		defer close(p.done)
		p.oracle, p.err = newOracle(ctx, v.shop, task)
	}()
	return nil
}

func (p *preparing) failed() bool {
	select {
	case <-p.done:
		return p.err != nil
	default:
		return false
	}
}

// oracle waits for the oracle last asked for.
func (v *Evaluator) oracle(ctx context.Context) (*oracle, error) {
	select {
	case <-v.next.done:
		return v.next.oracle, v.next.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// drop ends the oracle, made or not, once the last evaluation is done with it.
func (v *Evaluator) drop() error {
	err := v.left()
	if v.next == nil {
		return err
	}
	v.next.cancel()
	<-v.next.done
	if oracle := v.next.oracle; oracle != nil {
		err = errors.Join(err, oracle.close())
	}
	v.next = nil
	return err
}

// Evaluate judges one kernel. An error means that it could not.
func (v *Evaluator) Evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
	req.Limits = req.Limits.WithDefaults()
	size, err := req.Task.Size(fullSize)
	if err != nil {
		return gpu.Verdict{}, err
	}
	if err := v.left(); err != nil {
		return gpu.Verdict{}, errors.Join(fmt.Errorf("end the last kernel: %w", err), v.drop())
	}
	if err := v.ask(req.Task); err != nil {
		return gpu.Verdict{}, err
	}
	e := newEvaluation(v, req, size, observe)
	release := v.shop.spares.Hold()
	verdict, err := e.run(ctx)
	v.leave(context.WithoutCancel(ctx), e, release)
	if err != nil {
		// Nothing that took part is trusted to be in order.
		err = errors.Join(err, v.drop())
	}
	if ctx.Err() != nil {
		return gpu.Verdict{}, ctx.Err()
	}
	return verdict, err
}
