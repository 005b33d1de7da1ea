package report

import (
	"encoding/json"
	"testing"

	"example.com/hone/gpu"
)

// TestHostBound holds that a call which costs more than the device's clock saw is
// counted by the judge's clock, and that an honest one is not.
func TestHostBound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		median, slope float64
		overhead      float64
		bound         bool
	}{
		"memory bound":           {40, 38, 23, false},
		"launch bound":           {2, 6, 23, false},
		"five launches":          {10, 45, 55, false},
		"hidden work":            {3, 60, 23, true},
		"an allocation per call": {40, 400, 23, true},
	} {
		r := New(gpu.Request{}, func(gpu.Event) {})
		v := &r.Verdict
		v.Timing = &gpu.Timing{MedianUS: c.median, HostSlopeUS: &c.slope}
		v.Baselines["reference"] = gpu.Timing{MedianUS: 100}
		v.Speedup["reference"] = 100 / c.median
		r.HoldAgainstClock(c.overhead)
		want := 100 / c.median
		if c.bound {
			want = 100 / c.slope
		}
		if len(v.Findings) > 0 != c.bound || v.Speedup["reference"] != want {
			t.Errorf("%s: findings %+v, speedup %v, want %v", name, v.Findings, v.Speedup, want)
		}
	}
}

func TestSlowedReference(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ beside, alone, want float64 }{
		"the same":          {100, 99, 4},
		"alone is unknown":  {100, 0, 4},
		"quick and noisy":   {4, 2.5, 4},
		"twice as slow":     {100, 50, 2},
		"quicker than ever": {100, 300, 4},
	} {
		r := New(gpu.Request{}, func(gpu.Event) {})
		v := &r.Verdict
		v.ScoreBasis = EagerBasis
		v.Baselines[EagerBasis] = gpu.Timing{MedianUS: c.beside}
		v.Speedup[EagerBasis] = 4
		r.HoldAgainstAlone(c.alone)
		if v.Speedup[EagerBasis] != c.want || (len(v.Findings) > 0) != (c.want != 4) {
			t.Errorf("%s: speedup %v, findings %+v; want %v", name, v.Speedup, v.Findings, c.want)
		}
	}
}

// TestTimeless holds that a claim of no time at all is a verdict that JSON can carry.
func TestTimeless(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		samples []float64
		want    bool
	}{
		"honest":                    {[]float64{2, 3, 2}, false},
		"as short as a clock tells": {[]float64{leastUS, 1}, false},
		"nothing":                   {[]float64{0, 0, 0}, true},
		"nothing once":              {[]float64{3, 0, 3}, true},
		"less than nothing":         {[]float64{3, -1, 3}, true},
		"half a nanosecond":         {[]float64{0.0005}, true},
	} {
		r := New(gpu.Request{}, func(gpu.Event) {})
		r.Verdict.Timing = &gpu.Timing{MedianUS: c.samples[0]}
		got := r.Timeless(c.samples)
		if got != c.want || (r.Verdict.Outcome == gpu.OutcomeSuspect) != c.want {
			t.Errorf("%s: %v, %q", name, got, r.Verdict.Outcome)
		}
		if _, err := json.Marshal(r.Finish(nil)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
