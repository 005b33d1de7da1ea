package process

import (
	"context"
	"errors"
	"sync"
)

// Spare is what a pool keeps: a process of this package, or what has one.
type Spare interface {
	Alive() bool
	Close() error
	Kill() error
}

// Pool keeps started processes waiting, so that an evaluation never pays for
// their start. A process taken is replaced at once in the background; it is
// never given back.
type Pool[P Spare] struct {
	start func(context.Context) (P, error)
	ready chan started[P]
	stop  context.CancelFunc
	fills sync.WaitGroup

	mu   sync.Mutex
	gate chan struct{} // closed while spares may be started
	held int
}

type started[P Spare] struct {
	process P
	err     error
}

// NewPool starts so many spare processes and keeps that number waiting.
func NewPool[P Spare](spares int, start func(context.Context) (P, error)) *Pool[P] {
	ctx, stop := context.WithCancel(context.Background())
	p := &Pool[P]{start: start, ready: make(chan started[P]), stop: stop, gate: make(chan struct{})}
	close(p.gate)
	for range spares {
		p.fills.Go(func() { p.fill(ctx) })
	}
	return p
}

// fill holds one spare until somebody takes it, then starts the next.
func (p *Pool[P]) fill(ctx context.Context) {
	for p.wait(ctx) {
		process, err := p.start(ctx)
		select {
		case p.ready <- started[P]{process, err}:
		case <-ctx.Done():
			if err == nil {
				_ = process.Close()
			}
		}
	}
}

// Hold keeps the pool from starting spares until release is called: starting a
// process disturbs what another one is measured at.
func (p *Pool[P]) Hold() (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held++; p.held == 1 {
		p.gate = make(chan struct{})
	}
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.held--; p.held == 0 {
			close(p.gate)
		}
	})
}

// wait waits for a time at which spares may be started. It reports false when
// there will be none any more.
func (p *Pool[P]) wait(ctx context.Context) bool {
	p.mu.Lock()
	gate := p.gate
	p.mu.Unlock()
	select {
	case <-gate:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// waiting reports whether the pool starts no spares for now.
func (p *Pool[P]) waiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held > 0
}

// Take returns a process for the caller to use and close. A spare that died
// while it waited is skipped; where there is none and none is being started, one
// is started for the caller.
func (p *Pool[P]) Take(ctx context.Context) (P, error) {
	for {
		s, err := p.next(ctx)
		if err != nil || s.err != nil || s.process.Alive() {
			return s.process, errors.Join(err, s.err)
		}
		_ = s.process.Kill()
	}
}

func (p *Pool[P]) next(ctx context.Context) (started[P], error) {
	if p.waiting() {
		select {
		case s := <-p.ready:
			return s, nil
		default:
			process, err := p.start(ctx)
			return started[P]{process, err}, nil
		}
	}
	select {
	case s := <-p.ready:
		return s, nil
	case <-ctx.Done():
		return started[P]{}, ctx.Err()
	}
}

// Close ends the spares. Processes already taken are their takers' to close.
func (p *Pool[P]) Close() {
	p.stop()
	p.fills.Wait()
}
