package worker

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func TestPoolReplacesWhatItGives(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	pool := NewPool(cfg, 1)
	defer pool.Close()
	seen := map[int]bool{}
	for range 5 {
		p, err := pool.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !p.alive() || seen[p.cmd.Process.Pid] {
			t.Errorf("process %d is dead or given twice", p.cmd.Process.Pid)
		}
		seen[p.cmd.Process.Pid] = true
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPoolSkipsASpareThatDied(t *testing.T) {
	t.Parallel()
	pool := NewPool(config(t), 1)
	defer pool.Close()
	first := <-pool.ready
	_ = first.process.Kill()
	pool.fills.Go(func() { pool.ready <- first })
	for range 2 {
		p, err := pool.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !p.alive() {
			t.Error("a dead process was given")
		}
		_ = p.Close()
	}
}

func TestPoolReportsWhyNothingStarts(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Memory = startsDying
	pool := NewPool(cfg, 1)
	defer pool.Close()
	if _, err := pool.Take(t.Context()); err == nil || !strings.Contains(err.Error(), "exited with code 3") {
		t.Errorf("Take: %v, want the reason", err)
	}
}

func TestPoolTakeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Memory = startsMute
	pool := NewPool(cfg, 1)
	defer pool.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := pool.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Take: %v, want the context's error", err)
	}
}

func TestPoolCloseLeavesNothing(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	pool := NewPool(cfg, 3)
	p, err := pool.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	pool.Close()
	if entries, err := os.ReadDir(cfg.Scratch); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
