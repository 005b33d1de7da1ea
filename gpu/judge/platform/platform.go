package platform

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/roofline"
	"example.com/hone/gpu/tensor"
)

// Options say which device is taken, and where its files are kept.
type Options struct {
	Cache     string // folder for the judge's kernels and the measured peaks
	Device    int    // in the driver's order
	Libraries cuda.Options
	Visible   Visible
}

// Visible is which devices the driver shows this process, and how it numbers them.
type Visible struct {
	Devices string // of CUDA_VISIBLE_DEVICES
	Order   string // of CUDA_DEVICE_ORDER
}

// Platform is a device and its compilers.
type Platform struct {
	Number  int // of the device, in the driver's order
	Device  *cuda.Device
	Facts   cuda.Facts
	NVRTC   *cuda.Compiler
	Monitor *cuda.Monitor // nil where NVML cannot be used
	Lab     *tensor.Lab
	Target  compile.DeviceTarget
	NVCC    string // path, empty when there is none
	Toolkit string // the folder of the toolkit that NVCC belongs to, empty when there is none

	visible Visible
	peaks   *measuring
}

// Open takes a device, which takes about half a second. The error is a
// [cuda.Unavailable] where there is no device or NVRTC to be used.
func Open(ctx context.Context, opts Options) (*Platform, error) {
	p := &Platform{Number: opts.Device, visible: opts.Visible}
	if err := p.openDevice(opts); err != nil {
		return nil, err
	}
	var err error
	if p.Lab, err = tensor.Open(ctx, p.Device, p.NVRTC, opts.Cache); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the comparison kernels: %w", err), p.Device.Close())
	}
	p.peaks = measurePeaks(p, opts.Cache)
	return p, nil
}

func (p *Platform) openDevice(opts Options) error {
	driver, err := cuda.Open(opts.Libraries)
	if err != nil {
		return err
	}
	libraries := opts.Libraries
	libraries.Major = driver.Version().Major
	if p.NVRTC, err = cuda.OpenCompiler(libraries); err != nil {
		return err
	}
	if p.Device, err = driver.Device(opts.Device); err != nil {
		return err
	}
	p.Facts = p.Device.Facts()
	p.Monitor, _ = cuda.OpenMonitor(libraries, p.Facts.BusID) // its figures are then unknown
	p.Target = compile.DeviceTarget{Arch: p.Facts.SM(), Includes: headers(p.NVRTC.Path(), libraries)}
	if p.NVCC = findNVCC(libraries); p.NVCC != "" {
		p.Toolkit = filepath.Dir(filepath.Dir(resolved(p.NVCC)))
	}
	return nil
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// Close gives the device up.
func (p *Platform) Close() error {
	p.peaks.stop()
	return errors.Join(p.Lab.Close(), p.Device.Close())
}

// Environment is what a verdict says of the machine.
func (p *Platform) Environment() map[string]string {
	env := map[string]string{
		"device":    p.Facts.Name,
		"device_id": p.Facts.ID,
		"arch":      p.Facts.SM(),
		"cuda":      p.Facts.CUDA.String(),
		"nvrtc":     p.NVRTC.Version().String(),
		"cores":     fmt.Sprint(runtime.NumCPU()),
		"system":    runtime.GOOS + "/" + runtime.GOARCH,
	}
	if p.Monitor != nil {
		env["driver"] = p.Monitor.DriverVersion()
	}
	return env
}

// Visible has another process see the devices in the order in which this one does:
// nothing of the environment is inherited.
func (p *Platform) Visible() []string {
	if p.visible.Devices == "" {
		return p.order()
	}
	return append(p.order(), "CUDA_VISIBLE_DEVICES="+p.visible.Devices)
}

// Alone has another process see this device alone, as its first one.
func (p *Platform) Alone() []string {
	name := strconv.Itoa(p.Number)
	if list := strings.Split(p.visible.Devices, ","); list[0] != "" && p.Number < len(list) {
		name = strings.TrimSpace(list[p.Number])
	}
	return append(p.order(), "CUDA_VISIBLE_DEVICES="+name)
}

func (p *Platform) order() []string {
	if p.visible.Order == "" {
		return nil
	}
	return []string{"CUDA_DEVICE_ORDER=" + p.visible.Order}
}

// Free is how many bytes of the device's memory nobody uses.
func (p *Platform) Free(ctx context.Context) (int64, error) {
	var free uint64
	err := p.Device.Do(ctx, func(c *cuda.Context) (err error) {
		free, _, err = c.MemoryInfo()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("ask how much memory the device has free: %w", err)
	}
	return int64(free), nil
}

// probeLimit is how long a device that is in order may take for next to nothing.
const probeLimit = 5 * time.Second

// Probe sees that the device still works: a candidate may have left it in a state
// in which the next one would be judged wrongly.
func (p *Platform) Probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	if err := p.Device.Do(ctx, func(c *cuda.Context) error { return c.Synchronize() }); err != nil {
		return fmt.Errorf("the device does not answer after the kernel: %w", err)
	}
	return nil
}

// Peaks waits for the device's peaks, which are measured once and kept in the cache
// folder; wait is called before where that is not over yet.
func (p *Platform) Peaks(ctx context.Context, wait func()) (roofline.Peaks, error) {
	select {
	case <-p.peaks.done:
	default:
		wait()
	}
	return p.peaks.wait(ctx)
}

// measuring is the device's peaks in the making.
type measuring struct {
	cancel context.CancelFunc
	done   chan struct{}
	peaks  roofline.Peaks // with err, read after done
	err    error
}

func measurePeaks(p *Platform, folder string) *measuring {
	ctx, cancel := context.WithCancel(context.Background())
	m := &measuring{cancel: cancel, done: make(chan struct{})}
	driver := ""
	if p.Monitor != nil {
		driver = p.Monitor.DriverVersion()
	}
	go func() {
		defer close(m.done)
		m.peaks, _, m.err = roofline.Load(ctx, p.Device, p.NVRTC, folder, driver)
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
