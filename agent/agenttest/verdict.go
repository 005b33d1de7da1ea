package agenttest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"example.com/hone/gpu"
)

const emulation = "CPU emulation"

// verdict is one whose stages passed up to, not including, the failed one; with
// none failed, all passed.
func verdict(kernel string, outcome gpu.Outcome, failed gpu.Stage, detail string) gpu.Verdict {
	sum := sha256.Sum256([]byte(kernel))
	v := gpu.Verdict{
		Schema: gpu.VerdictSchema, Task: "builtin/l1/softmax", TaskSHA256: TaskSHA256,
		Dialect: gpu.CUDA, KernelSHA256: hex.EncodeToString(sum[:]), Outcome: outcome,
		Methods:     map[string]gpu.Timing{},
		Sandbox:     map[string]string{"process group": "on", "rlimits": "on", "network": "off: not permitted"},
		Environment: map[string]string{"device": emulation, "compiler": "g++ 12.2.0", "size": "small"},
	}
	zero := 0.0
	if outcome.Scored() && !outcome.Correct() {
		v.Score = &zero
	}
	details := map[gpu.Stage]string{
		gpu.StageRules: "1 file, defines solve", gpu.StageCompile: "g++ (emulation)",
		gpu.StageRun: "3 schedules", gpu.StageCheck: "trial 5/5", gpu.StageTime: "60 samples",
	}
	times := map[gpu.Stage]float64{
		gpu.StageRules: 0.4, gpu.StageCompile: 412.7, gpu.StageRun: 18.3, gpu.StageCheck: 96.1, gpu.StageTime: 401.5,
	}
	status := gpu.StatusOK
	for _, stage := range gpu.Stages() {
		r := gpu.StageResult{Name: stage, Status: status, MS: times[stage], Detail: details[stage]}
		switch {
		case stage == failed:
			r.Status, r.Detail, status = gpu.StatusFailed, detail, gpu.StatusSkipped
		case status == gpu.StatusSkipped:
			r.MS, r.Detail = 0, ""
		}
		v.Stages = append(v.Stages, r)
	}
	return v
}

// Correct is the verdict of a kernel that passes, with its speedup over the
// native reference, by emulation.
func Correct(kernel string, speedup float64) gpu.Verdict {
	v := verdict(kernel, gpu.OutcomeCorrect, "", "")
	const reference = 3120.0
	abs, rel, pass, score := 2.98e-8, 1.7e-6, true, 0.3+speedup
	median := reference / speedup
	v.Summary = fmt.Sprintf("correct, %.2fx the reference (emulated on CPU: not a GPU time)", speedup)
	v.Feedback = fmt.Sprintf("Your kernel is correct. Its speedup over the reference is %.2f.", speedup)
	v.Check = &gpu.Check{
		Trials: 5, Passed: 5, Criterion: "fp64", MaxAbs: &abs, MaxRel: &rel, Atol: 1e-4, Rtol: 1e-4,
		KernelBenchPass: &pass, Total: 5 * 300 * 257,
	}
	v.Timing = timing(median)
	v.Baselines = map[string]gpu.Timing{"reference": *timing(reference)}
	v.Speedup = map[string]float64{"reference": speedup}
	v.Score, v.ScoreBasis = &score, "reference"
	v.Resources = []gpu.Resources{{
		Kernel: "softmax", Launches: 1, Grid: [3]int64{300, 1, 1}, Block: [3]int64{256, 1, 1}, SharedBytes: 1024,
	}}
	return v
}

func timing(median float64) *gpu.Timing {
	return &gpu.Timing{
		Device: emulation, Emulated: true, Method: "host", MedianUS: median,
		CI95US: &[2]float64{median * 0.99, median * 1.012}, Samples: 60,
	}
}

// CompileError is the verdict of a kernel with an undeclared name.
func CompileError(kernel string) gpu.Verdict {
	v := verdict(kernel, gpu.OutcomeCompile, gpu.StageCompile, "kernel.cu:15: 'maximum' was not declared")
	v.Summary = "does not compile: line 15: 'maximum' was not declared in this scope"
	v.Feedback = "Your kernel did not compile.\nkernel.cu:15:66: error: 'maximum' was not declared in this scope"
	v.Diagnostics = []gpu.Diagnostic{{
		Tool: "g++", File: "kernel.cu", Line: 15, Column: 66, Severity: "error",
		Message: "'maximum' was not declared in this scope",
		Notes:   []string{"kernel.cu:15:66: suggested alternative: 'fmaximum'"},
	}}
	return v
}

// Mismatch is the verdict of a kernel that leaves the last rows unwritten.
func Mismatch(kernel string) gpu.Verdict {
	v := verdict(kernel, gpu.OutcomeMismatch, gpu.StageCheck, "11308 of 77100 elements are wrong")
	abs, pass := 0.0291, false
	v.Summary = "wrong result: 11308 of 77100 elements, every row from 256 on was never written"
	v.Feedback = "Your kernel compiled and ran, but its output is incorrect: 11308 of 77100 elements are wrong.\n" +
		"First: y[256,0]: expected 0.00392, got NaN."
	v.Check = &gpu.Check{
		Trials: 5, Criterion: "fp64", MaxAbs: &abs, Atol: 1e-4, Rtol: 1e-4, KernelBenchPass: &pass,
		Wrong: 11308, Total: 77100, Pattern: "every row from 256 on was never written",
	}
	for i, want := range []gpu.Number{0.00392, 0.00117, 0.02914, 0.00058, 0.00433} {
		v.Check.First = append(v.Check.First, gpu.Mismatch{
			Output: "y", Index: []int64{256, int64(i)}, Expected: want, Got: nan(),
		})
	}
	return v
}
