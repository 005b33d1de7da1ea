package judge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/judge/emulated"
	"example.com/hone/gpu/judge/ondevice"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/gpu/judge/pytorch"
	"example.com/hone/gpu/torch"
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

	mu       sync.Mutex
	platform *platform.Platform // nil where there is no GPU, or it was not asked for
	inner    evaluator          // nil until it could be opened
	machine  gpu.Machine        // that inner judges on
	torch    *torch.Installation
	python   *pytorch.Evaluator // for tasks and answers of PyTorch; nil until it could be opened
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
	err := j.choose(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return j.inner, nil
}

// choose opens the evaluator that the options ask for. Where any will do, a GPU
// that cannot be used is the reason why kernels are emulated.
func (j *judge) choose(ctx context.Context) (err error) {
	reason := ""
	if j.opts.Device != DeviceEmulated {
		if err = j.openDevice(ctx); err == nil {
			return nil
		}
		if j.opts.Device != DeviceAuto && j.opts.Device != "" {
			return fmt.Errorf("use GPU %s: %w", j.opts.Device, err)
		}
		reason = why(err)
	}
	inner, err := emulated.Open(ctx, emulated.Options{Cache: j.opts.Cache, CacheBytes: j.opts.CacheBytes, Scratch: j.opts.Scratch})
	if err == nil {
		j.inner, j.machine = inner, gpu.Machine{Device: emulated.Device, Emulated: true, Reason: reason}
	}
	return err
}

// openDevice takes the GPU, and gives it back where nothing can be judged on it.
func (j *judge) openDevice(ctx context.Context) error {
	card, err := openInTime(ctx, openLimit, func(ctx context.Context) (*platform.Platform, error) {
		return platform.Open(ctx, platform.Options{
			Cache: filepath.Join(j.opts.Cache, "device"), Device: j.opts.number(), Libraries: j.opts.Libraries, Visible: j.opts.Visible,
		})
	})
	if err != nil {
		return err
	}
	device, err := ondevice.Open(ctx, ondevice.Options{
		Platform: card, Cache: j.opts.Cache, CacheBytes: j.opts.CacheBytes, Scratch: j.opts.Scratch,
	})
	if err != nil {
		return errors.Join(err, card.Close())
	}
	j.platform, j.inner, j.machine = card, device, gpu.Machine{Device: card.Facts.Name}
	return nil
}

// openLimit is how long a GPU's driver may take to answer.
const openLimit = 30 * time.Second

