package queue_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/queue"
)

// slow takes a second for each kernel, and fails if it is asked twice at once.
type slow struct {
	mu    sync.Mutex
	busy  bool
	order []string
}

func (s *slow) Evaluate(ctx context.Context, req gpu.Request, _ func(gpu.Event)) (gpu.Verdict, error) {
	s.mu.Lock()
	if s.busy {
		s.mu.Unlock()
		return gpu.Verdict{}, errors.New("two at once")
	}
	s.busy, s.order = true, append(s.order, req.Kernel)
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.busy = false; s.mu.Unlock() }()
	select {
	case <-time.After(time.Second):
		return gpu.Verdict{Outcome: gpu.OutcomeCorrect}, nil
	case <-ctx.Done():
		return gpu.Verdict{}, ctx.Err()
	}
}

func TestQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &slow{}
		q := queue.New(s)
		var mu sync.Mutex
		told := map[string][]string{}
		errs := map[string]error{}
		ask := func(ctx context.Context, kernel string) {
			go func() {
				_, err := q.Evaluate(ctx, gpu.Request{Kernel: kernel}, func(e gpu.Event) {
					mu.Lock()
					defer mu.Unlock()
					told[kernel] = append(told[kernel], e.Detail)
				})
				mu.Lock()
				defer mu.Unlock()
				errs[kernel] = err
			}()
			synctest.Wait()
		}
		leaving, leave := context.WithCancel(t.Context())
		ask(t.Context(), "a")
		ask(leaving, "b")
		ask(t.Context(), "c")
		leave()
		synctest.Wait()
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if !slices.Equal(s.order, []string{"a", "c"}) {
			t.Errorf("judged %v", s.order)
		}
		if !errors.Is(errs["b"], context.Canceled) || errs["a"] != nil || errs["c"] != nil {
			t.Errorf("errors %v", errs)
		}
		want := []string{"waiting for the judge, 2 before it", "waiting for the judge, 1 before it"}
		if !slices.Equal(told["c"], want) || len(told["a"]) != 0 {
			t.Errorf("told %v", told)
		}
	})
}
