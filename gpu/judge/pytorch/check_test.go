package pytorch

import (
	"context"
	"testing"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
)

// scripted is an answer that ends each call as it is told to, and writes nothing.
type scripted struct {
	answer
	fault *process.Fault
	calls int
}

func (a *scripted) hand(context.Context, ...lot) (*process.Fault, error) { return nil, nil }

func (a *scripted) call(context.Context, call) (called, *process.Fault, error) {
	a.calls++
	return called{}, a.fault, nil
}

// ways is a form whose answers run in these ways.
type ways struct {
	form
	list []run
}

func (w ways) runs(int) []run { return w.list }

// settled is a reference with one output of one element, which is expected to hold what
// outputs are filled with.
func settled(t *testing.T) *reference {
	t.Helper()
	out := torch.Tensor{Name: "out", DType: "int32", Shape: []int64{1}}
	r := &reference{memory: hostMemory{}, about: torch.Description{Outputs: []torch.Tensor{out}}}
	b := &bench{reference: r}
	for _, part := range []struct {
		into  *tensors
		about []torch.Tensor
	}{{&b.inputs, nil}, {&b.state, nil}, {&b.native, r.about.Outputs}, {&b.exact, nil}} {
		made, err := r.memory.make(t.Context(), part.about)
		if err != nil {
			t.Fatal(err)
		}
		*part.into = made
	}
	t.Cleanup(func() { _ = b.close() })
	if err := b.native.fill(t.Context(), fillerFinite); err != nil {
		t.Fatal(err)
	}
	r.bench = b
	return r
}

// TestTooSlowToWatch holds that an answer is judged by its plain runs once watching it took
// too long: that ends the process, of which nothing more is asked.
func TestTooSlowToWatch(t *testing.T) {
	t.Parallel()
	slow := &process.Fault{Kind: process.FaultTimeout, Message: "did not end within 1s"}
	for name, c := range map[string]struct {
		watched *process.Fault
		plain   *process.Fault
		calls   int // of the watched build, of two
		outcome gpu.Outcome
	}{
		"in time":           {nil, nil, 2, ""},
		"too slow":          {slow, nil, 1, ""},
		"it fails watched":  {&process.Fault{Kind: process.FaultExit}, nil, 1, gpu.OutcomeRuntime},
		"it is slow anyway": {slow, slow, 1, gpu.OutcomeTimeout},
	} {
		watched, plain := &scripted{fault: c.watched}, &scripted{fault: c.plain}
		e := &evaluation{
			reference: settled(t), report: report.New(gpu.Request{}, func(gpu.Event) {}),
			form: ways{list: []run{{answer: watched, watched: true}, {answer: watched, watched: true}, {answer: plain}}},
		}
		if err := e.tryEach(t.Context(), trial{}, call{}, fillerFinite); err != nil {
			t.Fatal(err)
		}
		if watched.calls != c.calls || e.report.Verdict.Outcome != c.outcome {
			t.Errorf("%s: %d watched calls, outcome %q, findings %+v", name, watched.calls, e.report.Verdict.Outcome, e.report.Verdict.Findings)
		}
	}
}
