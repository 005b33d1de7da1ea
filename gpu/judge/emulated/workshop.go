package emulated

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/emulate"
	"example.com/hone/gpu/worker"
)

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
		return nil, fmt.Errorf("prepare the CPU emulation: %w", err)
	}
	tools := compile.Toolchain{
		GXX: prepared.GXX, Include: prepared.Include, Version: prepared.Version, Emulator: prepared.Emulator,
	}
	compiler, err := compile.New(ctx, tools, filepath.Join(opts.Cache, "kernels"), opts.CacheBytes)
	if err != nil {
		return nil, fmt.Errorf("prepare the compiler: %w", err)
	}
	config := worker.Config{
		Emulator: tools.Emulator,
		Scratch:  opts.Scratch,
		Memory:   gpu.DefaultLimits().Memory,
		FileSize: scratchFileSize,
	}
	return &workshop{tools: tools, compiler: compiler, config: config, spares: worker.NewPool(config, spareWorkers)}, nil
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
		"device":   Device,
		"cores":    fmt.Sprint(runtime.NumCPU()),
		"compiler": s.tools.GXX,
		"emulator": s.tools.Version,
		"system":   runtime.GOOS + "/" + runtime.GOARCH,
	}
}
