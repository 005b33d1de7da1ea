package pytorch

import (
	"context"
	"fmt"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/clock"
	"example.com/hone/gpu/roofline"
	"example.com/hone/gpu/stat"
	"example.com/hone/gpu/torch"
	"example.com/hone/tasks"
)

const (
	impossible   = 105 // percent of the roofline; the peaks are measured, and measurements scatter
	resolutionUS = 0.4 // of times of a few microseconds: what events add is measured for each side, to about half of it

	// A call's time by the judge's clock may exceed the device's by what Python and
	// torch cost the host: as much as for eager, and a little.
	callOverheadUS = 30.0
)

// holdAgainstDevice holds the answer's time against what the device can do at most,
// against the judge's clock, and eager's against what it was without the answer.
func (e *evaluation) holdAgainstDevice(ctx context.Context) (string, error) {
	v := &e.report.Verdict
	slope, fault, err := clock.Batch(e.calls).Slope(ctx, maxBatch)
	if fault != nil && err == nil {
		e.ended(attempt{fault: fault})
	}
	if err != nil || e.report.Decided() {
		return "", err
	}
	v.Timing.HostSlopeUS = &slope
	line, err := e.reference.roofline(e.peaks, v.Timing.MedianUS)
	if err != nil {
		return "", err
	}
	v.Roofline = &line
	if e.impossible() {
		return "", nil
	}
	e.report.HoldAgainstClock(e.reference.overhead + callOverheadUS)
	e.report.HoldAgainstAlone(e.reference.alone)
	return fmt.Sprintf("%d samples, %.0f%% of the roofline", v.Timing.Samples, line.Percent), nil
}

// holdAgainstTurns compares an emulated answer's times with the judge's for whole turns,
// which hold messages and checks as well. Where these are too long, the judge's clock
// for one more call among calls decides: what a busy machine adds to every message is
// not in it.
func (e *evaluation) holdAgainstTurns(ctx context.Context, r *racer) error {
	v := &e.report.Verdict
	turns := stat.Median(r.clock)
	v.Timing.HostSlopeUS = &turns
	if !doubtful(turns, v.Timing.MedianUS) {
		return nil
	}
	slope, fault, err := clock.Batch(e.calls).Slope(ctx, maxBatch)
	if fault != nil && err == nil {
		e.ended(attempt{fault: fault})
	}
	if err != nil || e.report.Decided() {
		return err
	}
	v.Timing.HostSlopeUS = &slope
	if doubtful(slope, v.Timing.MedianUS) {
		e.report.Suspect(fmt.Sprintf("a call takes %.4g us by the answer's clock, and %.4g us by the judge's", v.Timing.MedianUS, slope))
	}
	return nil
}

// doubtful reports whether a call's time by the judge's clock contradicts the claim of
// an emulated answer's process, both in microseconds.
func doubtful(clock, claim float64) bool {
	const gap, overheadUS = 5, 3000
	return clock > gap*claim+overheadUS
}

// roofline holds a time against the least one for all that the task names: each input,
// parameter and output once, and the operations that torch counts. A correct answer
// may do with less of the inputs, so that more than 100 % condemns nobody.
func (r *reference) roofline(peaks roofline.Peaks, us float64) (gpu.Roofline, error) {
	task := tasks.Task{ID: r.task.ID, Tolerance: r.tolerance()}
	for i, t := range append(r.about.Tensors(), r.about.State...) {
		task.Signature.Inputs = append(task.Signature.Inputs, counted(t, fmt.Sprint("in", i)))
	}
	for i, t := range r.about.Outputs {
		task.Signature.Outputs = append(task.Signature.Outputs, counted(t, fmt.Sprint("out", i)))
	}
	if f := r.about.Flops; f != nil && *f > 0 {
		task.Flops = fmt.Sprint(*f)
	}
	floor, err := peaks.Floor(task, tasks.SizeSet{})
	if err != nil {
		return gpu.Roofline{}, err
	}
	return floor.Roofline(time.Duration(us * float64(time.Microsecond))), nil
}

// counted is a tensor as package roofline counts it: what it has no type for as bytes.
func counted(t torch.Tensor, name string) tasks.Tensor {
	dtype, elements := tasks.DType(t.DType), t.Elements()
	if dtype.Bytes() == 0 {
		dtype, elements = tasks.Int32, (t.Bytes()+3)/4
	}
	return tasks.Tensor{Name: name, DType: dtype, Shape: []string{fmt.Sprint(elements)}}
}

// impossible concludes that a call cannot have been so short: every output is written,
// since it held something else before.
func (e *evaluation) impossible() bool {
	written := &reference{task: e.reference.task}
	written.about.Outputs = e.reference.about.Outputs
	v := &e.report.Verdict
	line, err := written.roofline(e.peaks, v.Timing.MedianUS)
	if err != nil || line.Percent <= impossible || line.FloorUS-v.Timing.MedianUS <= resolutionUS {
		return false
	}
	e.report.Suspect(fmt.Sprintf("a call took %.4g us, and this device needs %.4g us to write the outputs", v.Timing.MedianUS, line.FloorUS))
	return true
}
