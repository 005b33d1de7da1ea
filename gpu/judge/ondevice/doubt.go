package ondevice

import (
	"fmt"
	"time"

	"example.com/hone/gpu"
)

const (
	impossible   = 105 // percent of the roofline; the peaks are measured, and measurements scatter
	resolutionUS = 0.4 // of times of a few microseconds: what events add is measured for each side, to about half of it

	// A call's time by the judge's clock may exceed the device's by what its launches
	// cost the host.
	callOverheadUS   = 15.0
	launchOverheadUS = 8.0
	excusedLaunches  = 256
)

// conclude holds the candidate's time against what the device can do at most and
// against the judge's own clock.
func (e *evaluation) conclude() (string, error) {
	floor, err := e.peaks.Floor(e.req.Task, e.size)
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
	e.report.HoldAgainstClock(overheadUS(v.Resources))
	e.report.HoldAgainstAlone(e.oracle.alone)
	return fmt.Sprintf("%d samples, %.0f%% of the roofline", v.Timing.Samples, line.Percent), nil
}

// overheadUS is what a call with its launches may cost the host. How many there are is a
// claim, so that not all of any number are excused.
func overheadUS(kernels []gpu.Resources) float64 {
	launches := int64(0)
	for _, k := range kernels {
		launches += min(max(k.Launches, 0), excusedLaunches)
	}
	return callOverheadUS + launchOverheadUS*float64(min(launches, excusedLaunches))
}
