package cuda

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Compiler is NVRTC, which needs neither a device nor the rest of the toolkit.
// Any goroutine may use it, and several compile at once.
type Compiler struct {
	lib     *library
	version Version
	archs   []int
}

// Program is what to compile.
type Program struct {
	Name        string            // of the file, in messages
	Source      string            // CUDA C++ for the device
	Headers     map[string]string // by the name that #include gives
	Options     []string          // as NVRTC takes them: "--gpu-architecture=sm_90", "-std=c++17", "-pch"
	Expressions []string          // names whose lowered form is wanted: "scale<float>"
}

// Object is what the compiler made of a program. A program that does not compile
// is no error: it has no Cubin, and a Log that says why.
type Object struct {
	Cubin   []byte
	Log     string            // all that the compiler said; may hold warnings
	Lowered map[string]string // by expression
	Headers PCH               // what became of the precompiled headers
}

// OpenCompiler loads NVRTC. The error is an [Unavailable].
func OpenCompiler(o Options) (*Compiler, error) {
	lib, err := load("NVRTC", "nvrtc", o.compilerPaths())
	if err != nil {
		return nil, advise(err, "install the CUDA toolkit and set CUDA_HOME, or: pip install nvidia-cuda-nvrtc")
	}
	preloadBuiltins(lib.path)
	c := &Compiler{lib: lib}
	lib.explain = func(code int) (name, text string) {
		name = lib.text("nvrtcGetErrorString", code)
		return name, "the compiler failed"
	}
	var major, minor int32
	if err := lib.call("nvrtcVersion", &major, &minor); err != nil {
		return nil, err
	}
	c.version = Version{int(major), int(minor)}
	c.archs, err = c.readArchitectures()
	return c, err
}

// preloadBuiltins loads the library that NVRTC asks the loader for by name alone
// once it compiles: it is beside NVRTC, where the loader may not look.
func preloadBuiltins(path string) {
	beside, err := filepath.Glob(filepath.Join(filepath.Dir(path), "libnvrtc-builtins.so.*"))
	if err != nil {
		return
	}
	for _, builtins := range beside {
		_, _ = openLibrary(builtins) // NVRTC says it where this was needed
	}
}

func (c *Compiler) readArchitectures() ([]int, error) {
	var n int32
	if err := c.lib.call("nvrtcGetNumSupportedArchs", &n); err != nil {
		return nil, err
	}
	if n <= 0 || n > 1000 {
		return nil, fmt.Errorf("NVRTC claims to know %d architectures", n)
	}
	found := make([]int32, n)
	if err := c.lib.call("nvrtcGetSupportedArchs", &found[0]); err != nil {
		return nil, err
	}
	archs := make([]int, n)
	for i, a := range found {
		archs[i] = int(a)
	}
	return archs, nil
}

// Version is that of NVRTC.
func (c *Compiler) Version() Version { return c.version }

// Path is the file that NVRTC was loaded from.
func (c *Compiler) Path() string { return c.lib.path }

// Architectures are the compute capabilities that it compiles for, ten times the
// major plus the minor version, in ascending order.
func (c *Compiler) Architectures() []int { return slices.Clone(c.archs) }

// Compile compiles a program to a cubin, for which its options must name a real
// architecture ("sm_90"). It cannot be cancelled.
func (c *Compiler) Compile(p Program) (Object, error) {
	const compilation = 6                   // NVRTC_ERROR_COMPILATION
	if strings.Contains(p.Source, "\x00") { // NVRTC would compile what is before it
		return Object{Log: p.Name + "(1): error: the source contains a NUL byte"}, nil
	}
	prog, err := c.create(p)
	if err != nil {
		return Object{}, fmt.Errorf("compile %s: %w", p.Name, err)
	}
	defer func() { _ = c.lib.call("nvrtcDestroyProgram", &prog) }()
	verdict := c.build(prog, p.Options)
	o := Object{Headers: c.pch(prog)}
	if o.Log, err = c.log(prog); err != nil {
		return Object{}, fmt.Errorf("compile %s: %w", p.Name, errors.Join(verdict, err))
	}
	switch {
	case codeOf(verdict) == compilation:
		return o, nil
	case verdict != nil:
		return o, fmt.Errorf("compile %s: %w: %s", p.Name, verdict, o.Log)
	}
	if err := c.results(prog, p.Expressions, &o); err != nil {
		return o, fmt.Errorf("compile %s: %w", p.Name, err)
	}
	return o, nil
}

// program is NVRTC's handle.
type program uintptr

func (c *Compiler) create(p Program) (program, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	names := slices.Sorted(maps.Keys(p.Headers))
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = p.Headers[name]
	}
	var prog program
	err := c.lib.call("nvrtcCreateProgram", &prog, cText(p.Source), cText(p.Name),
		len(names), cTexts(&pins, texts), cTexts(&pins, names))
	if err != nil {
		return 0, err
	}
	for _, e := range p.Expressions {
		if err := c.lib.call("nvrtcAddNameExpression", prog, cText(e)); err != nil {
			return 0, errors.Join(fmt.Errorf("name expression %q: %w", e, err), c.lib.call("nvrtcDestroyProgram", &prog))
		}
	}
	return prog, nil
}

func (c *Compiler) build(prog program, options []string) error {
	var pins runtime.Pinner
	defer pins.Unpin()
	return c.lib.call("nvrtcCompileProgram", prog, len(options), cTexts(&pins, options))
}

func (c *Compiler) log(prog program) (string, error) {
	text, err := c.output(prog, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")
	return untilNUL(text), err
}

// results fetches what a program that compiled has.
func (c *Compiler) results(prog program, expressions []string, o *Object) error {
	cubin, err := c.output(prog, "nvrtcGetCUBINSize", "nvrtcGetCUBIN")
	if err != nil {
		return err
	}
	if len(cubin) == 0 {
		return errors.New("no cubin: the options name no real architecture, such as sm_90")
	}
	lowered := make(map[string]string, len(expressions))
	for _, e := range expressions {
		if lowered[e], err = c.lower(prog, e); err != nil {
			return fmt.Errorf("name expression %q: %w", e, err)
		}
	}
	o.Cubin, o.Lowered = cubin, lowered
	return nil
}

// output fetches one of a program's outputs by the calls that tell its size and
// its bytes.
func (c *Compiler) output(prog program, sizeCall, bytesCall string) ([]byte, error) {
	var size uint64
	if err := c.lib.call(sizeCall, prog, &size); err != nil || size == 0 {
		return nil, err
	}
	buffer := make([]byte, size)
	return buffer, c.lib.call(bytesCall, prog, &buffer[0])
}
