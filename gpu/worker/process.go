package worker

import (
	"context"
	"strconv"
	"time"

	"example.com/hone/gpu/process"
)

// Config says how processes are started.
type Config struct {
	Emulator string // the executable
	Scratch  string // folder in which each process gets one of its own; empty for the system's
	Memory   int64  // bytes of private memory, 0 for no limit
	FileSize int64  // bytes of each file it writes
}

func (c Config) program() process.Program {
	args := []string{"file=" + strconv.FormatInt(c.FileSize, 10)}
	if c.Memory > 0 {
		args = append(args, "memory="+strconv.FormatInt(c.Memory, 10))
	}
	return process.Program{
		Name: "worker", Path: c.Emulator, Arguments: args, Scratch: c.Scratch,
		Faults: []FaultKind{FaultOutOfBounds, FaultDivergence, FaultDeadlock, FaultUnsupported},
		Limits: process.Limits{Start: 10 * time.Second, Close: 200 * time.Millisecond, Kill: 2 * time.Second},
	}
}

// Process is one worker. One goroutine at a time may use it; Kill may be called
// from any. After a fault it has ended.
type Process struct{ *process.Process }

// Start runs the emulator, contained, and waits for its greeting.
func Start(ctx context.Context, cfg Config) (*Process, error) {
	p, err := process.Start(ctx, cfg.program())
	if err != nil {
		return nil, err
	}
	return &Process{p}, nil
}

// Pool keeps started workers waiting.
type Pool = process.Pool[*Process]

// NewPool starts so many spare workers and keeps that number waiting.
func NewPool(cfg Config, spares int) *Pool {
	return process.NewPool(spares, func(ctx context.Context) (*Process, error) { return Start(ctx, cfg) })
}
