package pytorch

import (
	"context"
	"time"

	"example.com/hone/gpu/process"
	"example.com/hone/gpu/stat"
)

const (
	slopeTime   = 5 * time.Millisecond // that the longer of two batches takes, at least
	slopeRounds = 3
	maxBatch    = 500
)

// batch makes so many calls without a pause between them.
type batch func(ctx context.Context, count int) (*process.Fault, error)

// slope is the time of one more call among calls without a pause, in microseconds by
// the judge's own clock: it holds whatever a call costs, on the host as well.
func (b batch) slope(ctx context.Context) (float64, *process.Fault, error) {
	single, fault, err := b.timed(ctx, 1)
	if fault != nil || err != nil {
		return 0, fault, err
	}
	long := int(min(maxBatch, max(3, slopeTime/max(single/4, time.Microsecond))))
	var slopes []float64
	for range slopeRounds {
		var took [2]time.Duration
		for i, count := range []int{1, long} {
			if took[i], fault, err = b.timed(ctx, count); fault != nil || err != nil {
				return 0, fault, err
			}
		}
		slopes = append(slopes, microseconds(took[1]-took[0])/float64(long-1))
	}
	return stat.Median(slopes), nil, nil
}

func (b batch) timed(ctx context.Context, count int) (time.Duration, *process.Fault, error) {
	began := time.Now()
	fault, err := b(ctx, count)
	return time.Since(began), fault, err
}

// calls are batches of the answer, on the first set that it was lent.
func (e *evaluation) calls(ctx context.Context, count int) (*process.Fault, error) {
	_, fault, err := e.own.call(ctx, call{repeat: count, limit: e.req.Limits.Run * time.Duration(count)})
	return fault, err
}

// calls are batches of eager on the judge's own tensors.
func (r *reference) calls(ctx context.Context, count int) (*process.Fault, error) {
	return r.process.Repeat(ctx, 0, count, loadLimit)
}
