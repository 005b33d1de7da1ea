package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/quick"
	"time"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		samples []float64
		want    float64
	}{
		"one":       {[]float64{3}, 3},
		"odd":       {[]float64{9, 1, 5}, 5},
		"even":      {[]float64{4, 1, 3, 2}, 2.5},
		"outlier":   {[]float64{1, 1, 1, 1e9}, 1},
		"huge":      {[]float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64},
		"unordered": {[]float64{5, 4, 3, 2, 1}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Median(c.samples); got != c.want {
				t.Errorf("Median(%v) = %v, want %v", c.samples, got, c.want)
			}
		})
	}
	if got := Median(nil); !math.IsNaN(got) {
		t.Errorf("Median of nothing = %v, want NaN", got)
	}
}

func TestMedianKeepsItsArgument(t *testing.T) {
	t.Parallel()
	samples := []float64{3, 1, 2, 9, 8, 7}
	before := slices.Clone(samples)
	Median(samples)
	MedianInterval(samples)
	if !slices.Equal(samples, before) {
		t.Errorf("samples reordered to %v", samples)
	}
}

// The ranks are those of published tables of the distribution-free interval.
func TestTailMatchesTables(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{0: 0, 1: 0, 5: 0, 6: 1, 8: 1, 9: 2, 12: 3, 15: 4, 20: 6, 30: 10, 50: 18, 100: 40} {
		if got := tail(n); got != want {
			t.Errorf("tail(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestTailIsFiniteForManySamples(t *testing.T) {
	t.Parallel()
	n := 100_000
	// The normal approximation: n/2 - 1.96*sqrt(n)/2.
	want := float64(n)/2 - 0.98*math.Sqrt(float64(n))
	if got := float64(tail(n)); math.Abs(got-want) > 2 {
		t.Errorf("tail(%d) = %v, want about %v", n, got, want)
	}
}

func TestMedianLiesInItsInterval(t *testing.T) {
	t.Parallel()
	property := func(samples []float64) bool {
		interval, ok := MedianInterval(samples)
		if !ok {
			return len(samples) < 6
		}
		m := Median(samples)
		return interval.Low <= m && m <= interval.High
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

func TestIntervalScalesWithTheSamples(t *testing.T) {
	t.Parallel()
	property := func(raw []uint16, factor uint8) bool {
		f := 1 + float64(factor)
		samples, scaled := make([]float64, len(raw)), make([]float64, len(raw))
		for i, v := range raw {
			samples[i], scaled[i] = float64(v), float64(v)*f
		}
		a, okA := MedianInterval(samples)
		b, okB := MedianInterval(scaled)
		return okA == okB && a.Low*f == b.Low && a.High*f == b.High
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

func TestIntervalCoversTheTrueMedian(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	const rounds = 2000
	covered := 0
	for range rounds {
		samples := make([]float64, 25)
		for i := range samples {
			samples[i] = rng.ExpFloat64() // its median is ln 2
		}
		interval, _ := MedianInterval(samples)
		if interval.Low <= math.Ln2 && math.Ln2 <= interval.High {
			covered++
		}
	}
	if share := float64(covered) / rounds; share < 0.94 || share > 0.98 {
		t.Errorf("interval covers the median in %.1f%% of cases, want about 95.7%%", 100*share)
	}
}

func TestRule(t *testing.T) {
	t.Parallel()
	rule := Rule{HalfWidth: 0.01, Min: 10, Max: 40, Budget: time.Second}
	steady := slices.Repeat([]float64{100, 100.5}, 10)
	noisy := slices.Repeat([]float64{100, 150}, 10)
	for name, c := range map[string]struct {
		samples []float64
		spent   time.Duration
		want    bool
	}{
		"nothing yet, budget over": {nil, time.Minute, false},
		"too few":                  {steady[:9], 0, false},
		"too few, budget over":     {steady[:9], time.Second, true},
		"steady":                   {steady, 0, true},
		"noisy":                    {noisy, 0, false},
		"noisy, budget over":       {noisy, time.Second, true},
		"noisy, cap reached":       {slices.Concat(noisy, noisy), 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := rule.Done(c.samples, c.spent); got != c.want {
				t.Errorf("Done(%d samples, %v) = %v, want %v", len(c.samples), c.spent, got, c.want)
			}
		})
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	ten := slices.Repeat([]float64{10}, 12)
	for name, c := range map[string]struct {
		base, other []float64
		value       float64
		distinct    bool
	}{
		"twice as fast": {ten, slices.Repeat([]float64{5}, 12), 2, true},
		"slower":        {ten, slices.Repeat([]float64{20}, 12), 0.5, true},
		"same":          {ten, ten, 1, false},
		"few rounds":    {ten[:2], []float64{5, 5}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := Compare(c.base, c.other)
			if !ok || got.Value != c.value || got.Distinct() != c.distinct {
				t.Errorf("Compare = %+v, %v; want value %v, distinct %v", got, ok, c.value, c.distinct)
			}
		})
	}
}

// A machine that slows down while it measures must not change the ratio's interval.
func TestCompareCancelsDrift(t *testing.T) {
	t.Parallel()
	base, other := make([]float64, 20), make([]float64, 20)
	for i := range base {
		drift := 1 + float64(i)/4
		base[i], other[i] = 30*drift, 20*drift
	}
	got, ok := Compare(base, other)
	if !ok || math.Abs(got.Interval.Low-1.5) > 1e-9 || math.Abs(got.Interval.High-1.5) > 1e-9 {
		t.Errorf("Compare = %+v, %v; want 1.5 in every round", got.Interval, ok)
	}
}

func TestCompareRefusesBadSeries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string][2][]float64{
		"empty":            {nil, nil},
		"different length": {{1, 2}, {1}},
		"zero":             {{1}, {0}},
		"negative":         {{-1}, {1}},
		"NaN":              {{math.NaN()}, {1}},
	} {
		if got, ok := Compare(c[0], c[1]); ok {
			t.Errorf("%s: Compare = %+v, want a refusal", name, got)
		}
	}
}
