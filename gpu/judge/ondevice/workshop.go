package ondevice

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/roofline"
	"example.com/hone/gpu/tensor"
)

const (
	spareWorkers    = 2 // a candidate, and the best kernel beside it
	scratchFileSize = 16 << 20
)

// workshop is what evaluations are done with: the device, its compilers and
// started workers.
type workshop struct {
	device   *cuda.Device
	facts    cuda.Facts
	nvrtc    *cuda.Compiler
	monitor  *cuda.Monitor // nil where NVML cannot be used
	lab      *tensor.Lab
	compiler *compile.Compiler
	target   compile.DeviceTarget
	nvcc     string // path, empty when there is none
	config   device.Config
	spares   *device.Pool
	peaks    *measuring
}

// openWorkshop builds the worker program, which takes seconds the first time,
// while the driver starts.
func openWorkshop(ctx context.Context, opts Options) (*workshop, error) {
	s := &workshop{}
	if err := s.openDevice(opts); err != nil {
		return nil, err
	}
	if err := s.openTools(ctx, opts); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// openDevice takes the device and NVRTC.
func (s *workshop) openDevice(opts Options) error {
	driver, err := cuda.Open(opts.Libraries)
	if err != nil {
		return err
	}
	libraries := opts.Libraries
	libraries.Major = driver.Version().Major
	if s.nvrtc, err = cuda.OpenCompiler(libraries); err != nil {
		return err
	}
	if s.device, err = driver.Device(opts.Device); err != nil {
		return err
	}
	s.facts = s.device.Facts()
	s.monitor, _ = cuda.OpenMonitor(libraries, s.facts.BusID) // its figures are then unknown
	s.target = compile.DeviceTarget{Arch: s.facts.SM(), Includes: headers(s.nvrtc.Path(), libraries)}
	s.nvcc = findNVCC(libraries)
	return nil
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
	if s.lab, err = tensor.Open(ctx, s.device, s.nvrtc, filepath.Join(opts.Cache, "device")); err != nil {
		return fmt.Errorf("prepare the comparison kernels: %w", err)
	}
	s.config = device.Config{
		Program: program, Device: opts.Device, Scratch: opts.Scratch,
		Memory: gpu.DefaultLimits().Memory, FileSize: scratchFileSize,
	}
	s.spares = device.NewPool(s.config, spareWorkers)
	s.peaks = measurePeaks(s, filepath.Join(opts.Cache, "device"))
	return nil
}

func (s *workshop) close() error {
	var errs []error
	if s.spares != nil {
		s.spares.Close()
	}
	if s.peaks != nil {
		s.peaks.stop()
	}
	if s.lab != nil {
		errs = append(errs, s.lab.Close())
	}
	return errors.Join(append(errs, s.device.Close())...)
}

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
	env := map[string]string{
		"device":   s.facts.Name,
		"arch":     s.facts.SM(),
		"cuda":     s.facts.CUDA.String(),
		"nvrtc":    s.nvrtc.Version().String(),
		"compiler": s.compiler.Version(),
		"cores":    fmt.Sprint(runtime.NumCPU()),
		"system":   runtime.GOOS + "/" + runtime.GOARCH,
	}
	if s.monitor != nil {
		env["driver"] = s.monitor.DriverVersion()
	}
	return env
}

// measuring is the device's peaks in the making: they are measured once for a
// device and kept in the cache folder.
type measuring struct {
	cancel context.CancelFunc
	done   chan struct{}
	peaks  roofline.Peaks // with err, read after done
	err    error
}

func measurePeaks(s *workshop, folder string) *measuring {
	ctx, cancel := context.WithCancel(context.Background())
	m := &measuring{cancel: cancel, done: make(chan struct{})}
	driver := ""
	if s.monitor != nil {
		driver = s.monitor.DriverVersion()
	}
	go func() {
		defer close(m.done)
		m.peaks, _, m.err = roofline.Load(ctx, s.device, s.nvrtc, folder, driver)
		if _, ok := errors.AsType[*roofline.KeepError](m.err); ok {
			m.err = nil // they are measured, and will be again
		}
	}()
	return m
}

func (m *measuring) stop() {
	m.cancel()
	<-m.done
}

// wait returns the peaks once they are known.
func (m *measuring) wait(ctx context.Context) (roofline.Peaks, error) {
	select {
	case <-m.done:
		return m.peaks, m.err
	case <-ctx.Done():
		return roofline.Peaks{}, ctx.Err()
	}
}
