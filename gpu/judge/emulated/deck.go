package emulated

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/hone/tasks"
)

// The trials of one evaluation: the least for a check, and those that only the
// timed calls see.
const (
	leastTrials = 5
	timedTrials = 3
)

// deck is what one evaluation needs to know of right and wrong. It is dealt
// once: no two evaluations share a seed.
type deck struct {
	oracle *oracle
	trials []trial
	timed  []trial
}

// deal draws a deck.
func (o *oracle) deal(ctx context.Context, size tasks.SizeSet, trials int) (*deck, error) {
	d := &deck{oracle: o}
	for i := range max(trials, leastTrials) {
		t, err := o.nth(ctx, size, i, d.trials)
		if err != nil {
			return nil, err
		}
		d.trials = append(d.trials, t)
	}
	for range timedTrials {
		t, err := o.fresh(ctx, size, 1)
		if err != nil {
			return nil, err
		}
		d.timed = append(d.timed, t)
	}
	return d, nil
}

func (o *oracle) nth(ctx context.Context, size tasks.SizeSet, i int, earlier []trial) (trial, error) {
	switch i {
	case 1:
		return o.fresh(ctx, size, largeFactor)
	case 2:
		return o.perturbed(ctx, earlier[0])
	}
	return o.fresh(ctx, size, 1)
}

// dealer has the next deck of one task ready before an evaluation asks for it:
// while its candidate compiles, and after it, while the model thinks. It keeps
// the oracle of the task last asked for. One goroutine uses it.
type dealer struct {
	shop *workshop
	next *dealing
}

// dealing is a deck in the making, or made. Its fields but cancel belong to
// the goroutine that makes it until done closes.
type dealing struct {
	key    string
	cancel context.CancelFunc
	done   chan struct{}
	oracle *oracle
	deck   *deck // nil once taken
	err    error
}

// prepare starts on a deck of a task, unless one is there or in the making.
func (d *dealer) prepare(task tasks.Task, size tasks.SizeSet, trials int) error {
	key, err := json.Marshal([]any{task, size, trials})
	if err != nil {
		return fmt.Errorf("task %s: %w", task.ID, err)
	}
	next := &dealing{key: string(key), done: make(chan struct{})}
	if last := d.next; last != nil && last.key == next.key {
		if !last.taken() {
			return nil
		}
		next.oracle = last.oracle
	} else if err := d.drop(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	next.cancel = cancel
	d.next = next
	go next.deal(ctx, d.shop, task, size, trials)
	return nil
}

func (n *dealing) deal(ctx context.Context, shop *workshop, task tasks.Task, size tasks.SizeSet, trials int) {
	defer close(n.done)
	if n.oracle == nil {
		if n.oracle, n.err = newOracle(ctx, shop, task); n.err != nil {
			return
		}
	}
	n.deck, n.err = n.oracle.deal(ctx, size, trials)
}

// taken reports whether the deck was made and given away.
func (n *dealing) taken() bool {
	select {
	case <-n.done:
		return n.deck == nil && n.err == nil
	default:
		return false
	}
}

// take waits for the deck last prepared.
func (d *dealer) take(ctx context.Context) (*deck, error) {
	select {
	case <-d.next.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	deck := d.next.deck
	d.next.deck = nil
	return deck, d.next.err
}

// drop ends whatever is in the making, and the oracle.
func (d *dealer) drop() error {
	if d.next == nil {
		return nil
	}
	d.next.cancel()
	<-d.next.done
	oracle := d.next.oracle
	d.next = nil
	if oracle == nil {
		return nil
	}
	return oracle.close()
}
