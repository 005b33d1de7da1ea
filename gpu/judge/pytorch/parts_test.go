package pytorch

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/roofline"
	"example.com/hone/gpu/torch"
	"example.com/hone/tasks"
)

// TestPlan holds where a part's tensors lie on a GPU.
func TestPlan(t *testing.T) {
	t.Parallel()
	many := make([]torch.Tensor, mostCarriers+1)
	for i := range many {
		many[i] = torch.Tensor{Name: "p", DType: "float32", Shape: []int64{65}} // 260 bytes
	}
	for name, c := range map[string]struct {
		about  []torch.Tensor
		plans  int
		bytes  int64 // of the last allocation
		offset int64 // of the last tensor
		whole  bool  // the last tensor is its allocation
	}{
		"its own":           {[]torch.Tensor{{DType: "int64", Shape: []int64{2, 3}}}, 1, 48, 0, true},
		"a scalar":          {[]torch.Tensor{{DType: "float16"}}, 1, 2, 0, true},
		"a type of Python":  {[]torch.Tensor{{DType: "bool", Shape: []int64{5}}}, 1, 8, 0, false},
		"nothing in it":     {[]torch.Tensor{{DType: "float32", Shape: []int64{0, 7}}}, 1, 4, 0, false},
		"too many for each": {many, 1, int64(len(many)) * 512, int64(mostCarriers) * 512, false},
	} {
		made := deviceTensors{about: c.about}
		plans := made.plan()
		last := plans[len(plans)-1]
		elements := int64(1)
		for _, n := range last.shape {
			elements *= n
		}
		at := made.places[len(made.places)-1]
		if len(plans) != c.plans || elements*last.dtype.Bytes() != c.bytes || at.offset != c.offset || at.whole != c.whole {
			t.Errorf("%s: %+v at %+v", name, plans, at)
		}
	}
}

// TestRoofline holds what a task's tensors are counted as, and that only the outputs
// condemn a time.
func TestRoofline(t *testing.T) {
	t.Parallel()
	flops := int64(2_000_000_000)
	r := &reference{task: tasks.Task{ID: "a/b"}, about: torch.Description{
		Inputs:  []torch.Value{{Kind: torch.KindTensor, Tensor: &torch.Tensor{DType: "float32", Shape: []int64{1000, 1000}}}, {Kind: torch.KindText}},
		State:   []torch.Tensor{{DType: "float16", Shape: []int64{1000}}},
		Outputs: []torch.Tensor{{DType: "bool", Shape: []int64{1_000_000}}},
		Flops:   &flops,
	}}
	peaks := peaks()
	line, err := r.roofline(peaks, 10)
	if err != nil || line.Bytes != 4_000_000+2000+1_000_000 || line.Flops == nil || *line.Flops != flops {
		t.Fatalf("%+v, %v", line, err)
	}
	for name, c := range map[string]struct {
		us   float64
		want bool
	}{
		"as slow as all bytes":  {5.1, false},
		"as slow as the output": {1.1, false},
		"faster":                {0.2, true},
		"by less than is known": {0.7, false},
	} {
		e := &evaluation{reference: r, peaks: peaks, report: report.New(gpu.Request{}, func(gpu.Event) {})}
		e.report.Verdict.Timing = &gpu.Timing{MedianUS: c.us}
		if got := e.impossible(); got != c.want || (e.report.Verdict.Outcome == gpu.OutcomeSuspect) != c.want {
			t.Errorf("%s: %v, %s", name, got, e.report.Verdict.Outcome)
		}
	}
}

// peaks are those of a device that moves a byte each picosecond.
func peaks() roofline.Peaks {
	points := []roofline.Point{{Bytes: 1 << 10, US: 1.024e-3, Best: "a"}, {Bytes: 1 << 30, US: 1073.7, Best: "a"}}
	return roofline.Peaks{
		Memory:  []roofline.Curve{{Reads: 1, Points: points}, {Reads: 1, Writes: 1, Points: points}, {Writes: 1, Points: points}},
		Compute: map[string]float64{roofline.FP32: 1e15},
	}
}

// idle is an answer each of whose calls keeps a processor busy for so long, and does nothing.
type idle struct {
	answer
	each  time.Duration
	calls int
	fault *process.Fault
}

func (a *idle) call(_ context.Context, c call) (called, *process.Fault, error) {
	a.calls += c.repeat
	for began := time.Now(); time.Since(began) < a.each*time.Duration(c.repeat); {
		continue
	}
	return called{}, a.fault, nil
}

// TestEmulatedTimesAreDoubted holds that long turns alone condemn no answer, and that calls
// which are longer than claimed do.
func TestEmulatedTimesAreDoubted(t *testing.T) {
	t.Parallel()
	const claim = 100.0 // microseconds
	for name, c := range map[string]struct {
		clock   float64 // of a call in a turn
		each    time.Duration
		fault   *process.Fault
		asked   bool // calls are timed again
		outcome gpu.Outcome
	}{
		"as claimed":          {3400, 0, nil, false, ""},
		"a busy machine":      {11_000, 0, nil, true, ""},
		"longer than claimed": {11_000, 30 * time.Millisecond, nil, true, gpu.OutcomeSuspect},
		"it fails then":       {11_000, 0, &process.Fault{Kind: process.FaultTimeout}, true, gpu.OutcomeTimeout},
	} {
		own := &idle{each: c.each, fault: c.fault}
		e := &evaluation{own: own, report: report.New(gpu.Request{}, func(gpu.Event) {})}
		e.report.Verdict.Timing = &gpu.Timing{MedianUS: claim}
		err := e.holdAgainstTurns(t.Context(), &racer{clock: []float64{c.clock}})
		if err != nil || e.report.Verdict.Outcome != c.outcome || (own.calls > 0) != c.asked {
			t.Errorf("%s: %v, %q after %d calls", name, err, e.report.Verdict.Outcome, own.calls)
		}
	}
	if doubtful(3499, claim) || !doubtful(3501, claim) {
		t.Error("the bound is five times the claim and 3 ms")
	}
}

// TestClaimOfNoTime holds that an answer that claims to take no time is suspect, in figures
// that JSON can carry.
func TestClaimOfNoTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		own  []float64 // microseconds
		want gpu.Outcome
	}{
		"honest":       {[]float64{5, 5, 5}, ""},
		"nothing":      {[]float64{0, 0, 0}, gpu.OutcomeSuspect},
		"nothing once": {[]float64{5, 0, 5}, gpu.OutcomeSuspect},
	} {
		e := &evaluation{shop: &workshop{}, report: report.New(gpu.Request{}, func(gpu.Event) {})}
		e.course = &course{racers: []*racer{
			{name: newest, samples: c.own, clock: []float64{5}}, {name: report.EagerBasis, samples: []float64{7, 7, 7}},
			{name: best, samples: []float64{0, 0, 0}},
		}}
		if _, err := e.settleTimes(t.Context(), nil); err != nil || e.report.Verdict.Outcome != c.want {
			t.Errorf("%s: %v, %q", name, err, e.report.Verdict.Outcome)
		}
		if _, err := json.Marshal(e.report.Finish(nil)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLimitOfATurn(t *testing.T) {
	t.Parallel()
	e := &evaluation{req: gpu.Request{Limits: gpu.Limits{Run: time.Second}}}
	if got := e.limit(&racer{}, 4); got != 10*time.Second {
		t.Errorf("before its pace is known: %v", got)
	}
	if got := e.limit(&racer{pace: time.Millisecond}, 4); got > 2*time.Second || got < time.Second {
		t.Errorf("with a pace of 1 ms: %v", got)
	}
}
