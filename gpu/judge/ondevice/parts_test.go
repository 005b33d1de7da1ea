package ondevice

import (
	"errors"
	"testing"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/tasks"
)

func TestTrials(t *testing.T) {
	t.Parallel()
	list := trials(tasks.SizeSet{Name: "full"}, 3)
	if len(list) != leastTrials {
		t.Fatalf("%d trials, want %d", len(list), leastTrials)
	}
	seeds := map[uint64]bool{}
	own := 0
	for _, trial := range list {
		seeds[trial.seed] = true
		if trial.own() {
			own++
		}
	}
	if len(seeds) != leastTrials-1 || own != leastTrials-2 || list[2].seed != list[0].seed || list[2].changed == 0 || list[1].factor >= 0 {
		t.Errorf("trials %+v", list)
	}
	if n := len(trials(tasks.SizeSet{}, 9)); n != 9 {
		t.Errorf("%d trials, want the 9 asked for", n)
	}
}

// TestHostBound holds that a call which costs more than the events saw is counted
// by the judge's clock, and that an honest one is not.
func TestHostBound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		median, slope float64
		launches      int64
		bound         bool
	}{
		"memory bound":           {40, 38, 1, false},
		"launch bound":           {2, 6, 1, false},
		"five launches":          {10, 45, 5, false},
		"hidden work":            {3, 60, 1, true},
		"an allocation per call": {40, 400, 1, true},
	} {
		e := &evaluation{report: report.New(gpu.Request{}, ignore)}
		v := &e.report.Verdict
		v.Timing = &gpu.Timing{MedianUS: c.median, HostSlopeUS: &c.slope}
		v.Resources = []gpu.Resources{{Launches: c.launches}}
		v.Baselines["reference"] = gpu.Timing{MedianUS: 100}
		v.Speedup["reference"] = 100 / c.median
		e.holdAgainstClock(v)
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
		e := &evaluation{report: report.New(gpu.Request{}, ignore)}
		v := &e.report.Verdict
		v.Baselines["reference"] = gpu.Timing{MedianUS: c.beside}
		v.Speedup["reference"] = 4
		e.holdAgainstAlone(v, c.alone)
		if v.Speedup["reference"] != c.want || (len(v.Findings) > 0) != (c.want != 4) {
			t.Errorf("%s: speedup %v, findings %+v; want %v", name, v.Speedup, v.Findings, c.want)
		}
	}
}

// TestDropWaits holds that references are not ended while the last evaluation,
// whose verdict is out, still uses them.
func TestDropWaits(t *testing.T) {
	t.Parallel()
	cancelled := false
	leaving, done := make(chan error), make(chan struct{})
	close(done)
	v := &Evaluator{leaving: leaving, next: &preparing{cancel: func() { cancelled = true }, done: done}}
	early := make(chan bool, 1)
	go func() {
		early <- cancelled
		leaving <- errors.New("still there")
	}()
	if err := v.drop(); err == nil || <-early || !cancelled || v.next != nil {
		t.Errorf("drop: %v, cancelled %v, next %v", err, cancelled, v.next)
	}
	if err := v.drop(); err != nil {
		t.Errorf("a second time: %v", err)
	}
}
