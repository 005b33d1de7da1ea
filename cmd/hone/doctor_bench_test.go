package main

import (
	"context"
	"errors"
	"math"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.com/hone/agent/agenttest"
	"example.com/hone/gpu"
	"example.com/hone/gpu/roofline"
)

func TestBenchIsAMedianOfKernelsNotSeenBefore(t *testing.T) {
	t.Parallel()
	fake := &agenttest.Evaluator{}
	for range benchEvaluations + 1 {
		fake.Judgements = append(fake.Judgements, agenttest.Judgement{Verdict: agenttest.CorrectOnGPU("k", 2)})
	}
	samples, err := evaluateUnseen(t.Context(), fake, agenttest.Task())
	if err != nil {
		t.Fatal(err)
	}
	if got := summarise(samples); got.Evaluations != benchEvaluations || got.CompileMS != 183.4 || got.KernelUS != 260 || got.Spread != 0 {
		t.Errorf("got %+v", got)
	}
	seen := map[string]bool{}
	for _, r := range fake.Requests() {
		seen[r.Kernel] = true
	}
	if len(seen) != benchEvaluations+1 {
		t.Errorf("%d different kernels, want %d", len(seen), benchEvaluations+1)
	}
}

func TestBenchSaysWhatWentWrong(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		judgement agenttest.Judgement
		want      string
	}{
		"not correct": {agenttest.Judgement{Verdict: agenttest.CompileError("k")}, "does not compile"},
		"no verdict":  {agenttest.Judgement{Error: errors.New("the judge ended")}, "the judge ended"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := evaluateUnseen(t.Context(), &agenttest.Evaluator{Judgements: []agenttest.Judgement{tt.judgement}}, agenttest.Task())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestSpreadIsTheRangeOfTheMedians(t *testing.T) {
	t.Parallel()
	var samples []evaluation
	for _, us := range []float64{99, 101, 100} {
		samples = append(samples, evaluation{
			verdict: gpu.Verdict{Timing: &gpu.Timing{MedianUS: us}, Stages: []gpu.StageResult{{Name: gpu.StageCompile, MS: us}}},
			took:    time.Duration(us) * time.Millisecond,
		})
	}
	got := summarise(samples)
	if math.Abs(got.Spread-0.02) > 1e-12 || got.CompileMS != 100 || got.VerdictMS != 100 || got.KernelUS != 100 {
		t.Errorf("got %+v", got)
	}
}

// TestReadSelfTest reads what the process that measures a GPU said, also when it
// crashed.
func TestReadSelfTest(t *testing.T) {
	t.Parallel()
	crash := exec.CommandContext(t.Context(), "sh", "-c", "echo 'hone: use GPU 7: there are 2' >&2; exit 1")
	_, ended := crash.Output()
	for name, tt := range map[string]struct {
		out  string
		err  error
		want string // part of the error, "" for none
	}{
		"answer":    {`{"self_test":{"copy_gbps":4000},"peaks":{}}`, nil, ""},
		"crash":     {"", ended, "measure the GPU: hone: use GPU 7: there are 2"},
		"no answer": {"", nil, "measure the GPU: unexpected end"},
		"too late":  {"", context.DeadlineExceeded, "measure the GPU: context deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bench, err := readSelfTest([]byte(tt.out), tt.err)
			if tt.want == "" && (err != nil || bench.SelfTest.CopyGBps != 4000) {
				t.Errorf("%+v, %v", bench, err)
			}
			if tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestBenchForAPerson(t *testing.T) {
	t.Parallel()
	r := benchReport{
		Device: "NVIDIA H200", Judging: &judgingBench{Evaluations: 5, CompileMS: 183, VerdictMS: 700, KernelUS: 9.87, Spread: 0.004},
		Sandbox:  map[string]string{"landlock": "on", "network": "off: not permitted"},
		GPU:      &gpuBench{SelfTest: roofline.SelfTest{CopyGBps: 4000}, Peaks: roofline.Peaks{Compute: map[string]float64{"fp32": 6e13}}},
		Problems: []string{"something"},
	}
	text := r.text()
	for _, want := range []string{
		"\tcompile\t183 ms, a kernel not seen before\n", "\tspread\t0.40 % between their medians of 9.87 us\n",
		"\tcopy bandwidth\t4000 GB/s\n", "\tpeak fp32\t60.0 TFLOP/s\n", "ok\tkernel sandbox: landlock\ton\n",
		"off\tkernel sandbox: network\toff: not permitted\n", "off\tbench\tsomething\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "emulated") {
		t.Error("a GPU's time is called emulated")
	}
}
