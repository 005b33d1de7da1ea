package judge

import (
	"context"
	"fmt"
	"sync"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

// judge holds what outlives an evaluation. One evaluation at a time uses it.
type judge struct {
	opts   Options
	budget time.Duration // for the measurement of one kernel
	dealer *dealer

	mu   sync.Mutex
	shop *workshop // nil until it could be opened
}

func newJudge(opts Options) *judge {
	return &judge{opts: opts, budget: timeBudget, dealer: &dealer{}}
}

// open returns the workshop, and makes it when there is none yet. It tries
// again after a failure: the missing compiler may be there by now.
func (j *judge) open(ctx context.Context) (*workshop, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if j.shop == nil {
		shop, err := openWorkshop(ctx, j.opts)
		if err != nil {
			return nil, err
		}
		j.shop = shop
		j.dealer.shop = shop
	}
	return j.shop, nil
}

// warm opens the workshop before the first evaluation asks for it. What fails
// here fails again there, and is told there.
func (j *judge) warm(ctx context.Context) {
	go func() { _, _ = j.open(ctx) }()
}

// prepare builds the references of a task and draws the trials of its first
// evaluation in the background, so that the evaluation finds them made.
func (j *judge) prepare(ctx context.Context, task tasks.Task) error {
	if _, err := j.open(ctx); err != nil {
		return err
	}
	size, err := task.Size(emulatedSize)
	if err != nil {
		return err
	}
	return j.dealer.prepare(task, size, gpu.DefaultLimits().Trials)
}

func (j *judge) close() {
	if err := j.dealer.drop(); err != nil {
		_, _ = fmt.Fprintln(j.opts.Log, "judge: end the references:", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.shop != nil {
		j.shop.close()
	}
}
