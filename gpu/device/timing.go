package device

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"example.com/hone/gpu/process"
)

// Method says what one sample of a timing is.
type Method string

// The methods. All but Cold find in the cache what the call before left there.
const (
	Cold      Method = "cold"      // one call, after the L2 cache was flushed
	Warm      Method = "warm"      // one call, right after another on the same buffers
	Sustained Method = "sustained" // a run of calls of about 2 ms, at most 1000, divided by their number
	Graph     Method = "graph"     // the replay of one call as a CUDA graph, right after another
)

// Timing is one message that has calls of solve timed.
type Timing struct {
	Method  Method
	Samples int
	Warmup  int   // calls before the first sample, on the set before First's, which no sample uses where there are fewer samples than sets
	First   int   // set of buffers of the first sample; the next ones follow in turn
	L2      int64 // bytes to flush before each cold sample
	Dims    []int64
	Limit   time.Duration // for everything together
}

func (t Timing) lines() []string {
	lines := []string{
		"method\t" + string(t.Method), "samples\t" + strconv.Itoa(t.Samples), "warmup\t" + strconv.Itoa(t.Warmup),
		"first\t" + strconv.Itoa(t.First), "l2\t" + strconv.FormatInt(t.L2, 10),
	}
	return append(lines, dimLines(t.Dims)...)
}

func (t Timing) check() error {
	switch {
	case t.Samples < 1 || t.Samples > MaxSamples:
		return fmt.Errorf("time %d samples: not from 1 to %d", t.Samples, MaxSamples)
	case !slices.Contains([]Method{Cold, Warm, Sustained, Graph}, t.Method):
		return fmt.Errorf("time by the unknown method %q", t.Method)
	case t.Method == Cold && t.L2 < 1:
		return fmt.Errorf("time cold calls with a cache of %d bytes", t.L2)
	}
	return nil
}

// TimeResult is what a worker says of timed calls. All of it is a claim. The samples
// are what the events showed: see [TimeResult.Corrected].
type TimeResult struct {
	Method  Method
	Wall    time.Duration   // of all samples with everything around them
	Empty   time.Duration   // what two events show around nothing: the median of some pairs
	Null    time.Duration   // the same around a kernel, or a graph, that does nothing, right after another one
	Samples []time.Duration // per call
	Refused string          // why solve cannot be captured in a graph: one line, and then there are no samples
}

// What of Null is the kernel's own, by Nsight Compute's gpu__time_duration. A kernel
// that does nothing takes 1248 ns there (1216 to 1312) on an H200. Right behind another
// launch, which Null is measured behind and a replayed graph is not, events show some
// 130 ns more of it.
const (
	nullReplay = 1250 * time.Nanosecond
	nullLaunch = 1380 * time.Nanosecond
)

// Corrected is a sample as a profiler would have it: without what two events add to
// any kernel, which is Null without the kernel that does nothing. A sustained sample
// has that divided by its calls, and is left alone. A Null of whatever size takes away
// at most three quarters of a sample.
//
// Held against gpu__time_duration of the same kernels (ncu --clock-control none
// --cache-control none, after the same flush, or after the same kernel) on an H200 with
// driver 580 and CUDA 13.0; medians in ns, Empty 1280, Null 2912, and 2592 of a graph:
//
//	                 flushed: ncu  cold sample  corrected    not: ncu  graph sample  corrected
//	spin of 2 us             2304         3776       2244        2304          3680       2338
//	spin of 5 us             5344         6848       5316        5344          6688       5346
//	spin of 10 us           10400        11936      10404       10432         11872      10530
//	spin of 30 us           30816        32192      30660       30624         31936      30594
//	spin of 100 us         101408       103104     101572      101408        102688     101346
//	spin of 5 ms          5003648      5006976    5005444     5019360       5004896    5003554
//	copy of 64 KB            2400         4000       2468        1920          3232       1890
//	copy of 4 MB             4448         5952       4420        3360          4800       3458
//	copy of 12 MB            7904         9568       8036        6400          7936       6594
//	copy of 48 MB           25216        26944      25412       27872         29728      28386
//	copy of 192 MB         100704       102240     100708      103008        104576     103234
//
// From 4 us on that is within 1.7 % flushed and 3.1 % not, below within 3 %: events
// count in steps of 32 ns. Less the empty pair alone, the spin of 10 us would read
// 2.5 % too long.
func Corrected(sample time.Duration, r TimeResult) time.Duration {
	if r.Method == Sustained {
		return sample
	}
	added := Added(r.Null)
	if r.Method == Graph {
		added = max(0, r.Null-nullReplay)
	}
	return max(sample-added, sample/4)
}

// Added is what two events add to a kernel, where they show so much around one that
// does nothing, right behind another one.
func Added(null time.Duration) time.Duration { return max(0, null-nullLaunch) }

// Time times calls of solve on the sets of buffers in turn.
func (p *Process) Time(ctx context.Context, t Timing) (TimeResult, *process.Fault, error) {
	if err := t.check(); err != nil {
		return TimeResult{}, nil, err
	}
	request := process.Request{Type: process.Time, Lines: t.lines()}
	return process.Exchange(ctx, p.Process, t.Limit, request, func(lines [][]string) (TimeResult, error) {
		return parseTime(lines, t)
	})
}

// parseTime reads an answer that has the samples asked for, no fewer, or none and a
// reason, which only a graph may have.
func parseTime(lines [][]string, t Timing) (TimeResult, error) {
	result := TimeResult{Method: t.Method}
	err := process.ReadLines(lines, func(key string, fields *process.Fields) bool {
		switch key {
		case "wall_ns":
			result.Wall = time.Duration(fields.Count())
		case "empty_ns":
			result.Empty = time.Duration(fields.Count())
		case "null_ns":
			result.Null = time.Duration(fields.Count())
		case "refused":
			result.Refused = fields.Text()
		case "samples":
			for fields.More() {
				result.Samples = append(result.Samples, time.Duration(fields.Count()))
			}
		default:
			return false
		}
		return true
	})
	want := t.Samples
	if result.Refused != "" && t.Method == Graph {
		want = 0
	}
	if err == nil && len(result.Samples) != want {
		err = process.Malformedf("an answer has %d samples instead of %d", len(result.Samples), want)
	}
	return result, err
}
