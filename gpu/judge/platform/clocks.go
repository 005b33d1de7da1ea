package platform

import (
	"context"
	"math"
	"slices"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/cuda"
)

// watchEvery is the time between two looks at the device's clocks.
const watchEvery = 20 * time.Millisecond

// idleReason is the one reason for low clocks that says nothing: the device had
// nothing to do at that moment.
const idleReason = "idle"

// Watch is the state of the device while something is measured.
type Watch struct {
	stop context.CancelFunc
	done chan struct{}
	seen []cuda.Reading // read after done
}

// Watch watches the device until what was seen is asked for.
func (p *Platform) Watch(ctx context.Context) *Watch {
	ctx, stop := context.WithCancel(ctx)
	w := &Watch{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		if p.Monitor == nil {
			return
		}
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			w.seen = append(w.seen, p.Monitor.Read())
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return w
}

// End stops watching. It may be called more than once.
func (w *Watch) End() []cuda.Reading {
	w.stop()
	<-w.done
	return w.seen
}

// Conditions writes what was seen into a timing: the lowest clock, the highest
// temperature and power, and every reason for which clocks were held down.
// The first reading is left out where there are more: it is of the time before.
func Conditions(t *gpu.Timing, seen []cuda.Reading) {
	if len(seen) > 1 {
		seen = seen[1:]
	}
	for _, r := range seen {
		t.ClockMHz = extreme(t.ClockMHz, number(r.Clock), math.Min)
		t.Temperature = extreme(t.Temperature, number(r.Temperature), math.Max)
		t.Power = extreme(t.Power, r.Power, math.Max)
		if r.Throttle != nil {
			t.Throttle = reasons(t.Throttle, r.Throttle)
		}
	}
	if t.Throttle != nil {
		throttled := len(t.Throttle) > 0
		t.Throttled = &throttled
	}
}

func number(n *int) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

func extreme(old, next *float64, of func(x, y float64) float64) *float64 {
	if old == nil || next == nil {
		if old == nil {
			return next
		}
		return old
	}
	f := of(*old, *next)
	return &f
}

func reasons(old, next []string) []string {
	if old == nil {
		old = []string{}
	}
	for _, r := range next {
		if r != idleReason && !slices.Contains(old, r) {
			old = append(old, r)
		}
	}
	return old
}
