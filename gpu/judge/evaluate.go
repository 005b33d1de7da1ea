package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/worker"
	"example.com/hone/tasks"
)

// The size that a CPU emulates, and the bound of an answer's text.
const (
	emulatedSize = "small"
	maxKernel    = 1 << 20
)

// evaluation is one kernel on its way through the stages. The first stage that
// sets the verdict's outcome ends it.
type evaluation struct {
	shop     *workshop
	dealer   *dealer
	budget   time.Duration
	req      gpu.Request
	size     tasks.SizeSet
	progress progress
	verdict  gpu.Verdict

	artifact compile.Artifact
	deck     *deck
	plain    *program // the build that is timed
	checked  *program // the build in which every access is watched; nil after it took too long
	best     *program // the best kernel so far, while it is timed
	first    attempts // of the first trial
	tally    tally
	seeds    []string
}

// attempts are runs of the same trial: by the plain build and by the checked one.
type attempts struct {
	plain   attempt
	checked *attempt
}

// evaluate judges one kernel. An error means that it could not.
func (j *judge) evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
	shop, err := j.open(ctx)
	if err != nil {
		return gpu.Verdict{}, err
	}
	req.Limits = withDefaults(req.Limits)
	size, err := req.Task.Size(emulatedSize)
	if err != nil {
		return gpu.Verdict{}, err
	}
	e := &evaluation{shop: shop, dealer: j.dealer, budget: j.budget, req: req, size: size, progress: progress{observe: observe}}
	e.verdict = newVerdict(req)
	verdict, err := e.run(ctx)
	if err == nil {
		err = j.dealer.prepare(req.Task, size, req.Limits.Trials)
	} else {
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
	stages := map[gpu.Stage]func(context.Context) (string, error){
		gpu.StageRules:   e.rules,
		gpu.StageCompile: e.compile,
		gpu.StageRun:     e.firstRun,
		gpu.StageCheck:   e.check,
		gpu.StageTime:    e.time,
	}
	for _, stage := range gpu.Stages() {
		e.progress.begin(stage)
		detail, err := stages[stage](ctx)
		if err != nil {
			return gpu.Verdict{}, fmt.Errorf("%s: %w", stage, err)
		}
		if e.verdict.Outcome != "" {
			e.progress.end(gpu.StatusFailed, e.verdict.Summary)
			break
		}
		e.progress.end(gpu.StatusOK, detail)
	}
	if e.verdict.Outcome == "" {
		e.succeed()
	}
	return e.finish(), nil
}

// close ends the candidate's processes.
func (e *evaluation) close() error {
	return errors.Join(e.plain.close(), e.checked.close(), e.best.close())
}

// rules refuses what needs no compiler to be refused.
func (e *evaluation) rules(context.Context) (string, error) {
	text := e.req.Kernel
	switch {
	case strings.TrimSpace(text) == "":
		e.reject(gpu.OutcomeParse, "there is no kernel text")
	case len(text) > maxKernel:
		e.reject(gpu.OutcomeRule, fmt.Sprintf("the kernel's text has %d bytes, more than the %d allowed", len(text), maxKernel))
	case !utf8.ValidString(text):
		e.reject(gpu.OutcomeParse, "the kernel's text is not valid UTF-8")
	}
	return "", nil
}

// compile builds the candidate while the dealer prepares what it is judged by.
func (e *evaluation) compile(ctx context.Context) (string, error) {
	if err := e.dealer.prepare(e.req.Task, e.size, e.req.Limits.Trials); err != nil {
		return "", err
	}
	if found := compile.Parse("kernel.cu", e.req.Kernel).Unsupported; len(found) > 0 {
		e.unsupported(fmt.Sprintf("%s at line %d", found[0].Name, found[0].Line), found[0].Line)
		return "", nil
	}
	e.progress.step("g++ for the CPU emulation")
	var err error
	if e.artifact, err = e.build(ctx, e.req.Kernel); err != nil {
		return "", err
	}
	e.verdict.Diagnostics = append(e.verdict.Diagnostics, e.artifact.Diagnostics...)
	if !e.artifact.OK() {
		e.failCompile()
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
	e.note(t)
	fault, err := e.load(ctx)
	if err != nil {
		return "", err
	}
	if fault != nil {
		e.failRun(*fault)
		return "", nil
	}
	if e.first.plain, err = e.attempt(ctx, e.plain, t, worker.ScheduleForward, fillerNaN); err != nil {
		return "", err
	}
	if f := e.first.plain.fault; f != nil && f.Kind == worker.FaultTimeout {
		e.failRun(*f)
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
	return launches(e.first.plain.result.Kernels), nil
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
	e.verdict.Sandbox = e.plain.process.Layers()
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
		e.find(gpu.Finding{Kind: "unchecked", Severity: severityWarning, Evidence: fmt.Sprintf(
			"with every memory access watched, the kernel did not end within %s: races and the like were not looked for", e.req.Limits.Run)})
		return nil, nil
	}
	return &a, nil
}

// attempt runs a trial and keeps what the run found.
func (e *evaluation) attempt(ctx context.Context, p *program, t trial, schedule int, filler byte) (attempt, error) {
	a, err := p.attempt(ctx, t.size, t.inputs, schedule, filler, t.seed)
	for _, f := range a.result.Findings {
		e.find(f)
	}
	if len(a.result.Kernels) > 0 {
		e.verdict.Resources = a.result.Kernels
	}
	return a, err
}

// note remembers a trial's seed, which the verdict tells once all is over.
func (e *evaluation) note(t trial) {
	e.seeds = append(e.seeds, fmt.Sprintf("%016x", t.seed))
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func withDefaults(l gpu.Limits) gpu.Limits {
	d := gpu.DefaultLimits()
	if l.Compile <= 0 {
		l.Compile = d.Compile
	}
	if l.Run <= 0 {
		l.Run = d.Run
	}
	if l.Memory <= 0 {
		l.Memory = d.Memory
	}
	if l.Trials <= 0 {
		l.Trials = d.Trials
	}
	return l
}
