package pytorch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
)

// onGPU is the form of answers in the cuda dialect that run on a GPU.
type onGPU struct {
	*evaluation
	built platform.Built
}

func (f *onGPU) compile(ctx context.Context) (string, error) {
	var err error
	if f.reference, err = f.owner.references.Wait(ctx); err != nil {
		return "", err
	}
	if f.built, err = f.build(ctx, f.req.Kernel, f.report.Step); err != nil {
		return "", err
	}
	f.report.Verdict.Diagnostics = append(f.report.Verdict.Diagnostics, f.built.Diagnostics...)
	switch needs := f.built.Needs; {
	case f.built.OK():
		return f.built.How, f.load(ctx)
	case needs != nil:
		f.report.NeedsNVCC(needs.Construct, needs.Line)
	default:
		f.report.NotCompiled()
	}
	return "", nil
}

func (f *onGPU) build(ctx context.Context, text string, step func(string)) (platform.Built, error) {
	signature, err := torch.Signature(f.reference.about)
	if err != nil {
		return platform.Built{}, fmt.Errorf("task %s: %w", f.req.Task.ID, err)
	}
	source := compile.Source{Name: kernelFile, Text: text, Unit: compile.StreamUnit(signature), Limit: f.req.Limits.Compile}
	return f.shop.gpu.Build(ctx, f.shop.compiler, source, f.req.NVCC, step)
}

func (f *onGPU) load(ctx context.Context) error {
	a, fault, err := f.shop.onDevice(ctx, f.built.DeviceArtifact, f.req.Limits)
	switch {
	case err != nil:
		return err
	case fault != nil:
		f.failed(*fault)
		return nil
	}
	f.start(a)
	f.report.Verdict.Sandbox = a.process.Layers()
	return nil
}

func (f *onGPU) another(ctx context.Context, text string) (answer, string, error) {
	b, err := f.build(ctx, text, func(string) {})
	if err != nil || !b.OK() {
		return nil, b.Trouble(), err
	}
	a, fault, err := f.shop.onDevice(ctx, b.DeviceArtifact, f.req.Limits)
	if fault != nil || err != nil {
		return nil, saying(fault), err
	}
	return a, "", nil
}

func (f *onGPU) resources(kernels []gpu.Resources) []gpu.Resources {
	compile.AddSpills(kernels, f.built.Kernels)
	return kernels
}

func (f *onGPU) first() []run   { return f.runs(0) }
func (f *onGPU) runs(int) []run { return []run{{answer: f.own, again: f.own}} }

// solver is a module that is loaded in a worker on the GPU.
type solver struct{ process *device.Process }

// onDevice loads a module into a worker.
func (s *workshop) onDevice(ctx context.Context, artifact compile.DeviceArtifact, limits gpu.Limits) (*solver, *process.Fault, error) {
	p, err := s.deviceWorker(ctx, limits.Memory)
	if err != nil {
		return nil, nil, err
	}
	a := &solver{process: p}
	if fault, err := p.Load(ctx, artifact, limits.Run); fault != nil || err != nil {
		return nil, fault, errors.Join(err, a.close())
	}
	return a, nil, nil
}

func (a *solver) hand(ctx context.Context, lots ...lot) (*process.Fault, error) {
	sets := make([][]device.Buffer, len(lots))
	var state lent
	for i, l := range lots {
		given, err := l.lend(ctx)
		defer given.close()
		if err != nil {
			return nil, err
		}
		if l.state != nil {
			state = given.state
		}
		for _, part := range []lent{given.inputs, state, given.outputs} {
			for _, b := range part.buffers {
				sets[i] = append(sets[i], device.Buffer(b))
			}
		}
	}
	return a.process.Map(ctx, sets...)
}

// poison is what device memory that solve allocates holds at first: another byte for
// each trial, so that a kernel that reads what it never wrote is not steady.
func poison(trial int) *byte { return &[]byte{0xFF, 0x3C, 0x41}[trial%3] }

func (a *solver) call(ctx context.Context, c call) (called, *process.Fault, error) {
	request := device.Call{Repeat: c.repeat, Limit: c.limit}
	if c.repeat == 0 {
		request.Poison = poison(c.trial)
	}
	if c.looked {
		request.Flags = device.FlagKernels | device.FlagPlace
	}
	result, fault, err := a.process.Call(ctx, request)
	return called{kernels: result.Kernels}, fault, err
}

func (a *solver) time(ctx context.Context, t timing) (device.TimeResult, *process.Fault, error) {
	began := time.Now()
	result, fault, err := a.process.Time(ctx, device.Timing{Method: device.Cold, Samples: t.samples, Warmup: 1, L2: t.l2, Limit: t.limit})
	result.Wall = time.Since(began)
	return result, fault, err
}

// capacity is bounded by what one message carries.
func (a *solver) capacity(tensors int) int { return max(1, device.MaxBuffers/tensors) }

func (a *solver) close() error { return a.process.Close() }
