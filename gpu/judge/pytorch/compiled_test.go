package pytorch

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
)

func TestReadyCompiled(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	close(done)
	for name, c := range map[string]struct {
		compiled *compiled
		why      bool
	}{
		"none":    {nil, false},
		"working": {&compiled{done: make(chan struct{})}, false},
		"refused": {&compiled{done: done, refused: "torch 1.13 has no torch.compile"}, true},
	} {
		if c.compiled.ready() {
			t.Errorf("%s: it is said to be ready", name)
		}
		if why := c.compiled.why(); (why != "") != c.why {
			t.Errorf("%s: there is nothing to time because of %q", name, why)
		}
		if err := c.compiled.home(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCompiledRests holds that no process is started for torch.compile while an answer is
// timed, and that one which works is stopped meanwhile.
func TestCompiledRests(t *testing.T) {
	none := (*compiled)(nil)
	resume, err := none.rest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	resume()
	b := newBench(t)
	p, err := b.judge.shop.oracle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	path, err := b.judge.shop.file("reference.py", taskOf(t, "add").Reference)
	if err != nil {
		t.Fatal(err)
	}
	c := &compiled{done: make(chan struct{}), gate: make(chan struct{}, 1), process: p, launched: p.Process}
	if resume, err = c.rest(t.Context()); err != nil {
		t.Fatal(err)
	}
	late, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := c.start(late, b.judge.shop); err == nil || c.process != p {
		t.Errorf("a process was started while an answer was timed: %v", err)
	}
	if c.ready() || c.why() != "" {
		t.Error("what rests takes part, or is said to be refused")
	}
	resume()
	if _, fault, err := p.Load(t.Context(), path, loadLimit); fault != nil || err != nil {
		t.Fatalf("it does not go on: %v, %v", fault, err)
	}
	if resume, err = c.rest(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer resume()
	if _, fault, err := p.Load(t.Context(), path, 100*time.Millisecond); err != nil || fault == nil || fault.Kind != process.FaultTimeout {
		t.Errorf("it worked on while an answer was timed: %v, %v", fault, err)
	}
}

// TestCompiledRestsAsItStarts holds that no verdict waits for a process that has still to
// import torch, and that it goes on afterwards.
func TestCompiledRestsAsItStarts(t *testing.T) {
	b := newBench(t)
	c := &compiled{done: make(chan struct{}), gate: make(chan struct{}, 1)}
	started := make(chan error, 1)
	go func() { started <- c.start(t.Context(), b.judge.shop) }()
	for launched := false; !launched; {
		resume, err := c.rest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if launched = c.launched != nil; launched {
			select {
			case <-started:
				t.Error("it started all the same, or resting waited for that")
			case <-time.After(100 * time.Millisecond):
			}
		}
		resume()
	}
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	if err := c.process.Close(); err != nil {
		t.Error(err)
	}
}

// TestCompiledTakesPart holds that a verdict has a time of torch.compile, or says why not.
func TestCompiledTakesPart(t *testing.T) {
	b := newBench(t)
	if _, err := b.judge.Describe(t.Context(), taskOf(t, "add")); err != nil {
		t.Fatal(err)
	}
	r, err := b.judge.references.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.compiled == nil {
		r.compiled = b.judge.shop.compileInBackground(r)
	}
	<-r.compiled.done
	if refused := r.compiled.refused; refused != "" && r.compiled.process.Alive() {
		t.Errorf("refused as %q, and its process goes on", refused)
	}
	own := read(t, filepath.Join(collection, "cuda", "add", "grid_stride.cu"))
	v := b.judged(t, "add", gpu.Request{Dialect: gpu.CUDA, Kernel: own}, []expectation{{gpu.OutcomeCorrect, ""}})
	if _, timed := v.Baselines[report.CompileBasis]; timed == missing(v, "torch.compile") {
		t.Errorf("timed: %v, findings %+v", timed, v.Findings)
	}
}

// missing reports whether a verdict says why it has no time of a baseline.
func missing(v gpu.Verdict, name string) bool {
	return slices.ContainsFunc(v.Findings, func(f gpu.Finding) bool {
		return f.Kind == "no_baseline" && strings.HasPrefix(f.Evidence, "no time of "+name+": ") && f.Severity == report.Warning
	})
}

// TestStumble holds whom a fault in the measurement ends.
func TestStumble(t *testing.T) {
	t.Parallel()
	fault := &process.Fault{Kind: process.FaultExit, Message: "ended"}
	for name, c := range map[string]struct {
		fault   *process.Fault
		out     bool
		fails   bool
		outcome gpu.Outcome
	}{
		newest:              {fault, false, false, gpu.OutcomeRuntime},
		report.EagerBasis:   {fault, false, true, ""},
		report.CompileBasis: {fault, true, false, ""},
		best:                {fault, true, false, ""},
		"nobody":            {nil, false, false, ""},
	} {
		e := &evaluation{reference: &reference{}, report: report.New(gpu.Request{}, func(gpu.Event) {})}
		r := &racer{name: name}
		err := e.stumble(r, c.fault, nil)
		if r.out != c.out || (err != nil) != c.fails || e.report.Verdict.Outcome != c.outcome {
			t.Errorf("%s: out %v, error %v, outcome %q", name, r.out, err, e.report.Verdict.Outcome)
		}
		if told := missing(e.report.Verdict, gpu.BaselineName(name)); told != c.out {
			t.Errorf("%s: findings %+v", name, e.report.Verdict.Findings)
		}
	}
}
