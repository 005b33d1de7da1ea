package plain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/hone/gpu"
	"example.com/hone/ui/figures"
)

// measured is what only a GPU tells of a time: the other ways of measuring it,
// the state of the device, and how near it is to what the device can do.
func measured(v gpu.Verdict) []string {
	var lines []string
	if t := v.Timing; t != nil && !t.Emulated {
		if t.HostSlopeUS != nil {
			lines = append(lines, "host clock: "+figures.Micros(*t.HostSlopeUS)+" a call")
		}
		if state := condition(*t); state != "" {
			lines = append(lines, "device: "+state)
		}
	}
	if len(v.Methods) > 0 {
		lines = append(lines, "other methods: "+medians(v.Methods))
	}
	if v.Roofline != nil {
		lines = append(lines, "roofline: "+roofline(*v.Roofline))
	}
	return lines
}

func medians(methods map[string]gpu.Timing) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		parts = append(parts, name+" "+figures.Micros(methods[name].MedianUS))
	}
	return strings.Join(parts, ", ")
}

// condition is the state that a device was in.
func condition(t gpu.Timing) string {
	parts := figures.State(t)
	if t.Throttled != nil && *t.Throttled {
		parts = append(parts, figures.Throttled(t.Throttle))
	}
	return strings.Join(parts, ", ")
}

func roofline(r gpu.Roofline) string {
	s := fmt.Sprintf("%.3g%% of what the device can do, bound by %s", r.Percent, r.Bound)
	if r.Bound == "compute" && r.TFlops != nil && r.PeakTF != nil {
		s += fmt.Sprintf(", %.3g of %.3g TFLOP/s", *r.TFlops, *r.PeakTF)
	} else {
		s += fmt.Sprintf(", %.0f of %.0f GB/s", r.GBps, r.PeakGBps)
	}
	return s + ", at best " + figures.Micros(r.FloorUS)
}

// launch is a kernel's launch and what it takes, as far as it is known.
func launch(r gpu.Resources) string {
	s := fmt.Sprintf("%s, %d per call, grid %s, block %s, %d bytes of shared memory per block",
		r.Kernel, r.Launches, figures.Dims(r.Grid), figures.Dims(r.Block), r.SharedBytes)
	if r.Registers != nil {
		s += fmt.Sprintf(", %d registers", *r.Registers)
	}
	if r.SpillBytes != nil {
		s += fmt.Sprintf(", %d bytes spilled", *r.SpillBytes)
	}
	if r.Occupancy != nil {
		s += fmt.Sprintf(", occupancy %.3g%%", 100**r.Occupancy)
		if r.Limiter != "" && *r.Occupancy < 1 {
			s += ", limited by " + r.Limiter
		}
	}
	return s
}

// FactNoGPU is the fact of a session's environment that says why its kernels are
// emulated. There is none where they are not, or where that was asked for.
const FactNoGPU = "no_gpu"

// NoGPU says why kernels are emulated, and where there is more about it.
func NoGPU(why string) string {
	return "no GPU is used: " + oneLine(why) + " (hone doctor says more)"
}
