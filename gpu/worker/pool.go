package worker

import (
	"context"
	"sync"
)

// Pool keeps started processes waiting, so that an evaluation never pays for
// their start. A process taken is replaced at once in the background; it is
// never given back.
type Pool struct {
	ready chan started
	stop  context.CancelFunc
	fills sync.WaitGroup
}

type started struct {
	process *Process
	err     error
}

// NewPool starts so many spare processes and keeps that number waiting.
func NewPool(cfg Config, spares int) *Pool {
	ctx, stop := context.WithCancel(context.Background())
	p := &Pool{ready: make(chan started), stop: stop}
	for range spares {
		p.fills.Go(func() { p.fill(ctx, cfg) })
	}
	return p
}

// fill holds one spare until somebody takes it, then starts the next.
func (p *Pool) fill(ctx context.Context, cfg Config) {
	for ctx.Err() == nil {
		process, err := Start(ctx, cfg)
		select {
		case p.ready <- started{process, err}:
		case <-ctx.Done():
			if err == nil {
				_ = process.Close()
			}
		}
	}
}

// Take returns a process for the caller to use and close. A spare that died
// while it waited is skipped.
func (p *Pool) Take(ctx context.Context) (*Process, error) {
	for {
		select {
		case s := <-p.ready:
			if s.err != nil || s.process.alive() {
				return s.process, s.err
			}
			_ = s.process.Kill()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close ends the spares. Processes already taken are their takers' to close.
func (p *Pool) Close() {
	p.stop()
	p.fills.Wait()
}
