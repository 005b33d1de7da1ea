package pytorch

import (
	"context"
	"strings"
	"testing"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
	"example.com/hone/tasks"
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

// TestCriterion holds that a verdict names what outputs were held against, and says why
// that was not the reference in double.
func TestCriterion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		doubled []bool // by trial
		want    string
	}{
		"in double":            {[]bool{true, true}, "fp64"},
		"never in double":      {[]bool{false, false}, "native"},
		"not all of them":      {[]bool{true, false}, "native"},
		"double came too late": {[]bool{false, true}, "native"},
		"not once timed":       {[]bool{true, true, false}, "native"}, // the check was written after the second
	} {
		e := &evaluation{reference: settled(t), report: report.New(gpu.Request{}, func(gpu.Event) {})}
		for trial, doubled := range c.doubled {
			b := e.reference.bench
			if trial == 2 {
				e.record(nil)
			}
			if b.doubled = doubled; !doubled {
				b.why = "double precision takes more memory than is free"
			}
			e.holdNatively(b)
		}
		if len(c.doubled) == 2 {
			e.record(nil)
		}
		found := e.report.Verdict.Findings
		told := len(found) == 1 && found[0].Kind == "native_truth" && strings.HasSuffix(found[0].Evidence, "than is free")
		if got := e.report.Verdict.Check.Criterion; got != c.want || told != (c.want == "native") {
			t.Errorf("%s: %q, findings %+v", name, got, found)
		}
	}
}

// TestOneTolerance holds that an answer in either dialect is held to the same: a task that
// was derived for the cuda dialect, and the same task as it is known by its reference.
func TestOneTolerance(t *testing.T) {
	t.Parallel()
	for name, dtypes := range map[string][]string{
		"of one type":     {"float32"},
		"halves":          {"float16"},
		"the first finer": {"float32", "float16"},
		"the first wider": {"bfloat16", "float32"},
		"with an index":   {"float32", "int64"},
	} {
		r := &reference{task: tasks.Task{ID: "mine/x", Reference: "class Model"}}
		for _, dtype := range dtypes {
			r.about.Outputs = append(r.about.Outputs, torch.Tensor{Name: "y", DType: dtype, Shape: []int64{1}})
		}
		derived, err := torch.Derive(r.task, r.about)
		if err != nil {
			t.Fatal(err)
		}
		if own, other := r.tolerance(), (&reference{task: derived, about: r.about}).tolerance(); own != other {
			t.Errorf("%s: %+v in the torch dialect, %+v in the cuda dialect", name, own, other)
		}
	}
}
