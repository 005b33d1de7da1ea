package pytorch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
	"example.com/hone/gpu/worker"
)

// kernelFile is what an answer in CUDA C++ is called in messages.
const kernelFile = "kernel.cu"

// onCPU is the form of answers in the cuda dialect that run by emulation, in two
// builds: one that is timed, and one in which every access is watched.
type onCPU struct {
	*evaluation
	plain   *emulated
	checked *emulated
}

func (f *onCPU) compile(ctx context.Context) (string, error) {
	var err error
	if f.reference, err = f.owner.references.Wait(ctx); err != nil {
		return "", err
	}
	if found := compile.Parse(kernelFile, f.req.Kernel).Unsupported; len(found) > 0 {
		f.report.Unsupported(fmt.Sprintf("%s at line %d", found[0].Name, found[0].Line), found[0].Line)
		return "", nil
	}
	detail := "g++ for the CPU emulation"
	f.report.Step(detail)
	artifact, err := f.build(ctx, f.req.Kernel)
	if err != nil {
		return "", err
	}
	f.report.Verdict.Diagnostics = append(f.report.Verdict.Diagnostics, artifact.Diagnostics...)
	if !artifact.OK() {
		f.report.NotCompiled()
		return "", nil
	}
	if artifact.Cached {
		detail += ", cached"
	}
	return detail, f.load(ctx, artifact)
}

func (f *onCPU) build(ctx context.Context, text string) (compile.Artifact, error) {
	signature, err := torch.Signature(f.reference.about)
	if err != nil {
		return compile.Artifact{}, fmt.Errorf("task %s: %w", f.req.Task.ID, err)
	}
	return f.shop.compiler.Build(ctx, compile.Source{
		Name: kernelFile, Text: text, Unit: compile.SolveUnit(signature), Limit: f.req.Limits.Compile,
	})
}

// load starts the two builds.
func (f *onCPU) load(ctx context.Context, artifact compile.Artifact) error {
	for _, b := range []struct {
		into   **emulated
		object string
		flags  int
	}{
		{&f.checked, artifact.Checked, worker.FlagChecked | worker.FlagKernels},
		{&f.plain, artifact.Plain, worker.FlagKernels},
	} {
		a, fault, err := f.shop.emulate(ctx, b.object, b.flags, f.req.Limits)
		if err != nil {
			return err
		}
		if fault != nil {
			f.failed(*fault)
			return nil
		}
		*b.into = a
		f.start(a)
	}
	f.report.Verdict.Sandbox = f.plain.process.Layers()
	return nil
}

func (f *onCPU) another(ctx context.Context, text string) (answer, string, error) {
	artifact, err := f.build(ctx, text)
	if err != nil || !artifact.OK() {
		return nil, "it does not compile: " + report.FirstError(artifact.Diagnostics), err
	}
	a, fault, err := f.shop.emulate(ctx, artifact.Plain, 0, f.req.Limits)
	if fault != nil || err != nil {
		return nil, saying(fault), err
	}
	return a, "", nil
}

// resources are all that is known: an emulation spills nothing.
func (f *onCPU) resources(kernels []gpu.Resources) []gpu.Resources { return kernels }

// first runs the plain build, whose time limit means the answer's speed, and then the
// one that knows more of the same fault.
func (f *onCPU) first() []run {
	return append([]run{f.plainly(worker.ScheduleForward)}, f.watching(worker.ScheduleForward)...)
}

// runs takes other schedules for each trial.
func (f *onCPU) runs(trial int) []run {
	last := f.plainly(trial % 3)
	switch trial {
	case 0:
		return append(f.watching(worker.ScheduleReverse, worker.ScheduleSeeded), last)
	case 1:
		return append(f.watching(worker.ScheduleSeeded), last)
	}
	return []run{last}
}

func (f *onCPU) plainly(schedule int) run {
	return run{answer: f.plain.in(schedule), again: f.plain.in((schedule + 1) % 3)}
}

