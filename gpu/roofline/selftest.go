package roofline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/stat"
)

// SelfTest is what a few hundred milliseconds on a device show of it.
type SelfTest struct {
	CopyGBps float64        `json:"copy_gbps"` // bytes read and written
	Spread   []TimingSpread `json:"spread"`

	// CompileFirstMS is the first compilation of this test, which is NVRTC's first
	// at all in a process that has compiled nothing; CompileLaterMS is the median
	// of the next ones.
	CompileFirstMS float64 `json:"compile_first_ms"`
	CompileLaterMS float64 `json:"compile_later_ms"`

	Before *cuda.Reading `json:"before"` // clocks, power and temperature; nil without a monitor
	After  *cuda.Reading `json:"after"`
}

// TimingSpread is how far apart equal measurements of one kernel lie.
type TimingSpread struct {
	MedianUS float64 `json:"median_us"`
	Repeats  int     `json:"repeats"`
	Percent  float64 `json:"range_percent"` // largest less smallest median, of the median
}

// Test tests a device. The monitor may be nil.
func Test(ctx context.Context, dev *cuda.Device, nvrtc *cuda.Compiler, monitor *cuda.Monitor) (SelfTest, error) {
	var s SelfTest
	if err := s.compile(ctx, nvrtc, dev.Facts().SM()); err != nil {
		return s, fmt.Errorf("self-test: %w", err)
	}
	objects, err := compile(nvrtc, programs(dev.Facts())[:1])
	if err != nil {
		return s, fmt.Errorf("self-test: %w", err)
	}
	s.Before = reading(monitor)
	err = dev.Do(ctx, func(c *cuda.Context) error {
		return withBench(c, dev.Facts(), objects, func(b *bench) error { return s.time(ctx, b) })
	})
	if err != nil {
		return s, fmt.Errorf("self-test: %w", err)
	}
	s.After = reading(monitor)
	return s, nil
}

func reading(m *cuda.Monitor) *cuda.Reading {
	if m == nil {
		return nil
	}
	r := m.Read()
	return &r
}

// compile compiles small programs that differ, as some versions of NVRTC keep
// their results.
func (s *SelfTest) compile(ctx context.Context, nvrtc *cuda.Compiler, sm string) error {
	const later = 7
	salt := time.Now().UnixNano() & 0xffffff
	var times []float64
	for i := range int64(1 + later) {
		if err := ctx.Err(); err != nil {
			return err
		}
		source := fmt.Sprintf(`extern "C" __global__ void scale(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * %d.0f + %d.0f;
}
`, salt, i)
		started := time.Now()
		o, err := nvrtc.Compile(cuda.Program{Name: "scale.cu", Source: source, Options: []string{"--gpu-architecture=" + sm}})
		if err != nil {
			return err
		}
		if o.Cubin == nil {
			return errors.New(o.Log)
		}
		times = append(times, float64(time.Since(started))/float64(time.Millisecond))
	}
	s.CompileFirstMS, s.CompileLaterMS = times[0], stat.Median(times[1:])
	return nil
}

// time copies the most that the arena holds in every way there is, and then in the
// best way so much that it takes about 10 and 100 microseconds.
func (s *SelfTest) time(ctx context.Context, b *bench) error {
	if err := b.calibrate(ctx); err != nil {
		return err
	}
	a, err := b.newArena()
	if err != nil {
		return err
	}
	var best variant
	for _, v := range variants() {
		us, bytes, err := b.copyTime(ctx, a, v, a.bytes)
		if err != nil {
			return err
		}
		if gbps := gigabytes(bytes, us); gbps > s.CopyGBps {
			s.CopyGBps, best = gbps, v
		}
	}
	for _, target := range []float64{10, 100} {
		spread, err := b.spread(ctx, a, best, target, target*s.CopyGBps*1e3)
		if err != nil {
			return err
		}
		s.Spread = append(s.Spread, spread)
	}
	return nil
}

// copyTime is the median time of one copy, and the bytes that it really moves.
func (b *bench) copyTime(ctx context.Context, a arena, v variant, bytes uint64) (us float64, moved int64, err error) {
	m, err := b.prepareMove(Curve{Reads: 1, Writes: 1}, v, bytes)
	if err != nil {
		return 0, 0, err
	}
	const samples = 21
	times, err := b.move(ctx, a, m, samples)
	return stat.Median(times), int64(m.quads) * 32, err
}

// spread repeats a measurement whose kernel takes about the target, which it
// comes near by a few guesses of the bytes to copy.
func (b *bench) spread(ctx context.Context, a arena, v variant, targetUS, bytes float64) (TimingSpread, error) {
	const repeats, guesses = 40, 4
	var medians []float64
	for i := range guesses + repeats {
		us, _, err := b.copyTime(ctx, a, v, min(max(uint64(bytes), 4096), a.bytes))
		if err != nil {
			return TimingSpread{}, err
		}
		if i < guesses {
			bytes *= targetUS / us
		} else {
			medians = append(medians, us)
		}
	}
	middle := stat.Median(medians)
	return TimingSpread{MedianUS: middle, Repeats: repeats,
		Percent: 100 * (slices.Max(medians) - slices.Min(medians)) / middle}, nil
}

// Lines are the figures in words, for a table.
func (s SelfTest) Lines() []Line {
	lines := []Line{{"copy bandwidth", fmt.Sprintf("%.0f GB/s", s.CopyGBps)}}
	for _, t := range s.Spread {
		lines = append(lines, Line{fmt.Sprintf("spread at %.0f us", t.MedianUS),
			fmt.Sprintf("%.2f%% between the smallest and the largest of %d medians", t.Percent, t.Repeats)})
	}
	lines = append(lines, Line{"NVRTC", fmt.Sprintf("%.0f ms at first, %.0f ms later", s.CompileFirstMS, s.CompileLaterMS)})
	if s.Before != nil && s.After != nil {
		lines = append(lines, Line{"clocks", describe(*s.Before) + "; afterwards " + describe(*s.After)})
	}
	return lines
}

// describe says what a reading knows.
func describe(r cuda.Reading) string {
	var words []string
	if r.Clock != nil {
		words = append(words, fmt.Sprintf("%d MHz", *r.Clock))
	}
	if r.Temperature != nil {
		words = append(words, fmt.Sprintf("%d C", *r.Temperature))
	}
	if r.Power != nil {
		words = append(words, fmt.Sprintf("%.0f W", *r.Power))
	}
	if len(r.Throttle) > 0 {
		words = append(words, strings.Join(r.Throttle, " and "))
	}
	if len(words) == 0 {
		return "unknown"
	}
	return strings.Join(words, ", ")
}
