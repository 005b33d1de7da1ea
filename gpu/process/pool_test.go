package process

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func pool(of Program, spares int) *Pool[*Process] {
	return NewPool(spares, func(ctx context.Context) (*Process, error) { return Start(ctx, of) })
}

func TestPoolReplacesWhatItGives(t *testing.T) {
	t.Parallel()
	pool := pool(program(t, greetsWell), 1)
	defer pool.Close()
	seen := map[int]bool{}
	for range 5 {
		p, err := pool.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !p.Alive() || seen[p.PID()] {
			t.Errorf("process %d is dead or given twice", p.PID())
		}
		seen[p.PID()] = true
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPoolStartsNothingWhileItIsHeld(t *testing.T) {
	t.Parallel()
	starts := make(chan struct{}, 16)
	of := program(t, greetsWell)
	pool := NewPool(1, func(ctx context.Context) (*Process, error) {
		starts <- struct{}{}
		return Start(ctx, of)
	})
	defer pool.Close()
	<-starts
	first := <-pool.ready // the pool would now start the next one
	<-starts
	second := <-pool.ready
	release, again := pool.Hold(), pool.Hold()
	took, err := pool.Take(t.Context()) // the third spare may be on its way, or the caller's own
	if err != nil {
		t.Fatal(err)
	}
	<-starts
	other, err := pool.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*Process{first.process, second.process, took, other} {
		if !p.Alive() {
			t.Error("a dead process was given")
		}
		_ = p.Close()
	}
	release()
	release()
	if !pool.waiting() {
		t.Error("the pool goes on while another still holds it")
	}
	again()
	if pool.waiting() {
		t.Error("the pool does not go on")
	}
	p, err := pool.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = p.Close()
}

func TestPoolSkipsASpareThatDied(t *testing.T) {
	t.Parallel()
	pool := pool(program(t, greetsWell), 1)
	defer pool.Close()
	first := <-pool.ready
	_ = first.process.Kill()
	pool.fills.Go(func() { pool.ready <- first })
	for range 2 {
		p, err := pool.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !p.Alive() {
			t.Error("a dead process was given")
		}
		_ = p.Close()
	}
}

func TestPoolReportsWhyNothingStarts(t *testing.T) {
	t.Parallel()
	pool := pool(program(t, dies), 1)
	defer pool.Close()
	if _, err := pool.Take(t.Context()); err == nil || !strings.Contains(err.Error(), "exited with code 3") {
		t.Errorf("Take: %v, want the reason", err)
	}
}

func TestPoolTakeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	pool := pool(program(t, greetsNever), 1)
	defer pool.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := pool.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Take: %v, want the context's error", err)
	}
}

func TestPoolCloseLeavesNothing(t *testing.T) {
	t.Parallel()
	fake := program(t, greetsWell)
	pool := pool(fake, 3)
	p, err := pool.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	pool.Close()
	if entries, err := os.ReadDir(fake.Scratch); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
