package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/stat"
	"example.com/hone/tasks"
)

// benchReport is what doctor --bench measured. What could not be measured is nil,
// and said in Problems.
type benchReport struct {
	Device   string            `json:"device"`
	Emulated bool              `json:"emulated"`
	Judging  *judgingBench     `json:"judging"`
	Sandbox  map[string]string `json:"sandbox"` // of the process that ran the kernel: layer -> "on" or "off: reason"
	GPU      *gpuBench         `json:"gpu"`     // the device by itself; nil by emulation
	Problems []string          `json:"problems"`
}

// judgingBench is what whole evaluations of a small kernel took, none of them from
// a cache.
type judgingBench struct {
	Evaluations int     `json:"evaluations"`
	CompileMS   float64 `json:"compile_ms"` // median
	VerdictMS   float64 `json:"verdict_ms"` // median, from the kernel's text to its verdict
	KernelUS    float64 `json:"kernel_us"`  // median of the medians
	Spread      float64 `json:"spread"`     // of the medians: (greatest - least) / median
}

// benchEvaluations is how many kernels the bench has judged.
const benchEvaluations = 5

// benchKernel adds two vectors. The number makes each a kernel not seen before.
const benchKernel = `constexpr long long unseen = %d;
__global__ void add(const float* a, const float* b, float* c, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n && unseen > 0) c[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}
`

// benchTask is what benchKernel computes.
const benchTask = "builtin/l1/vector_add"

// bench measures what evaluations take here, and the GPU where there is one.
func (a *app) bench(ctx context.Context) benchReport {
	report := benchReport{Sandbox: map[string]string{}, Problems: []string{}}
	err := a.benchJudging(ctx, &report)
	if err == nil && !report.Emulated {
		report.GPU, err = a.benchGPU(ctx)
	}
	if err != nil {
		report.Problems = append(report.Problems, err.Error())
	}
	return report
}

// benchJudging has a judge of its own evaluate a few kernels.
func (a *app) benchJudging(ctx context.Context, report *benchReport) error {
	task, err := a.findTask(benchTask)
	if err != nil {
		return err
	}
	evaluator, err := a.evaluator()
	if err != nil {
		return err
	}
	defer evaluator.Close()
	machine, err := evaluator.Machine(ctx, gpu.CUDA)
	if err != nil {
		return err
	}
	report.Device, report.Emulated = machine.Device, machine.Emulated
	samples, err := evaluateUnseen(ctx, a.config.judging(evaluator), task)
	if err != nil {
		return fmt.Errorf("evaluate a small kernel: %w", err)
	}
	judging := summarise(samples)
	report.Judging, report.Sandbox = &judging, samples[len(samples)-1].verdict.Sandbox
	return nil
}

// evaluation is one verdict and how long it took.
type evaluation struct {
	verdict gpu.Verdict
	took    time.Duration
}

// evaluateUnseen judges kernels that no cache holds. The first, which also gets
// the references ready, is not counted.
func evaluateUnseen(ctx context.Context, evaluator gpu.Evaluator, task tasks.Task) ([]evaluation, error) {
	var samples []evaluation
	for i := range benchEvaluations + 1 {
		began := time.Now()
		verdict, err := evaluator.Evaluate(ctx, gpu.Request{
			Task: task, Dialect: gpu.CUDA, Kernel: fmt.Sprintf(benchKernel, began.UnixNano()),
		}, func(gpu.Event) {})
		switch {
		case err != nil:
			return nil, err
		case !verdict.Outcome.Correct() || verdict.Timing == nil:
			return nil, errors.New(verdict.Summary)
		case i > 0:
			samples = append(samples, evaluation{verdict, time.Since(began)})
		}
	}
	return samples, nil
}

func summarise(samples []evaluation) judgingBench {
	var compile, whole, kernel []float64
	for _, s := range samples {
		for _, stage := range s.verdict.Stages {
			if stage.Name == gpu.StageCompile {
				compile = append(compile, stage.MS)
			}
		}
		whole = append(whole, float64(s.took)/float64(time.Millisecond))
		kernel = append(kernel, s.verdict.Timing.MedianUS)
	}
	middle := stat.Median(kernel)
	return judgingBench{
		Evaluations: len(samples), CompileMS: stat.Median(compile), VerdictMS: stat.Median(whole), KernelUS: middle,
		Spread: (slices.Max(kernel) - slices.Min(kernel)) / middle,
	}
}

// text is the report for a person, with tabs between its columns.
func (r *benchReport) text() string {
	var b strings.Builder
	row := func(status, name, detail string) { fmt.Fprintf(&b, "%s\t%s\t%s\n", status, name, detail) }
	emulated := ""
	if r.Emulated {
		emulated = " (emulated on CPU: not a GPU time)"
	}
	if j := r.Judging; j != nil {
		row("", "compile", fmt.Sprintf("%.0f ms, a kernel not seen before", j.CompileMS))
		row("", "verdict", fmt.Sprintf("%.0f ms from its text to its verdict, the median of %d", j.VerdictMS, j.Evaluations))
		row("", "spread", fmt.Sprintf("%.2f %% between their medians of %.3g us%s", 100*j.Spread, j.KernelUS, emulated))
	}
	if r.GPU != nil {
		for _, l := range r.GPU.lines() {
			row("", l.Name, l.Value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Sandbox)) {
		status := "ok"
		if r.Sandbox[name] != "on" {
			status = "off"
		}
		row(status, "kernel sandbox: "+name, r.Sandbox[name])
	}
	for _, p := range r.Problems {
		row("off", "bench", p)
	}
	return b.String()
}
