package queue_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/queue"
	"example.com/hone/tasks"
)

// slow takes a second for each kernel once it may run, and fails if it is asked twice at
// once.
type slow struct {
	mu    sync.Mutex
	busy  bool
	order []string // kernels that were begun
	sick  bool     // it has an error for everything, at once
	hangs bool     // it has it after a second
	hurt  bool     // it has it for the next kernel alone
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
	if s.hangs {
		time.Sleep(time.Second)
	}
	if req.Kernel == "broken" || s.sick || s.hangs || s.hurt {
		s.hurt = false
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
	*queue.Queue[*slow]
	judges []*slow
	judge  *slow // the first one

	mu    sync.Mutex
	told  map[string][]string
	errs  map[string]error    // of those who have an answer
	found map[string][]string // in their verdicts
}

func newDesk(judges int) *desk {
	d := &desk{told: map[string][]string{}, errs: map[string]error{}, found: map[string][]string{}}
	for range judges {
		d.judges = append(d.judges, &slow{})
	}
	d.Queue, d.judge = queue.New(d.judges...), d.judges[0]
	return d
}

// begun are the kernels that each judge began, in order.
func (d *desk) begun() (all [][]string) {
	for _, j := range d.judges {
		j.mu.Lock()
		all = append(all, slices.Clone(j.order))
		j.mu.Unlock()
	}
	return all
}

// ask has a kernel judged, or begun until hold is closed. The first word of the kernel is
// its task.
func (d *desk) ask(ctx context.Context, kernel string, hold <-chan struct{}) {
	go func() {
		task, _, _ := strings.Cut(kernel, " ")
		v, err := d.Evaluate(ctx, gpu.Request{Task: tasks.Task{ID: task}, Kernel: kernel, Hold: hold}, func(e gpu.Event) {
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
		for _, f := range v.Findings {
			d.found[kernel] = append(d.found[kernel], f.Evidence)
		}
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
		d := newDesk(1)
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
			if err := d.Do(ctx, "", func(*slow) error { return errBroken }); !errors.Is(err, errBroken) {
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
				d := newDesk(1)
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

// Several judges take a kernel each, the one that knows its task if it is free.
func TestSeveralJudges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		play func(ctx context.Context, d *desk, hold chan struct{})
		want [][]string // kernels that each of two judges began
	}{
		{"at once", func(ctx context.Context, d *desk, _ chan struct{}) {
			d.ask(ctx, "x 1", nil)
			time.Sleep(time.Second / 2)
			d.ask(ctx, "x 2", nil)
			d.ask(ctx, "x 3", nil)
			if told := d.told["x 3"]; !slices.Equal(told, []string{"waiting for one of 2 judges, 1 before it"}) {
				panic(told)
			}
		}, [][]string{{"x 1", "x 3"}, {"x 2"}}},
		{"by task", func(ctx context.Context, d *desk, _ chan struct{}) {
			d.ask(ctx, "x 1", nil)
			d.ask(ctx, "y 1", nil)
			pass(2)
			d.ask(ctx, "y 2", nil)
			d.ask(ctx, "x 2", nil)
		}, [][]string{{"x 1", "x 2"}, {"y 1", "y 2"}}},
		{"one that knows no task before one that knows another", func(ctx context.Context, d *desk, _ chan struct{}) {
			d.ask(ctx, "x 1", nil)
			pass(2)
			d.ask(ctx, "y 1", nil)
			pass(2)
			d.ask(ctx, "x 2", nil)
		}, [][]string{{"x 1", "x 2"}, {"y 1"}}},
		{"what is held gives way where no other is free", func(ctx context.Context, d *desk, hold chan struct{}) {
			d.ask(ctx, "x held", hold)
			d.ask(ctx, "y 1", nil)
			d.ask(ctx, "y 2", nil)
			pass(2)
			close(hold)
		}, [][]string{{"x held", "y 2", "x held"}, {"y 1"}}},
		{"each that is held gives way to one", func(ctx context.Context, d *desk, hold chan struct{}) {
			d.ask(ctx, "x held", hold)
			d.ask(ctx, "y held", hold)
			d.ask(ctx, "z 1", nil)
			d.ask(ctx, "z 2", nil)
		}, [][]string{{"x held", "z 1"}, {"y held", "z 2"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(2)
				ctx, cancel := context.WithCancel(t.Context())
				tt.play(ctx, d, make(chan struct{}))
				pass(5)
				cancel()
				synctest.Wait()
				if got := d.begun(); !reflect.DeepEqual(got, tt.want) {
					t.Errorf("begun %v, want %v", got, tt.want)
				}
			})
		})
	}
}

// Whoever gives up leaves no judge idle that others wait for.
func TestGivingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(1)
		d.ask(t.Context(), "a", nil)
		for range 20 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second) // as "a" ends
			defer cancel()
			d.ask(ctx, "b", nil)
		}
		d.ask(t.Context(), "c", nil)
		pass(60)
		if err, ended := d.errs["c"]; !ended || err != nil {
			t.Errorf("the last one: %v, ended %t", err, ended)
		}
	})
}

func TestGivingWayIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(1)
		hold := make(chan struct{})
		d.ask(t.Context(), "held", hold)
		d.ask(t.Context(), "a", nil)
		close(hold)
		pass(5)
		want := []string{"gave way to another kernel", "waiting for the judge, 1 before it"}
		if !slices.Equal(d.told["held"], want) {
			t.Errorf("told %v, want %v", d.told["held"], want)
		}
	})
}
