package process

import (
	"context"
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
	ready chan started[P]
	stop  context.CancelFunc
	fills sync.WaitGroup
}

type started[P Spare] struct {
	process P
	err     error
}

// NewPool starts so many spare processes and keeps that number waiting.
func NewPool[P Spare](spares int, start func(context.Context) (P, error)) *Pool[P] {
	ctx, stop := context.WithCancel(context.Background())
	p := &Pool[P]{ready: make(chan started[P]), stop: stop}
	for range spares {
		p.fills.Go(func() { p.fill(ctx, start) })
	}
	return p
}

// fill holds one spare until somebody takes it, then starts the next.
func (p *Pool[P]) fill(ctx context.Context, start func(context.Context) (P, error)) {
	for ctx.Err() == nil {
		process, err := start(ctx)
		select {
		case p.ready <- started[P]{process, err}:
		case <-ctx.Done():
			if err == nil {
				_ = process.Close()
			}
		}
	}
}

// Take returns a process for the caller to use and close. A spare that died
// while it waited is skipped.
func (p *Pool[P]) Take(ctx context.Context) (P, error) {
	for {
		select {
		case s := <-p.ready:
			if s.err != nil || s.process.Alive() {
				return s.process, s.err
			}
			_ = s.process.Kill()
		case <-ctx.Done():
			var none P
			return none, ctx.Err()
		}
	}
}

// Close ends the spares. Processes already taken are their takers' to close.
func (p *Pool[P]) Close() {
	p.stop()
	p.fills.Wait()
}
