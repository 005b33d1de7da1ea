package candidate

import (
	"context"
	"fmt"
	"time"

	"example.com/hone/gpu/device"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
)

// Timing is one message that has calls of forward timed.
type Timing struct {
	Method  device.Method // Cold or Warm
	Samples int           // 1 to device.MaxSamples
	Warmup  int           // calls before the first sample, on the set before First's
	First   int           // set of buffers of the first sample; the next ones follow in turn
	L2      int64         // bytes to flush before each cold sample; 0 on a CPU, where nothing is flushed
	Limit   time.Duration // for everything together
}

func (t Timing) check() error {
	switch {
	case t.Samples < 1 || t.Samples > device.MaxSamples:
		return fmt.Errorf("time %d samples: not from 1 to %d", t.Samples, device.MaxSamples)
	case t.Method != device.Cold && t.Method != device.Warm:
		return fmt.Errorf("time by the method %q: forward is timed cold or warm", t.Method)
	case t.L2 < 0 || t.Warmup < 0:
		return fmt.Errorf("time after %d calls with a cache of %d bytes", t.Warmup, t.L2)
	}
	return nil
}

// Time times calls of forward on the sets of buffers in turn. Every timed call's
// outputs are checked and put into its set's buffers like those of Call, outside of
// the sample: a set holds those of its last one. All of the result is a claim. On a
// GPU it is what package device measures, see [device.Corrected]; on a CPU it is the
// host's clock.
func (p *Process) Time(ctx context.Context, t Timing) (device.TimeResult, *process.Fault, error) {
	if err := t.check(); err != nil {
		return device.TimeResult{}, nil, err
	}
	request, err := torch.Request(process.Time, map[string]any{
		"method": t.Method, "samples": t.Samples, "warmup": t.Warmup, "first": t.First, "l2": t.L2,
	})
	if err != nil {
		return device.TimeResult{}, nil, err
	}
	return converse(ctx, p, t.Limit, request, func(lines [][]string) (device.TimeResult, error) {
		return parseTime(lines, t)
	})
}

func parseTime(lines [][]string, t Timing) (device.TimeResult, error) {
	var said struct {
		Wall    int64   `json:"wall_ns"`
		Empty   int64   `json:"empty_ns"`
		Null    int64   `json:"null_ns"`
		Samples []int64 `json:"samples"`
	}
	result := device.TimeResult{Method: t.Method}
	if err := torch.Decode(lines, &said); err != nil {
		return result, err
	}
	if len(said.Samples) != t.Samples || min(said.Wall, said.Empty, said.Null) < 0 {
		return result, process.Malformedf("an answer has %d samples instead of %d, or impossible times", len(said.Samples), t.Samples)
	}
	for _, ns := range said.Samples {
		if ns < 0 {
			return result, process.Malformedf("a sample took less than no time")
		}
		result.Samples = append(result.Samples, time.Duration(ns))
	}
	result.Wall, result.Empty, result.Null = time.Duration(said.Wall), time.Duration(said.Empty), time.Duration(said.Null)
	return result, nil
}
