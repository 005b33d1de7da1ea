package agenttest

import (
	"fmt"

	"example.com/hone/gpu"
)

// card is the GPU of the stories. Its figures are invented, of a believable size.
const card = "NVIDIA H200"

// The work of [Task] at its full size, and what the invented card could do.
const (
	cardBytes    = 2 * 4 * 16384 * 4096
	cardFlops    = 5 * 16384 * 4096
	cardGBps     = 4150.0
	cardTFlops   = 62.0
	cardFloor    = cardBytes / cardGBps / 1e3 // microseconds
	cardBaseline = 520.0
)

// onCard makes a verdict of the CPU emulation one of the card.
func onCard(v gpu.Verdict) gpu.Verdict {
	v.Sandbox = map[string]string{"landlock": "on", "no_new_privs": "on", "rlimits": "on", "seccomp": "on"}
	v.Environment = map[string]string{"device": card, "compiler": "NVRTC 13.0, g++ 12.2.0", "size": "full"}
	details := map[gpu.Stage]string{
		gpu.StageCompile: "NVRTC and g++", gpu.StageRun: "softmax<<<16384, 256>>>", gpu.StageTime: "120 samples",
	}
	times := map[gpu.Stage]float64{
		gpu.StageRules: 0.2, gpu.StageCompile: 183.4, gpu.StageRun: 9.1, gpu.StageCheck: 61.7, gpu.StageTime: 288.3,
	}
	for i, s := range v.Stages {
		if s.Status == gpu.StatusSkipped {
			continue
		}
		v.Stages[i].MS = times[s.Name]
		if text, ok := details[s.Name]; ok && s.Status == gpu.StatusOK {
			v.Stages[i].Detail = text
		}
	}
	return v
}

// CorrectOnGPU is the verdict of a kernel that passes, with its speedup over the
// native reference, on a GPU. A slow one spills, and met a power limit.
func CorrectOnGPU(kernel string, speedup float64) gpu.Verdict {
	v := onCard(Correct(kernel, speedup))
	median := cardBaseline / speedup
	v.Summary = fmt.Sprintf("correct, %.2fx the reference, %.4g us", speedup, median)
	v.Timing = cardTiming("cold", median)
	v.Methods = map[string]gpu.Timing{
		"warm": *cardTiming("warm", median*0.96), "sustained": *cardTiming("sustained", median*1.03),
		"graph": *cardTiming("graph", median*1.01),
	}
	v.Baselines = map[string]gpu.Timing{"reference": *cardTiming("cold", cardBaseline)}
	v.Check.Total = 5 * 16384 * 4096
	v.Roofline = cardRoofline(median)
	v.Resources = []gpu.Resources{cardResources(speedup >= 1)}
	if speedup > 1 {
		v.Baselines["best"], v.Speedup["best"] = *cardTiming("cold", median*1.25), 1.25
	} else {
		throttled := true
		v.Timing.Throttled, v.Timing.Throttle = &throttled, []string{"power limit"}
	}
	return v
}

func cardTiming(method string, median float64) *gpu.Timing {
	slope, clock, celsius, watts, throttled := median*1.012, 1980.0, 54.0, 412.0, false
	return &gpu.Timing{
		Device: card, Method: method, MedianUS: median, CI95US: &[2]float64{median * 0.997, median * 1.003}, Samples: 120,
		HostSlopeUS: &slope, ClockMHz: &clock, Temperature: &celsius, Power: &watts, Throttled: &throttled, Throttle: []string{},
	}
}

func cardRoofline(median float64) *gpu.Roofline {
	flops, achieved, peak := int64(cardFlops), cardFlops/median/1e6, cardTFlops
	return &gpu.Roofline{
		Bytes: cardBytes, Flops: &flops, Bound: "memory", FloorUS: cardFloor, Percent: 100 * cardFloor / median,
		GBps: cardBytes / median / 1e3, PeakGBps: cardGBps, TFlops: &achieved, PeakTF: &peak,
	}
}

func cardResources(lean bool) gpu.Resources {
	registers, spills, occupancy := 40, 0, 0.75
	r := gpu.Resources{
		Kernel: "softmax_warp", Launches: 1, Grid: [3]int64{2048, 1, 1}, Block: [3]int64{32, 8, 1}, SharedBytes: 1024,
		Registers: &registers, SpillBytes: &spills, Occupancy: &occupancy, Limiter: "registers",
	}
	if !lean {
		registers, spills, occupancy = 255, 48, 0.125
		r.Kernel, r.Grid, r.Block, r.SharedBytes = "softmax", [3]int64{128, 1, 1}, [3]int64{128, 1, 1}, 0
	}
	return r
}

// Unbelievable is the verdict of a kernel whose results are right and whose time
// on a GPU cannot be.
func Unbelievable(kernel string) gpu.Verdict {
	v := CorrectOnGPU(kernel, 40)
	zero := 0.0
	why := fmt.Sprintf("a call took %.4g us, and this device needs %.4g us for the task's bytes", v.Timing.MedianUS, cardFloor)
	v.Outcome, v.Score, v.Summary = gpu.OutcomeSuspect, &zero, "suspect: "+why
	v.Feedback = "Your kernel's output is correct, but its time cannot be believed: " + why + "."
	slope := 201.4
	v.Timing.HostSlopeUS = &slope
	v.Findings = []gpu.Finding{{Kind: "timing", Severity: "suspect", Evidence: why}}
	return v
}
