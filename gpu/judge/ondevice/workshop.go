package ondevice

import (
	"context"
	"fmt"
	"path/filepath"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/gpu/tensor"
)

const (
	spareWorkers    = 2 // a candidate, and the best kernel beside it
	scratchFileSize = 16 << 20
)

// workshop is what evaluations are done with: the device, the compilers and started
// workers.
type workshop struct {
	gpu      *platform.Platform
	lab      *tensor.Lab // the platform's
	compiler *compile.Compiler
	config   device.Config
	spares   *device.Pool
}

// openWorkshop builds the worker program, which takes seconds the first time.
func openWorkshop(ctx context.Context, opts Options) (*workshop, error) {
	s := &workshop{gpu: opts.Platform, lab: opts.Platform.Lab}
	return s, s.openTools(ctx, opts)
}

func (s *workshop) openTools(ctx context.Context, opts Options) error {
	program, err := device.Prepare(ctx, filepath.Join(opts.Cache, "device"))
	if err != nil {
		return fmt.Errorf("prepare the device worker: %w", err)
	}
	s.compiler, err = compile.New(ctx, compile.Toolchain{GXX: "g++"}, filepath.Join(opts.Cache, "kernels"), opts.CacheBytes)
	if err != nil {
		return fmt.Errorf("prepare the compiler: %w", err)
	}
	s.config = device.Config{
		Program: program, Device: s.gpu.Number, Environment: s.gpu.Visible(), Scratch: opts.Scratch,
		Memory: gpu.DefaultLimits().Memory, FileSize: scratchFileSize,
	}
	s.spares = device.NewPool(s.config, spareWorkers)
	return nil
}

func (s *workshop) close() { s.spares.Close() }

// process takes a spare worker, or starts one where other limits are wanted.
func (s *workshop) process(ctx context.Context, memory int64) (*device.Process, error) {
	if memory == s.config.Memory {
		return s.spares.Take(ctx)
	}
	config := s.config
	config.Memory = memory
	return device.Start(ctx, config)
}

// environment is what a verdict says of the machine.
func (s *workshop) environment() map[string]string {
	env := s.gpu.Environment()
	env["compiler"] = s.compiler.Version()
	return env
}
