package roofline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/stat"
	"example.com/hone/tasks"
)

// openDevice is the first device with its compiler, or the end of the test.
func openDevice(t *testing.T) (*cuda.Device, *cuda.Compiler) {
	t.Helper()
	driver, err := cuda.Open(cuda.Options{})
	if u, ok := errors.AsType[*cuda.Unavailable](err); ok {
		t.Skipf("no device: %v", u)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := testCompiler(t, driver.Version().Major)
	dev, err := driver.Device(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return dev, c
}

func measured(t *testing.T, dev *cuda.Device, c *cuda.Compiler) Peaks {
	t.Helper()
	p, err := Measure(t.Context(), dev, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %.0f ms, spread %.2f%%, events add %.2f us", p.Device, p.TookMS, 100*p.Spread, p.AddedUS)
	for _, line := range p.Lines() {
		t.Logf("  %-16s %s", line.Name, line.Value)
	}
	return p
}

func TestDeviceMeasure(t *testing.T) {
	dev, c := openDevice(t)
	first := measured(t, dev, c)
	for _, curve := range first.Memory {
		for _, p := range curve.Points {
			t.Logf("%-16s %11d bytes %9.2f us %6.0f GB/s  %s", curve.Name(), p.Bytes, p.US, gigabytes(p.Bytes, p.US), p.Best)
		}
	}
	second := measured(t, dev, c)
	agree(t, first, second)
	if strings.HasPrefix(first.Device, "NVIDIA H200") && !dev.Facts().MIG {
		plausible(t, first)
	}
}

// agree holds two measurements of one device against each other.
func agree(t *testing.T, first, second Peaks) {
	t.Helper()
	for i, curve := range first.Memory {
		var worst float64
		for j, p := range curve.Points {
			other := second.Memory[i].Points[j]
			difference := math.Abs(other.US-p.US) / p.US
			worst = max(worst, difference)
			if allowed := 0.03 + 0.4/p.US; difference > allowed { // the clock's steps are of 0.03 to 0.5 us
				t.Errorf("%s of %d bytes: %.2f and %.2f us", curve.Name(), p.Bytes, p.US, other.US)
			}
		}
		t.Logf("%s: two measurements differ by %.1f%% at most", curve.Name(), 100*worst)
	}
	for unit, flops := range first.Compute {
		if !near(second.Compute[unit], flops, 0.03) {
			t.Errorf("%s: %.1f and %.1f TFLOP/s", unit, flops/1e12, second.Compute[unit]/1e12)
		}
	}
}

// plausible holds the figures of an H200 against what is known of it.
func plausible(t *testing.T, p Peaks) {
	t.Helper()
	for unit, bounds := range map[string][2]float64{
		FP32: {58, 67}, FP64: {29, 34}, FP64Matrix: {55, 68},
		TF32Matrix: {380, 500}, FP16Matrix: {780, 1000}, BF16Matrix: {780, 1000},
	} {
		if tflops := p.Compute[unit] / 1e12; tflops < bounds[0] || tflops > bounds[1] {
			t.Errorf("%s: %.1f TFLOP/s, want between %v", unit, tflops, bounds)
		}
	}
	for _, c := range p.Memory {
		last := c.Points[len(c.Points)-1]
		if gbps := gigabytes(last.Bytes, last.US); gbps < 3600 || gbps > 4800 {
			t.Errorf("%s: %.0f GB/s, want between 3600 and 4800", c.Name(), gbps)
		}
		if least := c.Points[0].US; least > 6 {
			t.Errorf("%s: the least takes %.2f us", c.Name(), least)
		}
	}
}

// plainSource has kernels as anybody writes them, and mixes that have no curve.
const plainSource = `
using count = unsigned long long;
extern "C" __global__ void copy1(const float* from, float* to, count n) {
    count i = count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
extern "C" __global__ void copy2(const float2* from, float2* to, count n) {
    count i = count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
extern "C" __global__ void copy4(const float4* from, float4* to, count n) {
    count step = count(gridDim.x) * blockDim.x;
    for (count i = count(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) to[i] = from[i];
}
extern "C" __global__ void add4(const float4* from, float4* to, count n) {
    count i = count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 a = from[i], b = from[n + i];
    to[i] = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
extern "C" __global__ void three4(const float4* from, float4* to, count n) {
    count i = count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 a = from[i], b = from[n + i], c = from[2 * n + i];
    to[i] = {a.x + b.x * c.x, a.y + b.y * c.y, a.z + b.z * c.z, a.w + b.w * c.w};
}
extern "C" __global__ void twice4(const float4* from, float4* to, count n) {
    count i = count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 a = from[i];
    to[i] = a;
    to[n + i] = a;
}
extern "C" __global__ void sum4(const float4* from, float* to, count n) {
    count step = count(gridDim.x) * blockDim.x;
    float sum = 0;
    for (count i = count(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        float4 a = from[i];
        sum += (a.x + a.y) + (a.z + a.w);
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) to[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sum;
}
extern "C" __global__ void zero4(const float4*, float4* to, count n) {
    count i = count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) to[i] = {0, 0, 0, 0};
}
`

// clockStep is by how many microseconds the times of one kernel may differ when they
// are taken by two benches: what events add is measured by each, to about half of it.
const clockStep = 0.4

// challenger is a kernel to hold against the floor.
type challenger struct {
	name          string
	element       uint64 // bytes
	reads, writes uint64
	perSM         uint32 // blocks, 0 for as many as the elements need
}

var challengers = []challenger{
	{"copy1", 4, 1, 1, 0}, {"copy2", 8, 1, 1, 0}, {"copy4", 16, 1, 1, 0}, {"copy4", 16, 1, 1, 16},
	{"driver's copy", 16, 1, 1, 0},
	{"add4", 16, 2, 1, 0}, {"three4", 16, 3, 1, 0}, {"twice4", 16, 1, 2, 0},
	{"sum4", 16, 1, 0, 16}, {"zero4", 16, 0, 1, 0}, {"driver's fill", 16, 0, 1, 0},
}

// prepare is the challenger's launch for so many bytes in all.
func (k challenger) prepare(b *bench, a arena, bytes uint64) (run func() error, read, written int64, err error) {
	n := bytes / k.element / (k.reads + k.writes)
	read, written = int64(n*k.element*k.reads), int64(n*k.element*k.writes)
	switch k.name {
	case "driver's copy":
		return func() error { return b.c.Copy(a.to, a.from, uint64(read), b.stream) }, read, written, nil
	case "driver's fill":
		return func() error { return b.c.Fill32(a.to, 7, uint64(written)/4, b.stream) }, read, written, nil
	}
	f, err := b.find(k.name)
	blocks := uint32((n + blockSize - 1) / blockSize)
	if k.perSM > 0 {
		blocks = min(blocks, k.perSM*uint32(b.facts.SMs))
	}
	return func() error { return b.launch(f, blocks, a.from, a.to, n) }, read, written, err
}

// TestDeviceFloorHolds holds kernels at sizes between those measured against the
// floor: none is faster by more than 5%, and some copy comes near it at each.
func TestDeviceFloorHolds(t *testing.T) {
	dev, c := openDevice(t)
	p := measured(t, dev, c)
	list := append(programs(dev.Facts())[:1], cuda.Program{Name: "plain.cu", Source: plainSource, Options: []string{"--gpu-architecture=" + dev.Facts().SM()}})
	objects, err := compile(c, list)
	if err != nil {
		t.Fatal(err)
	}
	err = dev.Do(t.Context(), func(c *cuda.Context) error {
		return withBench(c, dev.Facts(), objects, func(b *bench) error { return holds(t, b, p) })
	})
	if err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, b *bench, p Peaks) error {
	if err := b.calibrate(t.Context()); err != nil {
		return err
	}
	a, err := b.newArena()
	if err != nil {
		return err
	}
	for _, kib := range []uint64{2, 24, 100, 300, 700, 1500, 6000, 11_000, 24_000, 40_000, 48_000, 56_000, 75_000, 90_000, 120_000, 170_000, 350_000, 700_000} {
		var best, bestUS float64
		var words []string
		for _, k := range challengers {
			percent, us, err := k.challenge(t.Context(), b, a, p, kib<<10)
			if err != nil {
				return err
			}
			words = append(words, fmt.Sprintf("%s %.1f%%", k.name, percent))
			if k.reads == 1 && k.writes == 1 && percent > best {
				best, bestUS = percent, us
			}
			if percent > 105 && ahead(us, percent) > clockStep && !(k.name == "driver's fill" && kib < 16) { // so small a fill is no kernel
				t.Errorf("%s of %d KiB reaches %.1f%% of the floor in %.2f us", k.name, kib, percent, us)
			}
		}
		t.Logf("%7d KiB: %s", kib, strings.Join(words, ", "))
		if kib >= 1024 && (best < 90 || best > 102 && ahead(bestUS, best) > clockStep) {
			t.Errorf("the best copy of %d KiB reads %.1f%%, want 90 to 102%%", kib, best)
		}
	}
	return nil
}

// ahead is by how many microseconds a time is below the floor that it has percent of.
func ahead(us, percent float64) float64 { return us * (percent/100 - 1) }

func (k challenger) challenge(ctx context.Context, b *bench, a arena, p Peaks, bytes uint64) (percent, us float64, err error) {
	run, read, written, err := k.prepare(b, a, bytes)
	if err != nil {
		return 0, 0, err
	}
	times, err := b.samples(ctx, 31, true, run)
	if err != nil {
		return 0, 0, err
	}
	us = stat.Median(times)
	f := Floor{Read: read, Written: written, MemoryUS: p.memoryUS(read, written), Bound: BoundMemory}
	return f.Roofline(time.Duration(us * 1e3)).Percent, us, nil
}

func TestDeviceLoad(t *testing.T) {
	dev, c := openDevice(t)
	folder := t.TempDir()
	var first Peaks
	for i, want := range []struct {
		driver string
		cached bool
	}{{"1.0", false}, {"1.0", true}, {"2.0", false}} {
		started := time.Now()
		p, cached, err := Load(t.Context(), dev, c, folder, want.driver)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("driver %s: cached %t, %s, spread %.3f", want.driver, cached, time.Since(started).Round(time.Millisecond), p.Spread)
		if cached != want.cached && p.Spread <= steady {
			t.Errorf("call %d: cached %t", i, cached)
		}
		if i == 1 && cached && !slices.EqualFunc(p.Memory, first.Memory, func(x, y Curve) bool { return slices.Equal(x.Points, y.Points) }) {
			t.Error("the file holds other figures than were measured")
		}
		first = p
	}
}

func TestDeviceFloorsOfTasks(t *testing.T) {
	dev, c := openDevice(t)
	p := measured(t, dev, c)
	catalog, err := tasks.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range catalog.All() {
		size, err := task.Size("full")
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Floor(task, size)
		if err != nil {
			t.Fatal(err)
		}
		r := f.Roofline(time.Millisecond)
		t.Logf("%-18s %9.2f us by %-7s %4d MB at %5.0f GB/s, %s", task.Name, r.FloorUS, r.Bound, r.Bytes/1e6, r.PeakGBps, f.Unit)
		if f.US() < 1 || f.US() > 1e4 {
			t.Errorf("%s: floor %+v", task.Name, f)
		}
	}
}

// TestDeviceMeasureStops ends a measurement early, and looks whether it gave back
// what it took.
func TestDeviceMeasureStops(t *testing.T) {
	dev, c := openDevice(t)
	free := func() (free uint64) {
		err := dev.Do(t.Context(), func(c *cuda.Context) (err error) {
			free, _, err = c.MemoryInfo()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return free
	}
	before := free()
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	if _, err := Measure(ctx, dev, c); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	const slack = 128 << 20 // the driver keeps some for itself, and others may use the device
	if after := free(); after+slack < before {
		t.Errorf("%d MiB were free before and %d after", before>>20, after>>20)
	}
}

func TestDeviceSelfTest(t *testing.T) {
	dev, c := openDevice(t)
	monitor, err := cuda.OpenMonitor(cuda.Options{}, dev.Facts().BusID)
	if err != nil {
		t.Logf("no monitor: %v", err)
	}
	started := time.Now()
	s, err := Test(t.Context(), dev, c, monitor)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("took %s", time.Since(started).Round(time.Millisecond))
	for _, line := range s.Lines() {
		t.Logf("  %-16s %s", line.Name, line.Value)
	}
	if s.CopyGBps < 100 || len(s.Spread) != 2 || s.CompileFirstMS <= 0 || s.CompileLaterMS <= 0 || (monitor != nil) != (s.After != nil) {
		t.Errorf("not to be believed: %+v", s)
	}
	for i, target := range []float64{10, 100} {
		if got := s.Spread[i]; !near(got.MedianUS, target, 0.15) || got.Percent > 20 {
			t.Errorf("spread at %v us: %+v", target, got)
		}
	}
}
