package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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

	mu   sync.Mutex
	told map[string][]string
	errs map[string]error // of those who have an answer
}

func newDesk(judges int) *desk {
	d := &desk{told: map[string][]string{}, errs: map[string]error{}}
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

// A judge that has an error for everything costs nobody a verdict, and is tried again
// after longer and longer rests until it is in order.
func TestSickJudge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(2)
		d.judges[0].sick = true
		kernel := func(i int) string { return fmt.Sprintf("task %d", i) }
		for i := range 30 {
			d.ask(t.Context(), kernel(i), nil)
		}
		pass(2)
		if got := d.Sick(); len(got) != 1 || got[0] != "judge 1 of 2 is out of order: "+errBroken.Error() {
			t.Errorf("sick: %q", got)
		}
		pass(40)
		if told := d.told[kernel(0)]; !slices.Equal(told, []string{"judge 1 of 2 had an error: another judges it"}) {
			t.Errorf("told %q", told)
		}
		if got := d.judges[0].order; len(got) != 3 { // at first, after 4 kernels, and after 16 more
			t.Errorf("the sick judge began %v", got)
		}
		d.judges[0].sick = false
		for i := range 70 { // of which it sits out most
			d.ask(t.Context(), kernel(30+i), nil)
			pass(1)
		}
		if got := d.Sick(); len(got) != 0 || len(d.judges[0].order) < 5 {
			t.Errorf("after it has recovered: sick %q, began %d", got, len(d.judges[0].order))
		}
		for i := range 100 {
			if err := d.errs[kernel(i)]; err != nil {
				t.Errorf("%s: %v", kernel(i), err)
			}
		}
	})
}

// A kernel that no judge can judge makes none of them sick, and its error is told.
func TestKernelToBlame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(2)
		d.ask(t.Context(), "broken", nil)
		pass(1)
		if got := d.begun(); !errors.Is(d.errs["broken"], errBroken) || !reflect.DeepEqual(got, [][]string{{"broken"}, {"broken"}}) {
			t.Errorf("begun %v, error %v", got, d.errs["broken"])
		}
		if got := d.Sick(); len(got) != 0 {
			t.Errorf("sick: %q", got)
		}
	})
}

// Judges that are cleared of a kernel's error go on at once.
func TestClearedJudgesGoOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(3)
		for _, kernel := range []string{"a", "b", "c"} {
			d.ask(t.Context(), kernel, nil)
			time.Sleep(time.Second / 4)
		}
		for _, kernel := range []string{"broken", "d", "e", "f"} {
			d.ask(t.Context(), kernel, nil)
		}
		time.Sleep(3 * time.Second / 4) // the third judge is free, and is the last one to be asked about it
		synctest.Wait()
		for i, kernels := range d.begun() {
			if len(kernels) != 3 || kernels[1] != "broken" {
				t.Errorf("judge %d has begun %v", i+1, kernels)
			}
		}
		pass(2)
		if got := d.Sick(); len(got) != 0 || !errors.Is(d.errs["broken"], errBroken) || len(d.errs) != 7 {
			t.Errorf("sick %q, errors %v", got, d.errs)
		}
	})
}

// As long as one of several judges is in order every kernel gets its verdict.
func TestOneJudgeInOrder(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(judges []*slow){
		"two are broken":                         func(j []*slow) { j[0].sick, j[1].sick = true, true },
		"two are broken, slowly":                 func(j []*slow) { j[0].hangs, j[2].hangs = true, true },
		"two are broken, and the last has a fit": func(j []*slow) { j[0].sick, j[1].hangs, j[2].hurt = true, true, true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(3)
				harm(d.judges)
				for i := range 12 {
					d.ask(t.Context(), fmt.Sprintf("task %d", i), nil)
				}
				pass(60)
				failed := 0
				for _, err := range d.errs {
					if err != nil {
						failed++
					}
				}
				most := 0
				if strings.Contains(name, "fit") {
					most = 1 // for which all have had an error
				}
				if len(d.errs) != 12 || failed > most {
					t.Errorf("%d of 12 were answered, errors %v", len(d.errs), d.errs)
				}
			})
		})
	}
}

// One of two judges has an error once, and the other one for everything, after a while:
// nobody waits for ever.
func TestNobodyWaitsForABrokenJudge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(2)
		d.judges[0].hurt, d.judges[1].hangs = true, true
		for i := range 6 {
			d.ask(t.Context(), fmt.Sprintf("task %d", i), nil)
		}
		pass(30)
		if len(d.errs) != 6 {
			t.Errorf("%d of 6 were answered: %v", len(d.errs), d.errs)
		}
	})
}

