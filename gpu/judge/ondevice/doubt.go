package ondevice

import (
	"fmt"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/roofline"
)

const (
	impossible   = 105 // percent of the roofline; the peaks are measured, and measurements scatter
	resolutionUS = 0.4 // of times of a few microseconds: what events add is measured for each side, to about half of it

	// A call's time by the judge's clock may exceed the device's by what its
	// launches cost the host, and by a part for what the batch does to the clocks.
	callOverheadUS   = 15.0
	launchOverheadUS = 8.0
	slopeGap         = 1.3
)

// conclude holds the candidate's time against what the device can do at most and
// against the judge's own clock.
func (e *evaluation) conclude(peaks roofline.Peaks, c *course) (string, error) {
	floor, err := peaks.Floor(e.req.Task, e.size)
	if err != nil {
		return "", fmt.Errorf("roofline of task %s: %w", e.req.Task.ID, err)
	}
	v := &e.report.Verdict
	line := floor.Roofline(time.Duration(v.Timing.MedianUS * float64(time.Microsecond)))
	v.Roofline = &line
	if line.Percent > impossible && line.FloorUS-v.Timing.MedianUS > resolutionUS && !floor.LowerBound {
		e.report.Suspect(fmt.Sprintf("a call took %.4g us, and this device needs %.4g us for the task's %s",
			v.Timing.MedianUS, line.FloorUS, map[string]string{"memory": "bytes", "compute": "operations"}[line.Bound]))
		return "", nil
	}
	e.holdAgainstClock(v)
	e.holdAgainstAlone(v, e.oracle.alone)
	return fmt.Sprintf("%d samples, %.0f%% of the roofline", v.Timing.Samples, line.Percent), nil
}

// holdAgainstClock compares the device's time, which the candidate's process
// claims, with the judge's. Where a call costs more than that, the rest is the
// host's part or work that the events do not see. Either way the speedup then
// counts the judge's clock, so that nothing is gained by hiding work from events.
func (e *evaluation) holdAgainstClock(v *gpu.Verdict) {
	if v.Timing.HostSlopeUS == nil {
		return
	}
	launches := int64(0)
	for _, k := range v.Resources {
		launches += k.Launches
	}
	slope := *v.Timing.HostSlopeUS
	if slope <= slopeGap*v.Timing.MedianUS+callOverheadUS+launchOverheadUS*float64(launches) {
		return
	}
	for name, baseline := range v.Baselines {
		v.Speedup[name] = baseline.MedianUS / slope
	}
	e.report.Find(gpu.Finding{Kind: "host_bound", Severity: report.Warning, Evidence: fmt.Sprintf(
		"the device is busy for %.4g us of a call, but a call takes %.4g us by the judge's clock, which the speedup counts",
		v.Timing.MedianUS, slope)})
}

// holdAgainstAlone compares the reference's time beside the candidate with the one
// that it took alone. A candidate that slows it down gains nothing by that.
func (e *evaluation) holdAgainstAlone(v *gpu.Verdict, alone float64) {
	const gap, resolution = 1.2, 2.0 // times, and microseconds
	beside := v.Baselines[report.ScoreBasis].MedianUS
	if alone <= 0 || beside <= gap*alone+resolution {
		return
	}
	v.Speedup[report.ScoreBasis] *= alone / beside
	e.report.Find(gpu.Finding{Kind: "slowed_reference", Severity: report.Warning, Evidence: fmt.Sprintf(
		"the reference took %.4g us beside this kernel and %.4g us alone, which the speedup counts", beside, alone)})
}
