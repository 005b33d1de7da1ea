package ondevice

import (
	"context"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/stat"
)

// How often a call is measured in the ways that are not scored, and for how long.
const (
	otherSamples = 11
	otherTime    = 40 * time.Millisecond
	slopeTime    = 5 * time.Millisecond // that the longer of two batches takes, at least
	slopeRounds  = 3
	maxBatch     = 2000
)

// timing sums samples up.
func (e *evaluation) timing(method device.Method, samples []float64) gpu.Timing {
	t := gpu.Timing{
		Device: e.shop.gpu.Facts.Name, Method: string(method), MedianUS: stat.Median(samples), Samples: len(samples),
	}
	if i, ok := stat.MedianInterval(samples); ok {
		t.CI95US = &[2]float64{i.Low, i.High}
	}
	return t
}

// otherMethods measures the candidate in the ways that are reported and not
// scored, and by the judge's own clock.
func (e *evaluation) otherMethods(ctx context.Context, c *course) error {
	r := c.racers[0]
	for _, method := range []device.Method{device.Warm, device.Sustained, device.Graph} {
		samples := max(3, min(otherSamples, int(float64(otherTime.Microseconds())/max(stat.Median(r.samples), 1))))
		result, fault, err := r.time(ctx, c, method, samples)
		switch {
		case err != nil:
			return err
		case fault != nil:
			return e.stumble(r.name, *fault)
		case result.Refused != "":
			continue // a call that cannot be captured in a graph has no such time
		}
		times := make([]float64, len(result.Samples))
		for i, s := range result.Samples {
			times[i] = microseconds(device.Corrected(s, result))
		}
		e.report.Verdict.Methods[string(method)] = e.timing(method, times)
	}
	slope, fault, err := r.slope(ctx)
	if fault != nil {
		return e.stumble(r.name, *fault)
	}
	if err == nil {
		e.report.Verdict.Timing.HostSlopeUS = slope
	}
	return err
}

// slope is the time of one more call among calls without a pause, in microseconds
// by the judge's own clock: the longer of two batches less the shorter one, by the
// difference of their sizes. It holds whatever a call costs, on the host as well.
func (r *racer) slope(ctx context.Context) (*float64, *process.Fault, error) {
	_, single, fault, err := r.program.call(ctx, device.Call{})
	if fault != nil || err != nil {
		return nil, fault, err
	}
	short := 1
	long := int(min(maxBatch, max(3, slopeTime/max(single/4, time.Microsecond))))
	var slopes []float64
	for range slopeRounds {
		_, few, fault, err := r.program.call(ctx, device.Call{Repeat: short})
		if fault != nil || err != nil {
			return nil, fault, err
		}
		_, many, fault, err := r.program.call(ctx, device.Call{Repeat: long})
		if fault != nil || err != nil {
			return nil, fault, err
		}
		slopes = append(slopes, microseconds(many-few)/float64(long-short))
	}
	slope := stat.Median(slopes)
	return &slope, nil, nil
}
