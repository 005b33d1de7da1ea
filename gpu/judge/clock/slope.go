package clock

import (
	"context"
	"time"

	"example.com/hone/gpu/process"
	"example.com/hone/gpu/stat"
)

const (
	longest = 5 * time.Millisecond // that the longer of two batches takes, at least
	rounds  = 3
)

// Batch makes so many calls without a pause between them.
type Batch func(ctx context.Context, count int) (*process.Fault, error)

// Slope is the time of one more call among calls without a pause, in microseconds: the
// longer of two batches, of that many calls at most, less the shorter one, by the
// difference of their sizes. It holds whatever a call costs, on the host as well.
func (b Batch) Slope(ctx context.Context, most int) (float64, *process.Fault, error) {
	single, fault, err := b.timed(ctx, 1)
	if fault != nil || err != nil {
		return 0, fault, err
	}
	long := min(most, int(max(3, longest/max(single/4, time.Microsecond))))
	var slopes []float64
	for range rounds {
		var took [2]time.Duration
		for i, count := range []int{1, long} {
			if took[i], fault, err = b.timed(ctx, count); fault != nil || err != nil {
				return 0, fault, err
			}
		}
		slopes = append(slopes, float64((took[1]-took[0]).Nanoseconds())/1e3/float64(long-1))
	}
	return stat.Median(slopes), nil, nil
}

func (b Batch) timed(ctx context.Context, count int) (time.Duration, *process.Fault, error) {
	began := time.Now()
	fault, err := b(ctx, count)
	return time.Since(began), fault, err
}
