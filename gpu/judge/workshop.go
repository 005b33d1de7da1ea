package judge

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/emulate"
	"example.com/hone/gpu/worker"
)

// ErrUnusable means that this machine can evaluate nothing until something is
// installed or repaired.
var ErrUnusable = errors.New("no usable evaluator")

const (
	spareWorkers    = 2 // an evaluation takes one for each build of the candidate
	scratchFileSize = 16 << 20
)

// workshop is what evaluations are done with: the compiler and started workers.
type workshop struct {
	tools    compile.Toolchain
	compiler *compile.Compiler
	config   worker.Config
	spares   *worker.Pool
}

// openWorkshop builds what is missing in the cache folder.
func openWorkshop(ctx context.Context, opts Options) (*workshop, error) {
	prepared, err := emulate.Prepare(ctx, filepath.Join(opts.Cache, "emulator"))
	if err != nil {
		return nil, unusable(ctx, "prepare the CPU emulation", err)
	}
	tools := compile.Toolchain{
		GXX: prepared.GXX, Include: prepared.Include, Version: prepared.Version, Emulator: prepared.Emulator,
	}
	compiler, err := compile.New(ctx, tools, filepath.Join(opts.Cache, "kernels"), opts.CacheBytes)
	if err != nil {
		return nil, unusable(ctx, "prepare the compiler", err)
	}
	config := worker.Config{
		Emulator: tools.Emulator,
		Scratch:  opts.Scratch,
		Memory:   gpu.DefaultLimits().Memory,
		FileSize: scratchFileSize,
	}
	return &workshop{tools: tools, compiler: compiler, config: config, spares: worker.NewPool(config, spareWorkers)}, nil
}

func unusable(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %s: %w", ErrUnusable, doing, err)
}

// process takes a spare worker, or starts one where other limits are wanted.
func (s *workshop) process(ctx context.Context, memory int64) (*worker.Process, error) {
	if memory == s.config.Memory {
		return s.spares.Take(ctx)
	}
	config := s.config
	config.Memory = memory
	return worker.Start(ctx, config)
}

func (s *workshop) close() {
	s.spares.Close()
}

// environment is what a verdict says of the machine.
func (s *workshop) environment() map[string]string {
	return map[string]string{
		"device":   emulatedDevice,
		"cores":    fmt.Sprint(runtime.NumCPU()),
		"compiler": s.tools.GXX,
		"emulator": s.tools.Version,
		"system":   runtime.GOOS + "/" + runtime.GOARCH,
	}
}
