package emulated

import (
	"context"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

// Device is what verdicts call the CPU emulation.
const Device = "CPU emulation"

// Options say where an evaluator works.
type Options struct {
	Cache      string // folder for the emulator and compiled kernels
	CacheBytes int64  // bound on the compiled kernels, 0 for the default
	Scratch    string // folder for the workers' scratch folders, empty for the system's
}

// Evaluator holds what outlives an evaluation. One evaluation at a time uses it.
type Evaluator struct {
	shop   *workshop
	dealer *dealer
	budget time.Duration // for the measurement of one kernel
}

// Open builds what is missing in the cache folder and starts spare workers.
func Open(ctx context.Context, opts Options) (*Evaluator, error) {
	shop, err := openWorkshop(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &Evaluator{shop: shop, dealer: &dealer{shop: shop}, budget: timeBudget}, nil
}

// Prepare builds the references of a task and draws the trials of its first
// evaluation in the background, so that the evaluation finds them made.
func (j *Evaluator) Prepare(_ context.Context, task tasks.Task) error {
	size, err := task.Size(emulatedSize)
	if err != nil {
		return err
	}
	return j.dealer.prepare(task, size, gpu.DefaultLimits().Trials)
}

// Close ends every process that the evaluator started.
func (j *Evaluator) Close() error {
	err := j.dealer.drop()
	j.shop.close()
	return err
}
