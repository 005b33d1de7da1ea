package ondevice

import (
	"testing"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/worker"
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

func TestOverhead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		claimed []int64
		want    float64 // launches that are excused
	}{
		"none":             {nil, 0},
		"of two kernels":   {[]int64{2, 3}, 5},
		"more than any":    {[]int64{1 << 40, 1 << 62, 1 << 62}, excusedLaunches},
		"a negative claim": {[]int64{-7, 3}, 3},
	} {
		var kernels []gpu.Resources
		for _, n := range c.claimed {
			kernels = append(kernels, gpu.Resources{Launches: n})
		}
		if got, want := overheadUS(kernels), callOverheadUS+c.want*launchOverheadUS; got != want {
			t.Errorf("%s: they may cost %v us, want %v", name, got, want)
		}
	}
}

// TestStumble holds what a fault in the measurement means, by whose it is.
func TestStumble(t *testing.T) {
	t.Parallel()
	fault := process.Fault{Kind: worker.FaultTimeout, Message: "did not end within 5s"}
	for name, c := range map[string]struct {
		outcome gpu.Outcome
		finding string
		failed  bool // it is an error
	}{
		candidate:         {gpu.OutcomeTimeout, "timeout", false},
		best:              {"", "no_baseline", false},
		report.ScoreBasis: {"", "", true},
	} {
		e := &evaluation{report: report.New(gpu.Request{}, func(gpu.Event) {})}
		r := &racer{name: name}
		err := e.stumble(r, fault)
		v := e.report.Verdict
		if (err != nil) != c.failed || v.Outcome != c.outcome || r.out != (name == best) {
			t.Errorf("%s: outcome %q, out %v, %v", name, v.Outcome, r.out, err)
		}
		if (c.finding == "") != (len(v.Findings) == 0) || c.finding != "" && v.Findings[0].Kind != c.finding {
			t.Errorf("%s: findings %+v, want %s", name, v.Findings, c.finding)
		}
	}
	course := &course{racers: []*racer{{name: candidate}, {name: report.ScoreBasis}, {name: best, out: true}}}
	if running := course.running(); len(running) != 2 {
		t.Errorf("%d take turns, want 2", len(running))
	}
}
