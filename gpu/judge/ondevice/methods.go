package ondevice

import (
	"context"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/clock"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/stat"
)

// How often a call is measured in the ways that are not scored, and for how long.
const (
	otherSamples = 11
	otherTime    = 40 * time.Millisecond
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
			return e.stumble(r, *fault)
		case result.Refused != "":
			continue // a call that cannot be captured in a graph has no such time
		}
		times := make([]float64, len(result.Samples))
		for i, s := range result.Samples {
			times[i] = microseconds(device.Corrected(s, result))
		}
		e.report.Verdict.Methods[string(method)] = e.timing(method, times)
	}
	slope, fault, err := clock.Batch(r.calls).Slope(ctx, maxBatch)
	if fault != nil {
		return e.stumble(r, *fault)
	}
	if err == nil {
		e.report.Verdict.Timing.HostSlopeUS = &slope
	}
	return err
}

// calls are batches of the racer's program.
func (r *racer) calls(ctx context.Context, count int) (*process.Fault, error) {
	_, fault, err := r.program.call(ctx, device.Call{Repeat: count})
	return fault, err
}
