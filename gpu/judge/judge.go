package judge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/judge/emulated"
	"example.com/hone/gpu/judge/ondevice"
	"example.com/hone/gpu/judge/pytorch"
	"example.com/hone/tasks"
)

// ErrUnusable means that this machine can evaluate nothing until something is
// installed or repaired.
var ErrUnusable = errors.New("no usable evaluator")

// What a judge may be told to judge on, beside the number of a GPU.
const (
	DeviceAuto     = "auto"     // the first GPU that can be used, else by emulation
	DeviceEmulated = "emulated" // by CPU emulation
)

// evaluator does the evaluations, one at a time.
type evaluator interface {
	Evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error)
	// Prepare gets ready for a task in the background.
	Prepare(ctx context.Context, task tasks.Task) error
	Close() error
}

// judge holds what outlives an evaluation. One evaluation at a time uses it.
type judge struct {
	opts Options

	mu      sync.Mutex
	inner   evaluator // nil until it could be opened
	machine gpu.Machine
	python  evaluator // for PyTorch answers; nil until it could be opened
}

// open returns the evaluator, and makes it when there is none yet. It tries
// again after a failure: the missing compiler may be there by now.
func (j *judge) open(ctx context.Context) (evaluator, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if j.inner != nil {
		return j.inner, nil
	}
	inner, machine, err := choose(ctx, j.opts)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	j.inner, j.machine = inner, machine
	return inner, nil
}

// openLimit is how long a GPU's driver may take to answer.
const openLimit = 30 * time.Second

// openDevice does not wait for a driver that hangs.
func openDevice(ctx context.Context, opts Options) (*ondevice.Evaluator, error) {
	type opened struct {
		device *ondevice.Evaluator
		err    error
	}
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	done := make(chan opened, 1)
	go func() {
		device, err := ondevice.Open(ctx, ondevice.Options{
			Cache: opts.Cache, CacheBytes: opts.CacheBytes, Scratch: opts.Scratch,
			Device: opts.number(), Libraries: opts.Libraries,
		})
		done <- opened{device, err}
	}()
	select {
	case o := <-done:
		return o.device, o.err
	case <-ctx.Done():
		return nil, fmt.Errorf("the NVIDIA driver did not answer within %s: see whether nvidia-smi does", openLimit)
	}
}

// choose opens the evaluator that the options ask for. Where any will do, a GPU
// that cannot be used is the reason why kernels are emulated.
func choose(ctx context.Context, opts Options) (evaluator, gpu.Machine, error) {
	reason := ""
	if opts.Device != DeviceEmulated {
		device, err := openDevice(ctx, opts)
		if err == nil {
			return device, gpu.Machine{Device: device.Name()}, nil
		}
		if opts.Device != DeviceAuto && opts.Device != "" {
			return nil, gpu.Machine{}, fmt.Errorf("use GPU %s: %w", opts.Device, err)
		}
		reason = why(err)
	}
	inner, err := emulated.Open(ctx, emulated.Options{Cache: opts.Cache, CacheBytes: opts.CacheBytes, Scratch: opts.Scratch})
	if err != nil {
		return nil, gpu.Machine{}, err
	}
	return inner, gpu.Machine{Device: emulated.Device, Emulated: true, Reason: reason}, nil
}

// why is why there is no GPU, with what would help.
func why(err error) string {
	if u, ok := errors.AsType[*cuda.Unavailable](err); ok {
		return u.Reason + ": " + u.Remedy
	}
	return err.Error()
}

// warm opens the evaluator before the first evaluation asks for it. What fails
// here fails again there, and is told there.
func (j *judge) warm(ctx context.Context) {
	go func() { _, _ = j.open(ctx) }()
}

// For is the machine that answers in a dialect are judged on: those written for
// PyTorch run on the CPU, also where there is a GPU.
func For(dialect gpu.Dialect, machine gpu.Machine) gpu.Machine {
	if dialect != gpu.Torch || machine.Emulated {
		return machine
	}
	return gpu.Machine{
		Device: pytorch.Device, Emulated: true, Reason: "answers written for PyTorch are judged by CPU emulation alone in this version",
	}
}

// describe says what the judge judges on.
func (j *judge) describe(ctx context.Context) (gpu.Machine, error) {
	if _, err := j.open(ctx); err != nil {
		return gpu.Machine{}, err
	}
	return j.machine, nil
}

// openPython is open for answers written for PyTorch.
func (j *judge) openPython(ctx context.Context) (evaluator, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.python != nil {
		return j.python, nil
	}
	python, err := pytorch.Open(ctx, pytorch.Options{
		Cache: j.opts.Cache, CacheBytes: j.opts.CacheBytes, Scratch: j.opts.Scratch, Python: j.opts.Python,
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	j.python = python
	return python, nil
}

// suited is the evaluator of answers in a dialect to a task.
func (j *judge) suited(ctx context.Context, dialect gpu.Dialect, task tasks.Task) (evaluator, error) {
	switch {
	case dialect == gpu.Torch:
		return j.openPython(ctx)
	case task.Torch():
		return nil, fmt.Errorf("task %s has no native reference: answer it in the torch dialect (--dialect torch)", task.ID)
	}
	return j.open(ctx)
}

func (j *judge) evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
	suited, err := j.suited(ctx, req.Dialect, req.Task)
	if err != nil {
		return gpu.Verdict{}, err
	}
	return suited.Evaluate(ctx, req, observe)
}

// prepare gets ready for a task in the dialect that it is most likely answered in.
func (j *judge) prepare(ctx context.Context, task tasks.Task) error {
	dialect := gpu.CUDA
	if task.Torch() {
		dialect = gpu.Torch
	}
	suited, err := j.suited(ctx, dialect, task)
	if err != nil {
		return err
	}
	return suited.Prepare(ctx, task)
}

func (j *judge) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, inner := range []evaluator{j.inner, j.python} {
		if inner == nil {
			continue
		}
		if err := inner.Close(); err != nil {
			_, _ = fmt.Fprintln(j.opts.Log, "judge: end what it started:", err)
		}
	}
}
