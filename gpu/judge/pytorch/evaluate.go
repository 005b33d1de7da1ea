package pytorch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch/candidate"
	"example.com/hone/gpu/torch/inline"
	"example.com/hone/gpu/torch/syntax"
	"example.com/hone/tasks/rules"
)

// evaluation is one answer on its way through the stages. The first stage that
// draws a conclusion ends it.
type evaluation struct {
	owner  *Evaluator
	shop   *workshop
	budget time.Duration
	req    gpu.Request
	report *report.Report

	set       rules.Set
	programs  bool // the answer may start some
	reference *reference
	own       *answer // nil until it runs
	best      *answer // the best one so far, while it is timed
	built     []inline.Built
	course    *course
	trials    []trial
	tally     tally
	seeds     []string
}

func (e *evaluation) run(ctx context.Context) (gpu.Verdict, error) {
	err := e.report.Run(ctx, map[gpu.Stage]report.Stage{
		gpu.StageRules:   e.rules,
		gpu.StageCompile: e.compile,
		gpu.StageRun:     e.firstRun,
		gpu.StageCheck:   e.check,
		gpu.StageTime:    e.time,
	})
	if err != nil {
		return gpu.Verdict{}, err
	}
	if !e.report.Decided() {
		e.report.Correct()
	}
	environment := e.shop.environment()
	environment["rules"] = e.set.Name
	if len(e.seeds) > 0 {
		environment["seeds"] = strings.Join(e.seeds, " ")
	}
	return e.report.Finish(environment), nil
}

// close ends the processes of answers, removes their files, gives back what a
// measurement held, and sees that the device still works.
func (e *evaluation) close(ctx context.Context) error {
	err := errors.Join(e.own.close(), e.best.close(), e.course.close(ctx))
	if e.shop.gpu != nil {
		err = errors.Join(err, e.shop.gpu.Probe(ctx))
	}
	return err
}

// rules judges the answer's syntax tree. Nothing of it is executed.
func (e *evaluation) rules(ctx context.Context) (string, error) {
	var err error
	if e.set, err = e.owner.find(e.req.Rules); err != nil {
		return "", err
	}
	if e.report.Rules(e.req.Kernel); e.report.Decided() {
		return "", nil
	}
	answer, bad, err := syntax.Read(ctx, e.shop.torch.Python, e.shop.folder, e.req.Kernel)
	if err != nil {
		return "", err
	}
	if bad != nil {
		e.notPython(*bad)
		return "", nil
	}
	e.programs = e.shop.gpu != nil && answer.Facts.Imported("triton")
	e.violates(e.set.Check(answer))
	return e.set.Name, nil
}

// ruleSet is a set by its name, the first one where none is named.
func ruleSet(name string) (rules.Set, error) {
	if name == "" {
		return rules.Sets()[0], nil
	}
	return rules.Find(name)
}

func (e *evaluation) violates(found []rules.Violation) {
	if len(found) == 0 {
		return
	}
	list := make([]report.Violation, len(found))
	for i, v := range found {
		list[i] = report.Violation(v)
	}
	e.report.Violates(e.set.Name, list)
}

func (e *evaluation) notPython(bad syntax.SyntaxError) {
	v := &e.report.Verdict
	v.Diagnostics = append(v.Diagnostics, gpu.Diagnostic{
		Tool: "python", File: answerFile, Line: bad.Line, Column: bad.Column, Severity: report.Error, Message: bad.Message,
	})
	e.report.NotCompiled()
}

// compile executes the answer's file, which has its load_inline built on the way.
func (e *evaluation) compile(ctx context.Context) (string, error) {
	e.report.Step("running the file, building what it passes to load_inline")
	var err error
	if e.reference, err = e.owner.reference(ctx); err != nil {
		return "", err
	}
	if e.own, err = e.shop.answer(ctx, e.req.Kernel); err != nil {
		return "", err
	}
	e.report.Verdict.Sandbox = e.own.process.Layers()
	loaded, fault, err := e.own.load(ctx, e.reference, e.programs, e.build, e.req.Limits.Run)
	if err != nil || fault != nil || e.report.Decided() {
		e.notLoaded(fault)
		return "", err
	}
	for _, name := range loaded.Unmatched {
		e.report.Find(gpu.Finding{Kind: "own_weights", Severity: report.Warning, Evidence: fmt.Sprintf(
			"ModelNew has no parameter %s of the reference's shape: it keeps what it drew itself", name)})
	}
	if loaded.FailedBuilds > 0 {
		e.report.Find(gpu.Finding{Kind: "failed_build", Severity: report.Warning, Evidence: fmt.Sprintf(
			"%d of the builds that the file asked for failed, and it went on without them", loaded.FailedBuilds)})
	}
	return e.how(), nil
}

// build compiles what the answer passed to load_inline. Rules of C++ are judged on
// that text too: it may be another than the one that can be read in the file.
func (e *evaluation) build(ctx context.Context, r inline.Request) (inline.Built, error) {
	if found := e.set.CheckSources(sources(r)); len(found) > 0 && !e.report.Decided() {
		e.violates(found)
		return inline.Built{}, nil
	}
	e.report.Step("building " + r.Name)
	built, err := e.shop.build(ctx, r, e.req.Limits.Compile)
	if err == nil {
		e.built = append(e.built, built)
		v := &e.report.Verdict
		v.Diagnostics = append(v.Diagnostics, built.Diagnostics...)
	}
	return built, err
}

// sources are the texts of a build as rules read them.
func sources(r inline.Request) []rules.Source {
	var list []rules.Source
	add := func(texts []string, lines []int) {
		for i, text := range texts {
			first := lines[i]
			list = append(list, syntax.Source(text, func(line int) int {
				if first == 0 {
					return r.Line
				}
				return first + line - 1
			}))
		}
	}
	add(r.CPP, r.CPPLines)
	add(r.CUDA, r.CUDALines)
	return list
}

// resources joins what launches told with what the compiler did.
func (e *evaluation) resources(kernels []gpu.Resources) []gpu.Resources {
	for i := range kernels {
		for _, b := range e.built {
			for _, k := range b.Resources {
				if k.Name == kernels[i].Kernel {
					kernels[i].SpillBytes = k.Spills()
				}
			}
		}
	}
	return kernels
}

func (e *evaluation) how() string {
	var parts []string
	for _, b := range e.built {
		how := b.How
		if b.Cached && !strings.HasSuffix(how, ", cached") {
			how += ", cached"
		}
		parts = append(parts, how)
	}
	if len(parts) == 0 {
		return "nothing was built"
	}
	return strings.Join(parts, "; ")
}

// notLoaded concludes from a fault while the file was executed, unless something else
// has ended the evaluation before.
func (e *evaluation) notLoaded(fault *process.Fault) {
	if fault == nil || e.report.Decided() {
		return
	}
	for _, b := range e.built {
		if fault.Kind == candidate.FaultBuild && !b.OK() && len(b.Unsupported) == 0 {
			e.report.NotCompiled()
			return
		}
	}
	e.failed(*fault)
}

// failed concludes from a fault.
func (e *evaluation) failed(fault process.Fault) {
	if fault.Kind == candidate.FaultUnsupported {
		e.report.Unsupported(fault.Message, fault.Line)
		return
	}
	e.report.Failed(fault)
}
