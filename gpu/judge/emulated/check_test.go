package emulated

import (
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/worker"
	"example.com/hone/tasks"
)

// blank is an evaluation that nothing is known of yet.
func blank() *evaluation {
	return &evaluation{report: report.New(gpu.Request{}, func(gpu.Event) {})}
}

// floats is an output of one row.
func floats(elements ...float64) check.Values {
	v := check.Values{Name: "y", DType: tasks.Float32, Shape: []int64{1, int64(len(elements))}, Bytes: make([]byte, 4*len(elements))}
	for i, e := range elements {
		v.SetFloat(i, e)
	}
	return v
}

// sample is a trial with this truth, drawn as the task says.
func sample(truth ...float64) trial {
	return trial{about: freshInputs, own: true, truth: []check.Values{floats(truth...)}, baseline: []check.Values{floats(truth...)}}
}

func ran(schedule int, filler byte, elements ...float64) attempt {
	return attempt{outputs: []check.Values{floats(elements...)}, schedule: schedule, filler: filler}
}

var tight = tasks.Tolerance{Abs: 1e-5, Rel: 1e-5}

func TestCount(t *testing.T) {
	t.Parallel()
	e := blank()
	e.req.Task.Tolerance = tight
	e.count(sample(1, 2), []attempt{ran(0, fillerNaN, 1, 2), ran(0, fillerFinite, 1, 2)})
	scaled := sample(8, 16)
	scaled.own = false
	e.count(scaled, []attempt{ran(0, fillerNaN, 8, 17)})
	e.count(sample(3, 4), []attempt{ran(0, fillerNaN, 3, 4), ran(1, fillerNaN, 0, 4)})
	e.concludeCheck()
	c := e.report.Verdict.Check
	if c.Trials != 3 || c.Passed != 1 || c.Wrong != 2 || c.Total != 6 || *c.MaxAbs != 3 {
		t.Errorf("check = %+v, worst %v", c, *c.MaxAbs)
	}
	if c.KernelBenchPass == nil || *c.KernelBenchPass {
		t.Errorf("KernelBench passes: %v; one of the task's own trials fails it", c.KernelBenchPass)
	}
	if len(c.First) != 1 || c.First[0].Trial != 1 || c.First[0].Got != 17 {
		t.Errorf("first = %+v, want the first trial that failed", c.First)
	}
}

func TestDifferComparesOnlyRunsThatBeganAlike(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for name, c := range map[string]struct {
		runs []attempt
		want bool
	}{
		"one run":                  {[]attempt{ran(0, fillerNaN, 1)}, false},
		"the same":                 {[]attempt{ran(0, fillerNaN, 1), ran(1, fillerNaN, 1)}, false},
		"within rounding":          {[]attempt{ran(0, fillerNaN, 1), ran(1, fillerNaN, 1.000001)}, false},
		"another schedule":         {[]attempt{ran(0, fillerNaN, 1), ran(1, fillerNaN, 2)}, true},
		"a third schedule":         {[]attempt{ran(0, fillerNaN, 1), ran(1, fillerNaN, 1), ran(2, fillerNaN, nan)}, true},
		"another filler explains":  {[]attempt{ran(0, fillerNaN, nan), ran(1, fillerFinite, 7)}, false},
		"two builds, one schedule": {[]attempt{ran(0, fillerNaN, 1), ran(0, fillerNaN, 2)}, false},
	} {
		if got := differ(c.runs, tight); got != c.want {
			t.Errorf("%s: differ = %v, want %v", name, got, c.want)
		}
	}
}

func TestDoubt(t *testing.T) {
	t.Parallel()
	const quick = 100
	six := func(us float64) []float64 { return slices.Repeat([]float64{us}, minSamples) }
	for name, c := range map[string]struct {
		repeat          int
		samples         []float64
		singles, claims []float64
		want            string
	}{
		"honest":           {20, six(quick), six(180), six(0.97), ""},
		"a busy machine":   {20, six(quick), append(six(9000), 180), append(six(0.1), 0.97), ""},
		"a tiny kernel":    {999, six(1), six(60), six(0.9), ""},
		"too few samples":  {20, []float64{quick}, []float64{2000}, []float64{0.01}, ""},
		"a slow kernel":    {1, six(5000), nil, six(0.99), ""},
		"work skipped":     {20, six(quick), six(2000), six(0.97), "on its own"},
		"a claim too long": {20, []float64{quick}, nil, []float64{1.5}, "more time than passed"},
		"a claim too low":  {20, six(quick), six(180), six(0.01), "1% of the time"},
	} {
		e := blank()
		e.doubt(&racer{repeat: c.repeat, samples: c.samples, singles: c.singles, claims: c.claims})
		if (e.report.Verdict.Outcome == gpu.OutcomeSuspect) != (c.want != "") || !strings.Contains(e.report.Verdict.Summary, c.want) {
			t.Errorf("%s: %s %q, want %q", name, e.report.Verdict.Outcome, e.report.Verdict.Summary, c.want)
		}
	}
}

func TestSharedMemoryIsPoisonedDifferently(t *testing.T) {
	t.Parallel()
	seen := map[byte]bool{}
	for _, schedule := range []int{worker.ScheduleForward, worker.ScheduleReverse, worker.ScheduleSeeded} {
		seen[sharedPoison(schedule)] = true
	}
	if len(seen) != 3 {
		t.Errorf("only %d poisons for three schedules", len(seen))
	}
}