// However many kernels a judge fails in one trouble, that is one bout.
func TestOneTroubleIsOneBout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(2)
		d.judges[0].hurt = true
		d.ask(t.Context(), "a", nil) // judge 1 rests, so that judge 2 has the next ones
		pass(1)
		d.judges[1].sick = true
		for i := range 8 {
			d.ask(t.Context(), fmt.Sprintf("task %d", i), nil)
		}
		pass(10)
		d.judges[1].sick = false
		before := len(d.judges[1].order)
		for i := range 6 {
			d.ask(t.Context(), fmt.Sprintf("later %d", i), nil)
		}
		pass(10)
		if after := len(d.judges[1].order); before != 9 || after == before || len(d.Sick()) != 0 {
			t.Errorf("it began %d kernels, and %d once it had recovered; sick %q", before, after-before, d.Sick())
		}
	})
}

// TestManySchedules has judges of all kinds and kernels that come, wait and leave at
// random: everybody who stays is answered, and with a verdict where one can be had.
func TestManySchedules(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			d := newDesk(1 + rng.IntN(4))
			for _, j := range d.judges[1:] { // the first one is in order
				j.sick, j.hangs, j.hurt = rng.IntN(4) == 0, rng.IntN(4) == 0, rng.IntN(2) == 0
			}
			left := map[string]bool{}
			for i := range 24 {
				kernel := fmt.Sprintf("task%d %d", rng.IntN(3), i)
				if rng.IntN(12) == 0 && !left["broken"] {
					kernel = "broken"
				}
				ctx, leave := context.WithCancel(t.Context())
				var hold chan struct{}
				if rng.IntN(3) == 0 {
					hold = make(chan struct{})
				}
				d.ask(ctx, kernel, hold)
				left[kernel] = rng.IntN(5) == 0
				time.Sleep(time.Duration(rng.IntN(900)) * time.Millisecond)
				if left[kernel] {
					leave()
				}
				if hold != nil {
					close(hold)
				}
				defer leave()
			}
			pass(120)
			for kernel, gone := range left {
				switch err, ok := d.errs[kernel]; {
				case !ok:
					t.Errorf("seed %d: %s has no answer", seed, kernel)
				case err != nil && !gone && kernel != "broken":
					t.Errorf("seed %d: %s: %v", seed, kernel, err)
				}
			}
			for _, line := range d.Sick() {
				if strings.HasPrefix(line, "judge 1 ") {
					t.Errorf("seed %d: %s", seed, line)
				}
			}
		})
	}
}

// Who leaves while another judge is asked proves nothing against the first one.
func TestLeavingProvesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(2)
		leaving, leave := context.WithCancel(t.Context())
		d.ask(t.Context(), "a", nil)
		d.judges[1].hurt = true
		d.ask(leaving, "b", nil)
		leave()
		synctest.Wait()
		if err := d.errs["b"]; !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		d.ask(t.Context(), "c", nil)
		if got := d.begun(); !reflect.DeepEqual(got, [][]string{{"a"}, {"b", "c"}}) || len(d.Sick()) != 0 {
			t.Errorf("begun %v, sick %q", got, d.Sick())
		}
		pass(1)
	})
}

// A judge alone is never out of order: no other can tell.
func TestJudgeAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(1)
		for _, kernel := range []string{"broken", "a"} {
			d.ask(t.Context(), kernel, nil)
		}
		pass(1)
		if !errors.Is(d.errs["broken"], errBroken) || d.errs["a"] != nil || len(d.Sick()) != 0 || len(d.told["broken"]) != 0 {
			t.Errorf("errors %v, sick %q, told %q", d.errs, d.Sick(), d.told)
		}
	})
}

// Where every judge is broken each kernel gets its error, and nobody waits for ever.
func TestNoJudgeInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(3)
		for _, j := range d.judges {
			j.sick = true
		}
		for i := range 9 {
			d.ask(t.Context(), fmt.Sprintf("task %d", i), nil)
		}
		pass(5)
		for i := range 9 {
			if kernel := fmt.Sprintf("task %d", i); !errors.Is(d.errs[kernel], errBroken) {
				t.Errorf("%s: %v", kernel, d.errs[kernel])
			}
		}
	})
}

// A kernel that is to blame and was begun early is no judge's fault.
func TestEarlyKernelToBlame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(2)
		hold := make(chan struct{})
		d.ask(t.Context(), "broken", hold)
		close(hold)
		pass(1)
		want := []string{"judge 1 of 2 had an error: it is judged once it may run", "judge 1 of 2 had an error: another judges it"}
		if !errors.Is(d.errs["broken"], errBroken) || len(d.Sick()) != 0 || !slices.Equal(d.told["broken"], want) {
			t.Errorf("error %v, sick %q, told %q", d.errs["broken"], d.Sick(), d.told["broken"])
		}
	})
}

// A kernel begun early by a judge that fails is judged by another in its turn.
func TestEarlyBySickJudge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(2)
		d.judges[0].sick = true
		hold := make(chan struct{})
		d.ask(t.Context(), "a", hold)
		close(hold)
		pass(2)
		if err, ok := d.errs["a"]; err != nil || !ok {
			t.Errorf("judged: %v, error %v", ok, err)
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
