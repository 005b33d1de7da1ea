package inline

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/emulate"
	"example.com/hone/gpu/torch"
)

// Config is what modules are built with.
type Config struct {
	Installation torch.Installation
	Compiler     *compile.Compiler
	Emulation    emulate.Toolchain // that Compiler was made for
	Cache        string            // folder for the binder, the headers and the emulation's library
	GPU          *GPU              // nil emulates
}

// GPU is what modules are built for where it is not emulated.
type GPU struct {
	Target   compile.DeviceTarget
	NVRTC    compile.DeviceCompiler // nil leaves all to torch's own builder
	CUDAHome string                 // the toolkit's folder, for that one; empty lets torch look
}

// arch is the device's architecture, empty on a CPU.
func (b *Builder) arch() string {
	if b.config.GPU == nil {
		return ""
	}
	return b.config.GPU.Target.Arch
}

// Builder builds modules. It may be used by several goroutines.
type Builder struct {
	config   Config
	hash     string // of our own sources
	standard string // of C++, as an option

	preparing sync.Mutex // one precompiled header at a time
}

// ErrNoHeaders means that torch came without its C++ headers.
var ErrNoHeaders = errors.New("torch has no C++ headers here")

// New makes a builder. It builds nothing yet, see [Builder.Warm].
func New(_ context.Context, config Config) (*Builder, error) {
	found := false
	for _, folder := range config.Installation.Includes {
		found = found || exists(filepath.Join(folder, "ATen", "core", "Tensor.h"))
	}
	if !found {
		return nil, fmt.Errorf("%w: install torch from PyPI, or your distribution's libtorch-dev", ErrNoHeaders)
	}
	hash, err := sourcesHash()
	if err != nil {
		return nil, err
	}
	return &Builder{config: config, hash: hash, standard: standardOf(config.Installation.Folder)}, nil
}

// Warm makes what every build needs and is made once per machine: the binder, the
// emulation's library and the small precompiled header. It takes about a minute the
// first time, milliseconds later.
func (b *Builder) Warm(ctx context.Context) error {
	errs := make([]error, 3)
	var group sync.WaitGroup
	group.Go(func() { _, errs[0] = b.Binder(ctx) })
	group.Go(func() { _, errs[1] = b.headers(ctx, tensors) })
	group.Go(func() { _, errs[2] = b.library(ctx) })
	group.Wait()
	return errors.Join(errs...)
}

// Build builds what one load_inline asks for. Sources that do not compile, or that
// load_inline would refuse, are a Built that is not OK; an error means that the
// compiler could not be asked. A limit of 0 takes the default of one compiler run;
// what is made once per machine counts in no limit.
func (b *Builder) Build(ctx context.Context, r Request, limit time.Duration) (Built, error) {
	start := time.Now()
	built, err := b.build(ctx, r, limit)
	built.Elapsed = time.Since(start)
	return built, err
}

func (b *Builder) build(ctx context.Context, r Request, limit time.Duration) (Built, error) {
	if b.config.GPU != nil {
		return b.buildForGPU(ctx, r, limit)
	}
	names, rest, complete := r.names()
	r.CPP = rest
	w := r.whole()
	file := compile.Parse(r.Name, w.text)
	built := Built{Kind: KindHone, Kernels: file.Kernels, How: "g++ (emulation)"}
	if found := compile.ModuleUnsupported(file); len(found) > 0 {
		built.Unsupported = w.locateAll(found)
		return built, nil
	}
	e := export(r, w, names)
	switch {
	case !complete:
		built.Unsupported = []compile.Construct{{Name: "a PYBIND11_MODULE that does more than bind functions by name"}}
	case len(e.problems) > 0:
		built.Diagnostics = w.locate(e.problems)
	case e.foreign != "":
		built.Unsupported = []compile.Construct{{Name: e.foreign + ", which the emulation's binder does not pass"}}
	default:
		return b.emulated(ctx, r, w, e, built, limit)
	}
	return built, nil
}

// names lists what Python calls: the request's functions, or what a PYBIND11_MODULE
// of a C++ source binds, whose place is blank in the sources returned.
func (r Request) names() (list []bound, cpp []string, complete bool) {
	for _, name := range r.Functions {
		list = append(list, bound{name, name})
	}
	complete = true
	for _, text := range r.CPP {
		bindings, rest, whole := compile.Bindings(text)
		complete = complete && whole
		cpp = append(cpp, rest)
		for _, x := range bindings {
			list = append(list, bound{x.Name, x.Function})
		}
	}
	return list, cpp, complete
}

