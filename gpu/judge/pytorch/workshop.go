package pytorch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/emulate"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/gpu/torch"
	"example.com/hone/gpu/torch/candidate"
	"example.com/hone/gpu/torch/inline"
	"example.com/hone/gpu/torch/oracle"
)

const (
	spareCandidates = 1
	// On a GPU there are more, for the best answer beside the new one and for the next
	// one, where the device has memory for their contexts.
	moreSpares  = 2
	spareMemory = 24 << 30
	fileSize    = 64 << 20 // bytes of each file that an answer writes
)

// workshop is what evaluations are done with: a Python with torch, the builder of
// load_inline, and started processes.
type workshop struct {
	gpu     *platform.Platform // nil to emulate
	memory  memory
	torch   torch.Installation
	folder  string // of hone's Python programs
	scratch string

	cacheFolder string
	emulation   emulate.Toolchain
	compiler    *compile.Compiler
	workers     workers

	builder *inline.Builder // nil where torch has no headers
	why     error           // why there is no builder
	spares  *candidate.Pool
	warm    chan struct{} // closed once what is built once per machine has been
}

// openWorkshop builds what is missing in the cache folder.
func openWorkshop(ctx context.Context, opts Options) (*workshop, error) {
	s := &workshop{
		gpu: opts.Platform, memory: hostMemory{}, torch: opts.Torch, scratch: opts.Scratch, cacheFolder: opts.Cache, warm: make(chan struct{}),
	}
	if s.gpu != nil {
		s.memory = deviceMemory{s.gpu}
	}
	var err error
	if s.folder, err = torch.Prepare(ctx, filepath.Join(opts.Cache, "python")); err != nil {
		return nil, fmt.Errorf("prepare hone's Python programs: %w", err)
	}
	s.emulation, err = emulate.Prepare(ctx, filepath.Join(opts.Cache, "emulator"))
	if err != nil {
		return nil, fmt.Errorf("prepare the CPU emulation: %w", err)
	}
	containment, err := candidate.Prepare(ctx, filepath.Join(opts.Cache, "python"), s.emulation.GXX)
	if err != nil {
		return nil, fmt.Errorf("prepare the containment of Python: %w", err)
	}
	if err := s.openBuilder(ctx, opts); err != nil {
		return nil, err
	}
	s.spares = candidate.NewPool(candidate.Config{
		Installation: s.torch, Folder: s.folder, Containment: containment, Device: s.number(), Environment: s.visible(),
		Read: []string{filepath.Join(opts.Cache, "emulator"), filepath.Join(opts.Cache, "inline")}, Scratch: opts.Scratch,
		Memory: gpu.DefaultLimits().Memory, FileSize: fileSize,
	}, s.spareCount())
	go s.heat()
	return s, nil
}

// number is the device of every process: the only one that it sees.
func (s *workshop) number() int {
	if s.gpu == nil {
		return candidate.CPU
	}
	return 0
}

func (s *workshop) visible() []string {
	if s.gpu == nil {
		return nil
	}
	return s.gpu.Alone()
}

func (s *workshop) spareCount() int {
	if s.gpu != nil && s.gpu.Facts.Memory >= spareMemory {
		return spareCandidates + moreSpares
	}
	return spareCandidates
}

// compiles reports whether torch.compile is timed as well: on a GPU alone, where it
// does not compete with what is measured, and where there is memory for its process.
func (s *workshop) compiles() bool {
	return s.gpu != nil && s.torch.Compile && s.torch.Triton && s.gpu.Facts.Memory >= spareMemory
}

// cache is how many bytes are flushed before a cold sample.
func (s *workshop) cache() int64 {
	if s.gpu == nil {
		return 0
	}
	return int64(s.gpu.Facts.L2)
}

// openBuilder makes the builder, or notes why there can be none: answers that pass
// nothing to load_inline are judged all the same.
func (s *workshop) openBuilder(ctx context.Context, opts Options) (err error) {
	s.compiler, err = compile.New(ctx, compile.Toolchain{
		GXX: s.emulation.GXX, Include: s.emulation.Include, Version: s.emulation.Version, Emulator: s.emulation.Emulator,
	}, filepath.Join(opts.Cache, "kernels"), opts.CacheBytes)
	if err != nil {
		return fmt.Errorf("prepare the compiler: %w", err)
	}
	config := inline.Config{Installation: s.torch, Compiler: s.compiler, Emulation: s.emulation, Cache: filepath.Join(opts.Cache, "inline")}
	if s.gpu != nil {
		config.GPU = &inline.GPU{Target: s.gpu.Target, NVRTC: s.gpu.Compiler(), CUDAHome: s.gpu.Toolkit}
	}
	s.builder, s.why = inline.New(ctx, config)
	if s.why != nil && !errors.Is(s.why, inline.ErrNoHeaders) {
		return fmt.Errorf("prepare the builder of load_inline: %w", s.why)
	}
	return nil
}

// heat builds what every build of load_inline needs, while nobody waits for it.
func (s *workshop) heat() {
	defer close(s.warm)
	if s.builder != nil {
		_ = s.builder.Warm(context.Background()) // the first build says why it could not
	}
}

func (s *workshop) close() {
	s.spares.Close()
	s.workers.close()
	<-s.warm
}

// oracle starts a process for a task's reference.
func (s *workshop) oracle(ctx context.Context) (*oracle.Process, error) {
	return oracle.Start(ctx, s.oracleConfig())
}

func (s *workshop) oracleConfig() oracle.Config {
	return oracle.Config{
		Installation: s.torch, Folder: s.folder, Device: s.number(), Environment: s.visible(), Scratch: s.scratch,
		Copies: 2, // the judge's, and those that an answer is handed
	}
}

// file writes a text to a new file that the caller removes with its folder.
func (s *workshop) file(name, text string) (path string, err error) {
	folder, err := os.MkdirTemp(s.scratch, "hone-answer-")
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	return path, nil
}

// environment is what a verdict says of the machine.
func (s *workshop) environment() map[string]string {
	env := map[string]string{
		"device": Device,
		"cores":  fmt.Sprint(runtime.NumCPU()),
		"system": runtime.GOOS + "/" + runtime.GOARCH,
	}
	if s.gpu != nil {
		env = s.gpu.Environment()
	}
	env["torch"], env["python"] = s.torch.Torch, s.torch.PythonVersion
	return env
}
