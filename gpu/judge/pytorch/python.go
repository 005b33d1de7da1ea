package pytorch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch/candidate"
	"example.com/hone/gpu/torch/inline"
	"example.com/hone/gpu/torch/syntax"
	"example.com/hone/tasks/rules"
)

// answerFile is what an answer in Python is called in messages.
const answerFile = "answer.py"

// python is the form of answers in the torch dialect.
type python struct {
	*evaluation
	set      rules.Set
	programs bool // the answer may start some
	built    []inline.Built
}

func (f *python) first() []run   { return f.runs(0) }
func (f *python) runs(int) []run { return []run{{answer: f.own}} }

// rules judges the answer's syntax tree.
func (f *python) rules(ctx context.Context) (string, error) {
	var err error
	if f.set, err = f.owner.find(f.req.Rules); err != nil {
		return "", err
	}
	f.environment["rules"] = f.set.Name
	if f.report.Rules(f.req.Kernel); f.report.Decided() {
		return "", nil
	}
	answer, bad, err := syntax.Read(ctx, f.shop.torch.Python, f.shop.folder, f.req.Kernel)
	if err != nil {
		return "", err
	}
	if bad != nil {
		f.notPython(*bad)
		return "", nil
	}
	f.programs = f.shop.gpu != nil && answer.Facts.Imported("triton")
	f.violates(f.set.Check(answer))
	return f.set.Name, nil
}

// ruleSet is a set by its name, the first one where none is named.
func ruleSet(name string) (rules.Set, error) {
	if name == "" {
		return rules.Sets()[0], nil
	}
	return rules.Find(name)
}

func (f *python) violates(found []rules.Violation) {
	if len(found) == 0 {
		return
	}
	list := make([]report.Violation, len(found))
	for i, v := range found {
		list[i] = report.Violation(v)
	}
	f.report.Violates(f.set.Name, list)
}

func (f *python) notPython(bad syntax.SyntaxError) {
	f.diagnose(gpu.Diagnostic{Tool: "python", Line: bad.Line, Column: bad.Column, Message: bad.Message})
	f.report.NotCompiled()
}

func (f *python) notBuilt(fault process.Fault) {
	f.diagnose(gpu.Diagnostic{Tool: "hone", Line: fault.Line, Message: fault.Message})
}

// diagnose adds an error in the answer's file.
func (f *python) diagnose(d gpu.Diagnostic) {
	v := &f.report.Verdict
	d.File, d.Severity = answerFile, report.Error
	v.Diagnostics = append(v.Diagnostics, d)
}

// compile executes the answer's file, which has its load_inline built on the way.
func (f *python) compile(ctx context.Context) (string, error) {
	f.report.Step("running the file, building what it passes to load_inline")
	var err error
	if f.reference, err = f.owner.references.Wait(ctx); err != nil {
		return "", err
	}
	a, err := f.shop.pythonAnswer(ctx, f.req.Kernel)
	if err != nil {
		return "", err
	}
	f.start(a)
	f.report.Verdict.Sandbox = a.process.Layers()
	loaded, fault, err := a.load(ctx, f.reference, f.programs, f.build, f.req.Limits.Run)
	if err != nil || fault != nil || f.report.Decided() {
		f.notLoaded(fault)
		return "", err
	}
	for _, name := range loaded.Unmatched {
		f.report.Find(gpu.Finding{Kind: "own_weights", Severity: report.Warning, Evidence: fmt.Sprintf(
			"ModelNew has no parameter %s of the reference's shape: it keeps what it drew itself", name)})
	}
	if loaded.FailedBuilds > 0 {
		f.report.Find(gpu.Finding{Kind: "failed_build", Severity: report.Warning, Evidence: fmt.Sprintf(
			"%d of the builds that the file asked for failed, and it went on without them", loaded.FailedBuilds)})
	}
	return f.how(), nil
}

