package main

import (
	"context"
	"sync"

	"example.com/hone/agent"
)

// live is a session running in its own goroutine, with its events in a backlog
// that has no limit: a screen that is suspended in an editor holds nothing up.
type live struct {
	session *agent.Session
	cancel  context.CancelFunc
	events  chan agent.Event
	done    chan struct{}
	err     error  // set before done is closed
	release func() // closes what the session used
}

// startLive runs the session that build makes, given the observer to use.
func startLive(ctx context.Context, build func(observe func(agent.Event)) *agent.Session, release func()) *live {
	ctx, cancel := context.WithCancel(ctx)
	q := newBacklog()
	l := &live{cancel: cancel, events: make(chan agent.Event), done: make(chan struct{}), release: release}
	l.session = build(q.put)
	go q.deliver(l.events, l.done)
	go func() {
		defer q.close()
		defer release()
		l.err = l.session.Run(ctx)
	}()
	return l
}

// Events yields every event in order and is closed after the last.
func (l *live) Events() <-chan agent.Event { return l.events }

// Send hands a command to the session.
func (l *live) Send(c agent.Command) { l.session.Send(c) }

// Close ends the session, drops the events nobody read, and returns what went
// wrong in it.
func (l *live) Close() error {
	l.cancel()
	for range l.events { //nolint:revive // drained so that the backlog can end
	}
	<-l.done
	return l.err
}

// backlog passes events from one goroutine to another without ever blocking the first.
type backlog struct {
	mu      sync.Mutex
	waiting []agent.Event
	closed  bool
	changed chan struct{} // holds one token when waiting or closed changed
}

func newBacklog() *backlog { return &backlog{changed: make(chan struct{}, 1)} }

func (q *backlog) put(e agent.Event) {
	q.mu.Lock()
	q.waiting = append(q.waiting, e)
	q.mu.Unlock()
	q.signal()
}

func (q *backlog) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.signal()
}

func (q *backlog) signal() {
	select {
	case q.changed <- struct{}{}:
	default:
	}
}

func (q *backlog) take() (events []agent.Event, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	events, q.waiting = q.waiting, nil
	return events, q.closed
}

// deliver sends everything put, in order, and closes both channels at the end.
func (q *backlog) deliver(to chan<- agent.Event, done chan<- struct{}) {
	defer close(done)
	defer close(to)
	for {
		events, closed := q.take()
		for _, e := range events {
			to <- e
		}
		if closed && len(events) == 0 {
			return
		}
		if !closed {
			<-q.changed
		}
	}
}