// emulated compiles the whole text for the CPU.
func (b *Builder) emulated(ctx context.Context, r Request, w wholeText, e exports, built Built, limit time.Duration) (
	Built, error) {
	var a compile.ModuleArtifact
	binder, err := b.withTorch(ctx, r, w, e, limit, func(m compile.Module) ([]gpu.Diagnostic, error) {
		var err error
		a, err = b.config.Compiler.BuildModule(ctx, m)
		return a.Diagnostics, err
	})
	if err != nil {
		return built, err
	}
	built.Binder, built.Module, built.Log, built.Cached = binder, a.Path, a.Log, a.Cached
	built.Diagnostics, built.Functions = w.locate(a.Diagnostics), e.functions
	if a.Cached {
		built.How += ", cached"
	}
	return built, nil
}

// withTorch compiles the whole text with as little of torch as it takes, and returns
// the binder.
func (b *Builder) withTorch(ctx context.Context, r Request, w wholeText, e exports, limit time.Duration,
	try func(compile.Module) ([]gpu.Diagnostic, error)) (binder string, err error) {
	library, err := b.library(ctx)
	if err != nil {
		return "", err
	}
	if binder, err = b.Binder(ctx); err != nil {
		return "", err
	}
	ops, s := b.operatorsOf(w.text)
	for ; ; s++ {
		folder, err := b.headers(ctx, s)
		if err != nil {
			return "", err
		}
		m := compile.Module{
			Name: r.Name, Text: w.text, Head: unitHead(s, ops), Tail: e.glue, Limit: limit, Defines: macros(r),
			Arguments: append([]string{"-I", folder, "-I", filepath.Join(folder, shimFolder)}, b.headerArguments(s)...),
			Libraries: append(b.torchLibraries("torch_cpu", "c10"), library, "-Wl,-rpath,"+filepath.Dir(library)),
		}
		list, err := try(m)
		if err != nil || s == everything || !lacksTorch(list) {
			return binder, err
		}
	}
}

// unitHead includes torch, and the operators that a text names.
func unitHead(s size, ops []string) string {
	lines := []string{`#include "` + torchHeader + `"`}
	if s == tensors {
		for _, op := range ops {
			lines = append(lines, "#include <ATen/ops/"+op+".h>")
		}
	}
	return strings.Join(lines, "\n")
}

// operatorsOf lists the operators that a text calls by name, and the least size that
// has what it names.
func (b *Builder) operatorsOf(text string) ([]string, size) {
	var ops []string
	seen := map[string]bool{}
	least := tensors
	for _, n := range compile.QualifiedNames(text) {
		if n.Qualifier != "torch" && n.Qualifier != "at" || seen[n.Name] {
			continue
		}
		seen[n.Name] = true
		switch {
		case wholeNamespace(n.Name):
			least = everything
		case n.Name == "tensor" || n.Name == "indexing":
			least = max(least, operators)
		case b.hasOperator(n.Name):
			ops = append(ops, n.Name)
		}
	}
	return ops, least
}

func (b *Builder) hasOperator(name string) bool {
	for _, folder := range b.config.Installation.Includes {
		if exists(filepath.Join(folder, "ATen", "ops", name+".h")) {
			return true
		}
	}
	return false
}

// wholeNamespace lists the parts of torch's C++ API that are more than operators.
func wholeNamespace(name string) bool {
	switch name {
	case "nn", "jit", "autograd", "optim", "data", "fft", "linalg", "special", "nested", "sparse":
		return true
	}
	return false
}

// lacksTorch reports whether a text failed for a name of torch's that more headers
// may have.
func lacksTorch(list []gpu.Diagnostic) bool {
	absent := regexp.MustCompile(`is not a member of '(torch|at|c10)'|no match for 'operator|incomplete type '[^']*(torch|at|c10)::`)
	for _, d := range list {
		if d.Severity == "error" && absent.MatchString(d.Message) {
			return true
		}
	}
	return false
}

// macros are the definitions among an answer's flags. The rest chooses how a GPU's
// code is optimised, or reads files of this machine.
func macros(r Request) []string {
	var kept []string
	flags := append(append([]string(nil), r.CFlags...), r.CUDAFlags...)
	for i, flag := range flags {
		name, ok := strings.CutPrefix(flag, "-D")
		if ok && name == "" && i+1 < len(flags) {
			name = flags[i+1]
		}
		if ok && name != "" && !strings.HasPrefix(name, "-") {
			kept = append(kept, name)
		}
	}
	return kept
}