// build compiles what the answer passed to load_inline. Rules of C++ are judged on
// that text too: it may be another than the one that can be read in the file.
func (f *python) build(ctx context.Context, r inline.Request) (inline.Built, error) {
	if found := f.set.CheckSources(sources(r)); len(found) > 0 && !f.report.Decided() {
		f.violates(found)
		return inline.Built{}, nil
	}
	f.report.Step("building " + r.Name)
	built, err := f.shop.build(ctx, r, f.req.Limits.Compile)
	if err == nil {
		f.built = append(f.built, built)
		v := &f.report.Verdict
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

// resources are none on a CPU: torch's own emulation of launches tells of no kernels.
func (f *python) resources(kernels []gpu.Resources) []gpu.Resources {
	if f.shop.gpu == nil {
		return nil
	}
	for _, b := range f.built {
		compile.AddSpills(kernels, b.Resources)
	}
	return kernels
}

func (f *python) how() string {
	var parts []string
	for _, b := range f.built {
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
func (f *python) notLoaded(fault *process.Fault) {
	if fault == nil || f.report.Decided() {
		return
	}
	if fault.Kind != candidate.FaultBuild {
		f.failed(*fault)
		return
	}
	told := func(b inline.Built) bool { return !b.OK() && len(b.Unsupported) == 0 }
	if !slices.ContainsFunc(f.built, told) {
		f.notBuilt(*fault) // load_inline refused what it was given before a compiler saw it
	}
	f.report.NotCompiled()
}

// another starts an answer whose builds are the compiler's alone to judge: it has been
// judged before.
func (f *python) another(ctx context.Context, text string) (answer, string, error) {
	a, err := f.shop.pythonAnswer(ctx, text)
	if err != nil {
		return nil, "", err
	}
	_, fault, err := a.load(ctx, f.reference, f.shop.gpu != nil, f.shop.quietly(f.req.Limits.Compile), f.req.Limits.Run)
	if fault != nil || err != nil {
		return nil, saying(fault), errors.Join(err, a.close())
	}
	return a, "", nil
}

// pythonAnswer is a file and the process that runs it.
type pythonAnswer struct {
	path    string
	process *candidate.Process
	onGPU   bool
}

// pythonAnswer writes a text and takes a process for it. The caller closes it.
func (s *workshop) pythonAnswer(ctx context.Context, text string) (*pythonAnswer, error) {
	path, err := s.file(answerFile, text)
	if err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	a := &pythonAnswer{path: path, onGPU: s.gpu != nil}
	if a.process, err = s.spares.Take(ctx); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

func (a *pythonAnswer) load(ctx context.Context, r *reference, programs bool, build candidate.Build, limit time.Duration) (
	candidate.Loaded, *process.Fault, error) {
	return a.process.Load(ctx, candidate.Load{
		Answer: a.path, Reference: r.path, Description: r.about, Programs: programs,
	}, build, limit)
}

func (a *pythonAnswer) hand(ctx context.Context, lots ...lot) (*process.Fault, error) {
	sets := make([]candidate.Set, len(lots))
	for i, l := range lots {
		given, err := l.lend(ctx)
		defer given.close()
		if err != nil {
			return nil, err
		}
		sets[i] = candidate.Set{Inputs: given.inputs.buffers, State: given.state.buffers, Outputs: given.outputs.buffers}
	}
	return a.process.Map(ctx, sets...)
}

func (a *pythonAnswer) call(ctx context.Context, c call) (called, *process.Fault, error) {
	result, fault, err := a.process.Call(ctx, candidate.Call{Repeat: c.repeat, Limit: c.limit, Kernels: c.looked && a.onGPU})
	return called{kernels: result.Kernels}, fault, err
}

func (a *pythonAnswer) time(ctx context.Context, t timing) (device.TimeResult, *process.Fault, error) {
	began := time.Now()
	result, fault, err := a.process.Time(ctx, candidate.Timing{Method: device.Cold, Samples: t.samples, Warmup: 1, L2: t.l2, Limit: t.limit})
	result.Wall = time.Since(began)
	return result, fault, err
}

// capacity has no bound of its own: each set travels in a message of its own.
func (a *pythonAnswer) capacity(int) int { return mostSets + 1 }

// close ends the process and removes the file.
func (a *pythonAnswer) close() error {
	err := os.RemoveAll(filepath.Dir(a.path))
	if a.process != nil {
		err = errors.Join(err, a.process.Close())
	}
	return err
}

// quietly builds for an answer that has been judged before: no event and no verdict
// tells of it.
func (s *workshop) quietly(limit time.Duration) candidate.Build {
	return func(ctx context.Context, r inline.Request) (inline.Built, error) { return s.build(ctx, r, limit) }
}

// build makes a module of what an answer passed to load_inline.
func (s *workshop) build(ctx context.Context, r inline.Request, limit time.Duration) (inline.Built, error) {
	if s.builder == nil {
		return inline.Built{}, s.why
	}
	return s.builder.Build(ctx, r, limit)
}
