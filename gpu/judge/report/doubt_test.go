package report

import (
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