// watching is runs of the checked build.
func (f *onCPU) watching(schedules ...int) []run {
	list := make([]run, len(schedules))
	for i, s := range schedules {
		list[i] = run{answer: f.checked.in(s), again: f.checked.in((s + 1) % 3), watched: true}
	}
	return list
}

// emulated is a build that is loaded in a worker, to be called in one schedule.
type emulated struct {
	*emulation
	schedule int
}

// emulation is a build in its worker, and what it was lent. Its buffers are of one lot
// at a time.
type emulation struct {
	process *worker.Process
	flags   int
	sets    [][]*worker.Buffer
	mapped  int // number of the set that is, -1 for none
}

// emulate loads a build into a worker.
func (s *workshop) emulate(ctx context.Context, object string, flags int, limits gpu.Limits) (*emulated, *process.Fault, error) {
	p, err := s.worker(ctx, limits.Memory)
	if err != nil {
		return nil, nil, err
	}
	a := &emulated{emulation: &emulation{process: p, flags: flags}}
	if fault, err := p.Load(ctx, object, limits.Run); fault != nil || err != nil {
		return nil, fault, errors.Join(err, a.close())
	}
	return a, nil, nil
}

// in is the same build in another schedule.
func (a *emulated) in(schedule int) *emulated { return &emulated{a.emulation, schedule} }

func (a *emulated) hand(ctx context.Context, lots ...lot) (*process.Fault, error) {
	a.sets, a.mapped = nil, -1
	state := hostTensors{}
	for _, l := range lots {
		if l.state != nil {
			state = l.state.(hostTensors)
		}
		var set []*worker.Buffer
		for _, b := range append(append([]*worker.Buffer{}, l.inputs.(hostTensors).buffers...), state.buffers...) {
			set = append(set, b.ReadOnly())
		}
		a.sets = append(a.sets, append(set, l.outputs.(hostTensors).buffers...))
	}
	return a.use(ctx, 0)
}

// use has the worker map a set, unless it has it mapped.
func (a *emulated) use(ctx context.Context, set int) (*process.Fault, error) {
	if a.mapped == set {
		return nil, nil
	}
	fault, err := a.process.Map(ctx, a.sets[set])
	a.mapped = set
	return fault, err
}

func (a *emulated) call(ctx context.Context, c call) (called, *process.Fault, error) {
	if fault, err := a.use(ctx, 0); fault != nil || err != nil {
		return called{}, fault, err
	}
	result, fault, err := a.process.Call(ctx, worker.Call{
		Flags: a.flags, Schedule: a.schedule, Seed: secret(), Repeat: max(1, c.repeat), Poison: sharedPoison(a.schedule), Limit: c.limit,
	})
	return called{kernels: result.Kernels, findings: result.Findings}, fault, err
}

// sharedPoison differs between schedules, so that a kernel that reads shared memory it
// never wrote computes something else each time.
func sharedPoison(schedule int) byte { return []byte{0xFF, 0x3C, 0x41}[schedule%3] }

func (a *emulated) time(ctx context.Context, t timing) (device.TimeResult, *process.Fault, error) {
	deadline := time.Now().Add(t.limit)
	result := device.TimeResult{Method: device.Cold}
	for i := -1; i < t.samples; i++ {
		set := (i + len(a.sets)) % len(a.sets)
		if fault, err := a.use(ctx, set); fault != nil || err != nil {
			return device.TimeResult{}, fault, err
		}
		began := time.Now()
		called, fault, err := a.process.Call(ctx, worker.Call{
			Schedule: a.schedule, Repeat: 1, Limit: max(time.Millisecond, deadline.Sub(began)),
		})
		if fault != nil || err != nil {
			return device.TimeResult{}, fault, err
		}
		if i >= 0 {
			result.Samples = append(result.Samples, called.Wall)
			result.Wall += time.Since(began)
		}
	}
	return result, nil, nil
}

// capacity has no bound: one set is mapped at a time.
func (a *emulated) capacity(int) int { return mostSets + 1 }

func (a *emulated) close() error { return a.process.Close() }
