package ondevice

import (
	"context"
	"errors"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/roofline"
	"example.com/hone/tasks"
)

// fullSize is the size that a GPU runs.
const fullSize = "full"

// evaluation is one kernel on its way through the stages. The first stage that
// draws a conclusion ends it.
type evaluation struct {
	owner  *Evaluator
	shop   *workshop
	budget time.Duration
	req    gpu.Request
	size   tasks.SizeSet
	report *report.Report

	built  platform.Built
	oracle *oracle
	kernel *program // the candidate
	best   *program // the best kernel so far, while it is timed
	trials []trial
	tally  check.Tally
	peaks  roofline.Peaks // known before anything is timed, or noPeaks says why not

	noPeaks error
}

func newEvaluation(v *Evaluator, req gpu.Request, size tasks.SizeSet, observe func(gpu.Event)) *evaluation {
	return &evaluation{
		owner: v, shop: v.shop, budget: v.budget, req: req, size: size, report: report.New(req, observe),
		trials: trials(size, req.Limits.Trials),
	}
}

func (e *evaluation) run(ctx context.Context) (gpu.Verdict, error) {
	return e.report.Judge(ctx, map[gpu.Stage]report.Stage{
		gpu.StageRules:   e.rules,
		gpu.StageCompile: e.compile,
		gpu.StageRun:     e.firstRun,
		gpu.StageCheck:   e.check,
		gpu.StageTime:    e.time,
	}, e.environment)
}

func (e *evaluation) environment() map[string]string {
	environment := e.shop.environment()
	environment["size"] = report.Size(e.size, e.req.Task.Signature.Dims)
	return environment
}

// close ends the candidate's processes, gives back what the measurement held, and
// sees that the device still works.
func (e *evaluation) close(ctx context.Context) error {
	err := errors.Join(e.kernel.close(), e.best.close(), e.shop.gpu.Probe(ctx))
	if err == nil && e.oracle != nil {
		err = e.oracle.home(ctx)
	}
	return err
}

func (e *evaluation) rules(context.Context) (string, error) {
	e.report.Rules(e.req.Kernel)
	return "", nil
}

// compile builds the candidate while its task's references are built and started.
func (e *evaluation) compile(ctx context.Context) (string, error) {
	var err error
	if e.built, err = e.shop.candidate(ctx, e.req, e.req.Kernel, e.report.Step); err != nil {
		return "", err
	}
	v := &e.report.Verdict
	v.Diagnostics = append(v.Diagnostics, e.built.Diagnostics...)
	switch needs := e.built.Needs; {
	case e.built.OK():
		return e.built.How, nil
	case needs != nil:
		e.report.NeedsNVCC(needs.Construct, needs.Line)
	default:
		e.report.NotCompiled()
	}
	return "", nil
}

// firstRun finds out whether the kernel runs at all, on the first trial. Every
// launch is waited for, so that a fault names its kernel.
func (e *evaluation) firstRun(ctx context.Context) (string, error) {
	var err error
	if e.oracle, err = e.owner.oracles.Wait(ctx); err != nil {
		return "", err
	}
	// Without peaks a kernel that fails is judged all the same.
	e.peaks, e.noPeaks = e.shop.gpu.Peaks(ctx, func() { e.report.Step("measuring the peaks of this device, once") })
	t := e.trials[0]
	e.report.Seed(t.seed)
	if err := e.oracle.settle(ctx, t); err != nil {
		return "", err
	}
	if err := e.oracle.timeAlone(ctx); err != nil {
		return "", err
	}
	if err := e.load(ctx); err != nil || e.report.Decided() {
		return "", err
	}
	a, err := e.oracle.attempt(ctx, e.kernel, t, device.Call{Flags: device.FlagKernels | device.FlagPlace, Poison: poison(0)}, fillerNaN)
	if err = errors.Join(err, e.oracle.free(a)); err != nil || e.failed(a) {
		return "", err
	}
	compile.AddSpills(a.result.Kernels, e.built.Kernels)
	e.report.Verdict.Resources = a.result.Kernels
	return report.Launches(e.report.Verdict.Resources), nil
}

// load starts the candidate's process.
func (e *evaluation) load(ctx context.Context) error {
	p, fault, err := e.shop.start(ctx, e.built.DeviceArtifact, e.req.Limits.Memory, e.req.Limits.Run)
	if fault != nil {
		e.report.Failed(*fault)
	}
	if fault != nil || err != nil {
		return err
	}
	e.kernel = p
	e.report.Verdict.Sandbox = p.process.Layers()
	return nil
}

// poison is what device memory that solve allocates holds at first: another byte
// for each trial, so that a kernel that reads what it never wrote is not steady.
func poison(trial int) *byte {
	return &[]byte{0xFF, 0x3C, 0x41}[trial%3]
}
