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

// slow takes a second for each kernel once it may run, and fails if it is asked twice at
// once.
type slow struct {
	mu    sync.Mutex
	busy  bool
	order []string // kernels that were begun
}

func (s *slow) Evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
	s.mu.Lock()
	if s.busy {
		s.mu.Unlock()
		return gpu.Verdict{}, errors.New("two at once")
	}
	s.busy, s.order = true, append(s.order, req.Kernel)
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.busy = false; s.mu.Unlock() }()
	if req.Kernel == "broken" {
		return gpu.Verdict{}, errBroken
	}
	for req.Held() {
		select {
		case <-req.Hold:
		case <-ctx.Done():
			return gpu.Verdict{}, ctx.Err()
		}
	}
	select {
	case <-time.After(time.Second):
		return gpu.Verdict{Outcome: gpu.OutcomeCorrect}, nil
	case <-ctx.Done():
		return gpu.Verdict{}, ctx.Err()
	}
}

var errBroken = errors.New("the judge broke")

// desk is a queue with people who ask, in a bubble.
type desk struct {
	*queue.Queue
	judge *slow

	mu   sync.Mutex
	told map[string][]string
	errs map[string]error // of those who have an answer
}

func newDesk() *desk {
	judge := &slow{}
	return &desk{Queue: queue.New(judge), judge: judge, told: map[string][]string{}, errs: map[string]error{}}
}

// ask has a kernel judged, or begun until hold is closed.
func (d *desk) ask(ctx context.Context, kernel string, hold <-chan struct{}) {
	go func() {
		v, err := d.Evaluate(ctx, gpu.Request{Kernel: kernel, Hold: hold}, func(e gpu.Event) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.told[kernel] = append(d.told[kernel], e.Detail)
		})
		if err == nil && v.Outcome != gpu.OutcomeCorrect {
			err = errors.New("no verdict")
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.errs[kernel] = err
	}()
	synctest.Wait()
}

// pass lets seconds go by.
func pass(seconds int) {
	time.Sleep(time.Duration(seconds) * time.Second)
	synctest.Wait()
}

func TestQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		leaving, leave := context.WithCancel(t.Context())
		d.ask(t.Context(), "a", nil)
		d.ask(leaving, "b", nil)
		d.ask(t.Context(), "c", nil)
		leave()
		pass(3)
		if !slices.Equal(d.judge.order, []string{"a", "c"}) {
			t.Errorf("judged %v", d.judge.order)
		}
		if !errors.Is(d.errs["b"], context.Canceled) || d.errs["a"] != nil || d.errs["c"] != nil {
			t.Errorf("errors %v", d.errs)
		}
		want := []string{"waiting for the judge, 2 before it", "waiting for the judge, 1 before it"}
		if !slices.Equal(d.told["c"], want) || len(d.told["a"]) != 0 {
			t.Errorf("told %v", d.told)
		}
	})
}

// A kernel that may not run yet is begun at once where nobody else is there, and has
// nobody wait.
func TestHeldKernels(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		play func(ctx context.Context, d *desk, release func(), hold <-chan struct{})
		want []string // kernels that were begun, in order
		errs map[string]error
	}{
		{"goes on where it was when it may", func(ctx context.Context, d *desk, release func(), hold <-chan struct{}) {
			d.ask(ctx, "held", hold)
			pass(60)
			release()
		}, []string{"held"}, map[string]error{"held": nil}},
		{"gives way", func(ctx context.Context, d *desk, release func(), hold <-chan struct{}) {
			d.ask(ctx, "held", hold)
			d.ask(ctx, "a", nil)
			pass(2)
			release()
		}, []string{"held", "a", "held"}, map[string]error{"held": nil, "a": nil}},
		{"gives way to another task", func(ctx context.Context, d *desk, release func(), hold <-chan struct{}) {
			d.ask(ctx, "held", hold)
			if err := d.Do(ctx, func() error { return errBroken }); !errors.Is(err, errBroken) {
				panic(err)
			}
			release()
		}, []string{"held", "held"}, map[string]error{"held": nil}},
		{"does not give way once it may run", func(ctx context.Context, d *desk, release func(), hold <-chan struct{}) {
			d.ask(ctx, "held", hold)
			release()
			synctest.Wait()
			d.ask(ctx, "a", nil)
		}, []string{"held", "a"}, map[string]error{"held": nil, "a": nil}},
		{"is not begun while another is judged", func(ctx context.Context, d *desk, release func(), hold <-chan struct{}) {
			d.ask(ctx, "a", nil)
			d.ask(ctx, "held", hold)
			d.ask(ctx, "b", nil)
			pass(1)
			release()
		}, []string{"a", "b", "held"}, map[string]error{"held": nil, "a": nil, "b": nil}},
		{"is given up", func(ctx context.Context, d *desk, _ func(), hold <-chan struct{}) {
			ctx, cancel := context.WithCancel(ctx)
			d.ask(ctx, "held", hold)
			cancel()
		}, []string{"held"}, map[string]error{"held": context.Canceled}},
		{"is given up while it gives way", func(ctx context.Context, d *desk, _ func(), hold <-chan struct{}) {
			leaving, cancel := context.WithCancel(ctx)
			d.ask(leaving, "held", hold)
			d.ask(ctx, "a", nil)
			cancel()
		}, []string{"held", "a"}, map[string]error{"held": context.Canceled, "a": nil}},
		{"comes to no result", func(ctx context.Context, d *desk, _ func(), hold <-chan struct{}) {
			d.ask(ctx, "broken", hold)
		}, []string{"broken"}, map[string]error{"broken": errBroken}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				hold := make(chan struct{})
				tt.play(t.Context(), d, func() { close(hold) }, hold)
				pass(5)
				if !slices.Equal(d.judge.order, tt.want) {
					t.Errorf("begun %v, want %v", d.judge.order, tt.want)
				}
				if len(d.errs) != len(tt.errs) {
					t.Errorf("ended %v, want %v", d.errs, tt.errs)
				}
				for kernel, want := range tt.errs {
					if got := d.errs[kernel]; !errors.Is(got, want) {
						t.Errorf("%s ended with %v, want %v", kernel, got, want)
					}
				}
			})
		})
	}
}
