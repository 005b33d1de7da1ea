package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

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
		want := []string{"judge 1 of 2 had an error, and another judged it: " + errBroken.Error()}
		if found := d.found[kernel(0)]; !slices.Equal(found, want) || len(d.found[kernel(1)]) != 0 {
			t.Errorf("the verdicts tell %q and %q", found, d.found[kernel(1)])
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
