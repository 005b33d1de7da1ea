package emulated

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/worker"
	"example.com/hone/tasks"
)

// emulatedSize is the size that a CPU emulates.
const emulatedSize = "small"

// evaluation is one kernel on its way through the stages. The first stage that
// sets the verdict's outcome ends it.
type evaluation struct {
	shop   *workshop
	dealer *dealer
	budget time.Duration
	req    gpu.Request
	size   tasks.SizeSet
	report *report.Report

	artifact compile.Artifact
	deck     *deck
	plain    *program // the build that is timed
	checked  *program // the build in which every access is watched; nil after it took too long
	best     *program // the best kernel so far, while it is timed
	first    attempts // of the first trial
	tally    check.Tally
	failure  *report.Mismatch // of the first trial that failed, nil while none has
}

// attempts are runs of the same trial: by the plain build and by the checked one.
type attempts struct {
	plain   attempt
	checked *attempt
}

// Evaluate judges one kernel. An error means that it could not.
func (j *Evaluator) Evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
	req.Limits = req.Limits.WithDefaults()
	size, err := req.Task.Size(emulatedSize)
	if err != nil {
		return gpu.Verdict{}, err
	}
	e := &evaluation{shop: j.shop, dealer: j.dealer, budget: j.budget, req: req, size: size, report: report.New(req, observe)}
	verdict, err := e.run(ctx)
	switch {
	case err == nil:
		err = j.dealer.prepare(req.Task, size, req.Limits.Trials)
	case !e.report.Withdrawn(ctx):
		// Nothing that took part is trusted to be in order.
		err = errors.Join(err, j.dealer.drop())
	}
	if ctx.Err() != nil {
		return gpu.Verdict{}, ctx.Err()
	}
	return verdict, err
}

func (e *evaluation) run(ctx context.Context) (verdict gpu.Verdict, err error) {
	defer func() { err = errors.Join(err, e.close()) }()
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

// close ends the candidate's processes.
func (e *evaluation) close() error {
	return errors.Join(e.plain.close(), e.checked.close(), e.best.close())
}

func (e *evaluation) rules(context.Context) (string, error) {
	e.report.Rules(e.req.Kernel)
	return "", nil
}

// compile builds the candidate while the dealer prepares what it is judged by.
func (e *evaluation) compile(ctx context.Context) (string, error) {
	if err := e.dealer.prepare(e.req.Task, e.size, e.req.Limits.Trials); err != nil {
		return "", err
	}
	if found := compile.Parse("kernel.cu", e.req.Kernel).Unsupported; len(found) > 0 {
		e.report.Unsupported(fmt.Sprintf("%s at line %d", found[0].Name, found[0].Line), found[0].Line)
		return "", nil
	}
	e.report.Step("g++ for the CPU emulation")
	var err error
	if e.artifact, err = e.build(ctx, e.req.Kernel); err != nil {
		return "", err
	}
	e.report.Verdict.Diagnostics = append(e.report.Verdict.Diagnostics, e.artifact.Diagnostics...)
	if !e.artifact.OK() {
		e.report.NotCompiled()
		return "", nil
	}
	detail := "g++ for the CPU emulation"
	if e.artifact.Cached {
		detail += ", cached"
	}
	return detail, nil
}

func (e *evaluation) build(ctx context.Context, text string) (compile.Artifact, error) {
	return e.shop.compiler.Build(ctx, compile.Source{
		Name: "kernel.cu", Text: text, Unit: compile.SolveUnit(e.req.Task.Signature), Limit: e.req.Limits.Compile,
	})
}

// firstRun finds out whether the kernel runs at all, on the first trial: the
// plain build for the time limit, which means its speed, the checked one to see
// what goes wrong where.
func (e *evaluation) firstRun(ctx context.Context) (string, error) {
	var err error
	if e.deck, err = e.dealer.take(ctx); err != nil {
		return "", err
	}
	t := e.deck.trials[0]
	e.report.Seed(t.seed)
	fault, err := e.load(ctx)
	if err != nil {
		return "", err
	}
	if fault != nil {
		e.report.Failed(*fault)
		return "", nil
	}
	if e.first.plain, err = e.attempt(ctx, e.plain, t, worker.ScheduleForward, fillerNaN); err != nil {
		return "", err
	}
	if f := e.first.plain.fault; f != nil && f.Kind == worker.FaultTimeout {
		e.report.Failed(*f)
		return "", nil
	}
	checked, err := e.watch(ctx, t, worker.ScheduleForward, fillerFinite)
	if err != nil {
		return "", err
	}
	e.first.checked = checked
	// The checked build knows more of the same fault.
	if checked == nil || !e.failed(*checked) {
		e.failed(e.first.plain)
	}
	return report.Launches(e.first.plain.result.Kernels), nil
}

// load starts the candidate's two programs.
func (e *evaluation) load(ctx context.Context) (*worker.Fault, error) {
	for _, build := range []struct {
		program **program
		object  string
		flags   int
	}{
		{&e.checked, e.artifact.Checked, worker.FlagChecked | worker.FlagKernels},
		{&e.plain, e.artifact.Plain, worker.FlagKernels},
	} {
		p, fault, err := e.start(ctx, build.object, build.flags)
		if fault != nil || err != nil {
			return fault, err
		}
		*build.program = p
	}
	e.report.Verdict.Sandbox = e.plain.process.Layers()
	return nil, nil
}

func (e *evaluation) start(ctx context.Context, object string, flags int) (*program, *worker.Fault, error) {
	process, err := e.shop.process(ctx, e.req.Limits.Memory)
	if err != nil {
		return nil, nil, err
	}
	return start(ctx, process, object, e.req.Task.Signature, flags, e.req.Limits.Run)
}

// watch runs a trial in the checked build. The result is nil when that build
// takes too long, which says nothing of the kernel: the plain one is judged.
func (e *evaluation) watch(ctx context.Context, t trial, schedule int, filler byte) (*attempt, error) {
	if e.checked == nil {
		return nil, nil
	}
	a, err := e.attempt(ctx, e.checked, t, schedule, filler)
	if err != nil {
		return nil, err
	}
	if a.fault != nil && a.fault.Kind == worker.FaultTimeout {
		e.checked = nil
		e.report.Find(gpu.Finding{Kind: "unchecked", Severity: report.Warning, Evidence: fmt.Sprintf(
			"with every memory access watched, the kernel did not end within %s: races and the like were not looked for", e.req.Limits.Run)})
		return nil, nil
	}
	return &a, nil
}

// attempt runs a trial and keeps what the run found.
func (e *evaluation) attempt(ctx context.Context, p *program, t trial, schedule int, filler byte) (attempt, error) {
	a, err := p.attempt(ctx, t.size, t.inputs, schedule, filler, t.seed)
	for _, f := range a.result.Findings {
		e.report.Find(f)
	}
	if len(a.result.Kernels) > 0 {
		e.report.Verdict.Resources = a.result.Kernels
	}
	return a, err
}
