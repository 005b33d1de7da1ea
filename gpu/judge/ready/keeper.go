package ready

import (
	"context"
	"errors"
	"fmt"
	"io"

	"example.com/hone/tasks"
)

// Keeper makes what one task at a time is judged by, and keeps it. One goroutine uses it.
type Keeper[T io.Closer] struct {
	build   func(ctx context.Context, task tasks.Task) (T, error)
	last    *making[T] // what was last asked for, nil when there is none
	leaving chan error // ends with what went wrong at the end of the last evaluation; nil when none is on its way
}

// New is a keeper of what build makes. Where build fails, it has closed what it began.
func New[T io.Closer](build func(ctx context.Context, task tasks.Task) (T, error)) *Keeper[T] {
	return &Keeper[T]{build: build}
}

// making is what a task needs, made or in the making.
type making[T any] struct {
	key    string // of the task
	cancel context.CancelFunc
	done   chan struct{}
	made   T // with err, read after done
	err    error
}

func (m *making[T]) failed() bool {
	select {
	case <-m.done:
		return m.err != nil
	default:
		return false
	}
}

// Ask has what a task needs made in the background, unless it is or is being. Where the
// last evaluation did not end well, nothing that took part is trusted to be in order: it
// is dropped, and asking again makes it anew.
func (k *Keeper[T]) Ask(task tasks.Task) error {
	if err := k.Left(); err != nil {
		return errors.Join(fmt.Errorf("end the last answer: %w", err), k.Drop())
	}
	key := task.ID + " " + task.SHA256
	if k.last != nil && k.last.key == key && !k.last.failed() {
		return nil
	}
	if err := k.Drop(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &making[T]{key: key, cancel: cancel, done: make(chan struct{})}
	k.last = m
	go func() {
		defer close(m.done)
		m.made, m.err = k.build(ctx, task)
	}()
	return nil
}

// Wait returns what was last asked for, once it is made.
func (k *Keeper[T]) Wait(ctx context.Context) (made T, err error) {
	select {
	case <-k.last.done:
		return k.last.made, k.last.err
	case <-ctx.Done():
		return made, ctx.Err()
	}
}

// Leave ends an evaluation's processes while its verdict is already on its way: a driver
// takes a tenth of a second to end one.
func (k *Keeper[T]) Leave(end func() error) {
	done := make(chan error, 1)
	k.leaving = done
	go func() { done <- end() }()
}

// Left waits until nothing of the last evaluation runs any more.
func (k *Keeper[T]) Left() error {
	if k.leaving == nil {
		return nil
	}
	err := <-k.leaving
	k.leaving = nil
	return err
}

// Drop closes what was made, and ends what is in the making, once the last evaluation is
// done with it.
func (k *Keeper[T]) Drop() error {
	err := k.Left()
	if k.last == nil {
		return err
	}
	k.last.cancel()
	<-k.last.done
	if k.last.err == nil {
		err = errors.Join(err, k.last.made.Close())
	}
	k.last = nil
	return err
}
