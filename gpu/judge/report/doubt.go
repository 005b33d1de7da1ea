package report

import (
	"fmt"
	"slices"

	"example.com/hone/gpu"
)

// slopeGap is how many times a call's time on the device may be its time by the
// judge's clock, for what a batch of calls does to the clocks.
const slopeGap = 1.3

// leastUS is the shortest time that any clock here counts.
const leastUS = 0.001

// Timeless concludes from samples, which an untrusted process claims, that one call took no
// time at all: no clock says so, and nothing can be divided by it.
func (r *Report) Timeless(samples []float64) bool {
	least := slices.Min(samples)
	if least >= leastUS {
		return false
	}
	r.Suspect(fmt.Sprintf("a call took %.4g us by the answer's own clock", least))
	return true
}

// HoldAgainstClock compares the device's time, which an untrusted process claims, with
// the time of a call by the judge's own clock. Where a call costs more than the first,
// and than so many microseconds of the host that launches may take, the rest is the
// host's part or work that the device's clock did not see. Either way the speedups
// then count the judge's clock, so that nothing is gained by hiding work.
func (r *Report) HoldAgainstClock(overheadUS float64) {
	v := &r.Verdict
	if v.Timing == nil || v.Timing.HostSlopeUS == nil {
		return
	}
	slope := *v.Timing.HostSlopeUS
	if slope <= slopeGap*v.Timing.MedianUS+overheadUS {
		return
	}
	for name, baseline := range v.Baselines {
		v.Speedup[name] = baseline.MedianUS / slope
	}
	r.Find(gpu.Finding{Kind: "host_bound", Severity: Warning, Evidence: fmt.Sprintf(
		"the device is busy for %.4g us of a call, but a call takes %.4g us by the judge's clock, which the speedup counts",
		v.Timing.MedianUS, slope)})
}

// HoldAgainstAlone compares the time of the baseline that is scored over with the one
// that it took without the candidate, in microseconds, 0 when unknown. A candidate
// that slows it down gains nothing by that.
func (r *Report) HoldAgainstAlone(alone float64) {
	const gap, resolution = 1.2, 2.0 // times, and microseconds
	v := &r.Verdict
	beside := v.Baselines[v.ScoreBasis].MedianUS
	if alone <= 0 || beside <= gap*alone+resolution {
		return
	}
	v.Speedup[v.ScoreBasis] *= alone / beside
	r.Find(gpu.Finding{Kind: "slowed_reference", Severity: Warning, Evidence: fmt.Sprintf(
		"%s took %.4g us beside this kernel and %.4g us alone, which the speedup counts",
		gpu.BaselineName(v.ScoreBasis), beside, alone)})
}