// openInTime does not wait for a driver that hangs. What opens later is closed again.
func openInTime[P io.Closer](ctx context.Context, limit time.Duration, open func(context.Context) (P, error)) (P, error) {
	type opened struct {
		device P
		err    error
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan opened, 1)
	go func() {
		device, err := open(limited)
		done <- opened{device, err}
	}()
	select {
	case o := <-done:
		return o.device, o.err
	case <-limited.Done():
	}
	go func() {
		if o := <-done; o.err == nil {
			_ = o.device.Close() // nobody waits for it any more
		}
	}()
	var none P
	if ctx.Err() != nil {
		return none, ctx.Err()
	}
	return none, fmt.Errorf("the NVIDIA driver did not answer within %s: see whether nvidia-smi does", limit)
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

// describe says what the judge judges answers in a dialect on.
func (j *judge) describe(ctx context.Context, dialect gpu.Dialect) (gpu.Machine, error) {
	if _, err := j.open(ctx); err != nil {
		return gpu.Machine{}, err
	}
	if dialect != gpu.Torch || j.machine.Emulated {
		return j.machine, nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	installation, err := j.findTorch(ctx)
	if ctx.Err() != nil {
		return gpu.Machine{}, ctx.Err()
	}
	return forTorch(j.machine, installation, err), nil
}

// forTorch is what PyTorch answers are judged on beside a GPU: that, where there is a
// torch that can use it.
func forTorch(card gpu.Machine, i torch.Installation, missing error) gpu.Machine {
	emulated := gpu.Machine{Device: pytorch.Device, Emulated: true}
	switch {
	case missing != nil:
		emulated.Reason = missing.Error()
	case i.CUDA == "":
		emulated.Reason = fmt.Sprintf("the PyTorch %s of %s is built without CUDA: install one with it, or name its Python with --python", i.Torch, i.Python)
	case i.Devices == 0:
		emulated.Reason = fmt.Sprintf("the PyTorch %s of %s does not see the GPU: its CUDA %s may need a newer driver", i.Torch, i.Python, i.CUDA)
	default:
		return card
	}
	return emulated
}

// findTorch finds the Python with torch, once. The caller holds the lock.
func (j *judge) findTorch(ctx context.Context) (torch.Installation, error) {
	if j.torch != nil {
		return *j.torch, nil
	}
	installation, err := torch.FindKept(ctx, j.opts.Python, filepath.Join(j.opts.Cache, "python"))
	if err == nil {
		j.torch = &installation
	}
	return installation, err
}

// openPython is open for answers to PyTorch tasks and answers written for PyTorch.
func (j *judge) openPython(ctx context.Context) (*pytorch.Evaluator, error) {
	opts, err := j.pythonOptions(ctx)
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.python != nil {
		return j.python, nil
	}
	python, err := pytorch.Open(ctx, opts)
	if err != nil {
		return nil, j.unusable(ctx, err)
	}
	j.python = python
	return python, nil
}

// pythonOptions are those of an evaluator on the GPU that the judge has, where torch
// can use it, else by emulation.
func (j *judge) pythonOptions(ctx context.Context) (pytorch.Options, error) {
	if _, err := j.open(ctx); err != nil {
		return pytorch.Options{}, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	installation, err := j.findTorch(ctx)
	if err != nil {
		return pytorch.Options{}, j.unusable(ctx, err)
	}
	opts := pytorch.Options{Torch: installation, Cache: j.opts.Cache, CacheBytes: j.opts.CacheBytes, Scratch: j.opts.Scratch}
	if !j.machine.Emulated && !forTorch(j.machine, installation, nil).Emulated {
		opts.Platform = j.platform
	}
	return opts, nil
}

// unusable is why nothing can be judged, or the wish to stop.
func (j *judge) unusable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", ErrUnusable, err)
}

// suited is the evaluator of answers in a dialect to a task: where PyTorch has a part in
// either, the one that runs it.
func (j *judge) suited(ctx context.Context, dialect gpu.Dialect, task tasks.Task) (evaluator, error) {
	if dialect == gpu.Torch || task.Torch() {
		return j.openPython(ctx)
	}
	return j.open(ctx)
}

// derive completes a task that is known by its PyTorch reference alone, so that it can be
// answered in the cuda dialect. Its reference is run where that has not been done before.
func (j *judge) derive(ctx context.Context, task tasks.Task) (tasks.Task, error) {
	if !task.Torch() {
		return task, nil
	}
	opts, err := j.pythonOptions(ctx)
	if err != nil {
		return task, err
	}
	memo := opts.Memo()
	about, known, err := memo.Recall(task.Reference)
	if err != nil {
		return task, err
	}
	if !known {
		if about, err = j.look(ctx, memo, task); err != nil {
			return task, err
		}
	}
	return torch.Derive(task, about)
}

// look runs a task's reference to describe it.
func (j *judge) look(ctx context.Context, memo torch.Memo, task tasks.Task) (torch.Description, error) {
	python, err := j.openPython(ctx)
	if err != nil {
		return torch.Description{}, err
	}
	about, err := python.Describe(ctx, task)
	if err != nil {
		return about, err
	}
	if err := memo.Keep(task.Reference, about); err != nil {
		_, _ = fmt.Fprintln(j.opts.Log, "judge:", err) // it is described again the next time
	}
	return about, nil
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
	suited, err := j.suited(ctx, gpu.CUDA, task)
	if err != nil {
		return err
	}
	return suited.Prepare(ctx, task)
}

func (j *judge) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.inner != nil {
		j.log(j.inner.Close())
	}
	if j.python != nil {
		j.log(j.python.Close())
	}
	if j.platform != nil {
		j.log(j.platform.Close())
	}
}

// log tells what went wrong, if anything did.
func (j *judge) log(err error) {
	if err != nil {
		_, _ = fmt.Fprintln(j.opts.Log, "judge: end what it started:", err)
	}
}
