package ready

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"example.com/hone/tasks"
)

// diary is what happened, in order.
type diary struct{ lines []string }

func (d *diary) write(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// made is what a task needs: its number among all that were made.
type made struct {
	diary  *diary
	number int
	err    error
}

func (m made) Close() error {
	m.diary.write("close %d", m.number)
	return m.err
}

// keeper makes numbered things, which fail for a task that is called so.
func keeper(d *diary) *Keeper[made] {
	count := 0
	return New(func(_ context.Context, task tasks.Task) (made, error) {
		if task.ID == "broken" {
			return made{}, errors.New("it does not compile")
		}
		count++
		d.write("make %d", count)
		return made{d, count, nil}, nil
	})
}

func TestKeeperMakesWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asked []string // tasks, one after the other
		want  []string
	}{
		"one task":            {[]string{"a", "a", "a"}, []string{"make 1", "close 1"}},
		"another task":        {[]string{"a", "b", "a"}, []string{"make 1", "close 1", "make 2", "close 2", "make 3", "close 3"}},
		"one that fails":      {[]string{"broken", "broken", "a"}, []string{"make 1", "close 1"}},
		"one after a failure": {[]string{"a", "broken"}, []string{"make 1", "close 1"}},
	} {
		d := &diary{}
		k := keeper(d)
		for _, id := range c.asked {
			if err := k.Ask(tasks.Task{ID: id}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := k.Wait(t.Context()); (err != nil) != (id == "broken") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := errors.Join(k.Drop(), k.Drop()); err != nil || !slices.Equal(d.lines, c.want) {
			t.Errorf("%s: %q, %v; want %q", name, d.lines, err, c.want)
		}
	}
}

// TestKeeperWaits holds that nothing is closed while the last evaluation, whose verdict is
// out, still uses it.
func TestKeeperWaits(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*Keeper[made]) error{
		"to be dropped":    (*Keeper[made]).Drop,
		"for another task": func(k *Keeper[made]) error { return k.Ask(tasks.Task{ID: "b"}) },
	} {
		d := &diary{}
		k := keeper(d)
		if err := k.Ask(tasks.Task{ID: "a"}); err != nil {
			t.Fatal(err)
		}
		if _, err := k.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		let := make(chan struct{})
		k.Leave(func() error {
			<-let
			d.write("left")
			return nil
		})
		close(let)
		if err := errors.Join(next(k), k.Drop()); err != nil || !slices.Equal(d.lines[:3], []string{"make 1", "left", "close 1"}) {
			t.Errorf("%s: %q, %v", name, d.lines, err)
		}
	}
}

// TestKeeperTrustsNothingAfterAFault holds that what took part in an evaluation that did not
// end well is made anew, whoever is the first to hear of it.
func TestKeeperTrustsNothingAfterAFault(t *testing.T) {
	t.Parallel()
	d := &diary{}
	k := keeper(d)
	task := tasks.Task{ID: "a"}
	if err := k.Ask(task); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the device does not answer")
	k.Leave(func() error { return broken })
	if err := k.Ask(task); !errors.Is(err, broken) {
		t.Errorf("the fault was kept back: %v", err)
	}
	if err := k.Ask(task); err != nil {
		t.Error(err)
	}
	if got, err := k.Wait(t.Context()); err != nil || got.number != 2 {
		t.Errorf("judged by what took part: %d, %v", got.number, err)
	}
	if err := k.Drop(); err != nil || !slices.Equal(d.lines, []string{"make 1", "close 1", "make 2", "close 2"}) {
		t.Errorf("%q, %v", d.lines, err)
	}
}

func TestKeeperCancels(t *testing.T) {
	t.Parallel()
	k := New(func(ctx context.Context, _ tasks.Task) (made, error) {
		<-ctx.Done()
		return made{}, ctx.Err()
	})
	if err := k.Ask(tasks.Task{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := k.Wait(stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("it was waited for: %v", err)
	}
	if err := k.Drop(); err != nil {
		t.Error(err)
	}
}
