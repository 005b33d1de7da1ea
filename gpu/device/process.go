package device

import (
	"context"
	"strconv"
	"time"

	"example.com/hone/gpu/process"
)

// Config says how processes are started.
type Config struct {
	Program     string   // the executable that [Prepare] made
	Device      int      // its place in the driver's order
	Driver      string   // path of libcuda; empty for its usual places
	Environment []string // more variables, such as "CUDA_VISIBLE_DEVICES=1"
	Scratch     string   // folder in which each process gets one of its own; empty for the system's
	Memory      int64    // bytes of private host memory beyond the driver's own, 0 for no limit
	FileSize    int64    // bytes of each file it writes
}

// program has modules loaded whole, so that no call of solve pays for it, and
// nothing kept from one process to the next. The driver may hold a killed process a
// while: one that is not gone by then means that the device is not to be trusted.
func (c Config) program() process.Program {
	return process.Program{
		Name: "device worker", Path: c.Program, Arguments: c.arguments(), Scratch: c.Scratch,
		Environment: append([]string{"CUDA_MODULE_LOADING=EAGER", "CUDA_CACHE_DISABLE=1"}, c.Environment...),
		Faults:      []process.FaultKind{FaultMisaligned, FaultAssert, FaultLaunch, FaultDriver, FaultDevice, FaultRequest},
		Limits:      process.Limits{Start: 20 * time.Second, Close: 500 * time.Millisecond, Kill: 10 * time.Second},
	}
}

func (c Config) arguments() []string {
	args := []string{"device=" + strconv.Itoa(c.Device), "file=" + strconv.FormatInt(c.FileSize, 10)}
	if c.Memory > 0 {
		args = append(args, "memory="+strconv.FormatInt(c.Memory, 10))
	}
	if c.Driver != "" {
		args = append(args, "driver="+c.Driver)
	}
	return args
}

// Process is one worker. One goroutine at a time may use it; Kill may be called
// from any. After a fault it has ended. A device's assert says in its Output where
// it failed.
type Process struct{ *process.Process }

// Start runs the program, which takes the device and contains itself, and waits
// for its greeting. Why it could not take the device is a [process.StartError].
func Start(ctx context.Context, cfg Config) (*Process, error) {
	p, err := process.Start(ctx, cfg.program())
	if err != nil {
		return nil, err
	}
	return &Process{p}, nil
}

// Pool keeps processes waiting that have taken the device. Each holds a context,
// which is some hundred megabytes of the device's memory.
type Pool = process.Pool[*Process]

// NewPool starts so many spare processes and keeps that number waiting.
func NewPool(cfg Config, spares int) *Pool {
	return process.NewPool(spares, func(ctx context.Context) (*Process, error) { return Start(ctx, cfg) })
}
