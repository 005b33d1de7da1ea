package pytorch

import (
	"context"
	"fmt"
	"path/filepath"

	"example.com/hone/gpu"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/worker"
)

const (
	spareWorkers = 2        // for an answer in CUDA C++: two builds of it, or the best one beside it
	workerFile   = 16 << 20 // bytes of each file that one writes
)

// workers are processes for answers in CUDA C++. There are none before such an answer
// comes: on a GPU each holds some hundred megabytes of the device's memory.
type workers struct {
	emulating worker.Config
	emulated  *worker.Pool
	onDevice  device.Config
	device    *device.Pool
}

// worker takes a spare worker that emulates, or starts one where other limits are wanted.
func (s *workshop) worker(ctx context.Context, memory int64) (*worker.Process, error) {
	w := &s.workers
	if w.emulated == nil {
		w.emulating = worker.Config{
			Emulator: s.emulation.Emulator, Scratch: s.scratch, Memory: gpu.DefaultLimits().Memory, FileSize: workerFile,
		}
		w.emulated = worker.NewPool(w.emulating, spareWorkers)
	}
	if memory == w.emulating.Memory {
		return w.emulated.Take(ctx)
	}
	config := w.emulating
	config.Memory = memory
	return worker.Start(ctx, config)
}

// deviceWorker is worker on a GPU.
func (s *workshop) deviceWorker(ctx context.Context, memory int64) (*device.Process, error) {
	w := &s.workers
	if w.device == nil {
		program, err := device.Prepare(ctx, filepath.Join(s.cacheFolder, "device"))
		if err != nil {
			return nil, fmt.Errorf("prepare the device worker: %w", err)
		}
		w.onDevice = device.Config{
			Program: program, Device: s.gpu.Number, Environment: s.gpu.Visible(), Scratch: s.scratch,
			Memory: gpu.DefaultLimits().Memory, FileSize: workerFile,
		}
		w.device = device.NewPool(w.onDevice, spareWorkers)
	}
	if memory == w.onDevice.Memory {
		return w.device.Take(ctx)
	}
	config := w.onDevice
	config.Memory = memory
	return device.Start(ctx, config)
}

// hold keeps spare processes of every kind from being started.
func (s *workshop) hold() (release func()) {
	releases := []func(){s.spares.Hold()}
	if s.workers.emulated != nil {
		releases = append(releases, s.workers.emulated.Hold())
	}
	if s.workers.device != nil {
		releases = append(releases, s.workers.device.Hold())
	}
	return func() {
		for _, release := range releases {
			release()
		}
	}
}

// close ends the spares.
func (w *workers) close() {
	if w.emulated != nil {
		w.emulated.Close()
	}
	if w.device != nil {
		w.device.Close()
	}
}
