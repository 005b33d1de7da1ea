package candidate

import (
	"context"
	"fmt"
	"time"

	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
)

// CPU is the device of a process that runs on no GPU.
const CPU = -1

// Config says how processes are started.
type Config struct {
	Installation torch.Installation
	Folder       string   // of hone's Python programs, as torch.Prepare made it
	Containment  string   // the library that [Prepare] made; empty to contain nothing
	Device       int      // its number, or CPU
	Read         []string // files and folders that modules of an answer need, such as libraries they are linked with
	Environment  []string // more variables, such as "CUDA_VISIBLE_DEVICES=1"
	Scratch      string   // folder in which each process gets one of its own; empty for the system's
	Memory       int64    // bytes of private host memory beyond torch's own, 0 for no limit
	FileSize     int64    // bytes of each file it writes, 0 for no limit
}

// program is given long to start: importing torch from a cold disk takes many seconds.
func (c Config) program() process.Program {
	return process.Program{
		Name: "candidate", Path: c.Installation.Python, Arguments: c.arguments(), Scratch: c.Scratch,
		Environment: append(c.Installation.Environment(c.Folder), c.Environment...),
		Faults:      faults(),
		Limits:      process.Limits{Start: 3 * time.Minute, Close: 500 * time.Millisecond, Kill: 10 * time.Second},
	}
}

func (c Config) arguments() []string {
	args := []string{
		"-m", "hone_torch.candidate", fmt.Sprintf("device=%d", c.Device),
		fmt.Sprintf("memory=%d", c.Memory), fmt.Sprintf("file=%d", c.FileSize), "contain=" + c.Containment,
	}
	for _, path := range c.Read {
		args = append(args, "read="+path)
	}
	return args
}

// Process is one Python process, for one answer. One goroutine at a time may use it;
// Kill may be called from any. After a fault it has ended.
type Process struct {
	*process.Process
	scratch string
	build   Build
	builds  int
}

// Start runs Python, which imports torch and contains itself, and waits for its
// greeting. Why it could not take the device is a [process.StartError].
func Start(ctx context.Context, cfg Config) (*Process, error) {
	p, err := process.Start(ctx, cfg.program())
	if err != nil {
		return nil, err
	}
	return &Process{Process: p, scratch: cfg.Scratch}, nil
}

// Pool keeps processes waiting that have torch imported. On a GPU each holds a
// context, which is some hundred megabytes of the device's memory.
type Pool = process.Pool[*Process]

// NewPool starts so many spare processes and keeps that number waiting.
func NewPool(cfg Config, spares int) *Pool {
	return process.NewPool(spares, func(ctx context.Context) (*Process, error) { return Start(ctx, cfg) })
}
