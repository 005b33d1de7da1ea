package clock

import (
	"context"
	"errors"
	"slices"
	"testing"

	"example.com/hone/gpu/process"
)

func TestSlope(t *testing.T) {
	t.Parallel()
	broken := errors.New("no pipe")
	for name, c := range map[string]struct {
		fault *process.Fault
		err   error
	}{
		"steady": {},
		"fault":  {fault: &process.Fault{Kind: process.FaultTimeout}},
		"error":  {err: broken},
	} {
		const most = 40
		var counts []int
		b := Batch(func(_ context.Context, count int) (*process.Fault, error) {
			counts = append(counts, count)
			return c.fault, c.err
		})
		_, fault, err := b.Slope(t.Context(), most)
		if fault != c.fault || !errors.Is(err, c.err) {
			t.Errorf("%s: %v, %v", name, fault, err)
		}
		want := []int{1}
		for range rounds {
			if c.fault == nil && c.err == nil {
				want = append(want, 1, most)
			}
		}
		if !slices.Equal(counts, want) {
			t.Errorf("%s: batches of %v calls, want %v", name, counts, want)
		}
	}
}
