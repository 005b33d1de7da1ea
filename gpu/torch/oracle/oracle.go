package oracle

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
)

// The kinds of fault that an oracle has beside those of package process.
const (
	FaultReference   process.FaultKind = "reference"   // the reference raised an exception
	FaultSyntax      process.FaultKind = "syntax"      // its file is no Python
	FaultMissing     process.FaultKind = "missing"     // it defines no Model or no get_inputs
	FaultUnsupported process.FaultKind = "unsupported" // it uses what cannot be judged
	FaultRequest     process.FaultKind = "request"     // the judge asked for something that cannot be
	FaultDevice      process.FaultKind = "no_device"   // only at the start
)

// CPU is the device of a process that uses no GPU.
const CPU = -1

// Config says how a process is started.
type Config struct {
	Installation torch.Installation
	Folder       string        // that [torch.Prepare] returned
	Device       int           // the GPU's place in CUDA's order, or CPU
	TF32         string        // of the eager times: "on", "off", or empty for torch's defaults
	Memory       int64         // bytes that double precision may take, 0 for what the device has free
	Copies       int           // sets of inputs and outputs that others take on a CPU, beside this process
	Environment  []string      // more variables, such as "CUDA_VISIBLE_DEVICES=1"
	Scratch      string        // folder in which each process gets one of its own; empty for the system's
	Limit        time.Duration // of one drawing or one expectation; 0 for a minute

	Launched func(*process.Process) // as in [process.Program]
}

func (c Config) program() process.Program {
	return process.Program{
		Name: "oracle", Launched: c.Launched, Path: c.Installation.Python, Scratch: c.Scratch,
		Arguments: []string{
			"-m", "hone_torch.oracle", "device=" + strconv.Itoa(c.Device),
			"memory=" + strconv.FormatInt(c.Memory, 10), "tf32=" + c.TF32,
			"copies=" + strconv.Itoa(c.Copies),
		},
		Environment: append(c.environment(), c.Environment...),
		Faults:      []process.FaultKind{FaultReference, FaultSyntax, FaultMissing, FaultUnsupported, FaultRequest, FaultDevice},
		Limits:      process.Limits{Start: 2 * time.Minute, Close: time.Second, Kill: 10 * time.Second},
	}
}

// environment has torch.compile work in this process alone: the workers that it would
// start for itself each import torch first, and compete with what is measured.
func (c Config) environment() []string {
	return append(c.Installation.Environment(c.Folder), "TORCHINDUCTOR_COMPILE_THREADS=1")
}

// Process is one oracle. One goroutine at a time may use it; Kill may be called from
// any. After a fault it has ended.
type Process struct {
	*process.Process
	limit       time.Duration
	description *torch.Description
}

// Start runs the program, which imports torch and takes the device, and waits for
// its greeting: seconds. Why it could not is a [process.StartError].
func Start(ctx context.Context, cfg Config) (*Process, error) {
	p, err := process.Start(ctx, cfg.program())
	if err != nil {
		return nil, err
	}
	limit := cfg.Limit
	if limit <= 0 {
		limit = time.Minute
	}
	return &Process{Process: p, limit: limit}, nil
}

// NewPool keeps so many processes waiting that have imported torch.
func NewPool(cfg Config, spares int) *process.Pool[*Process] {
	return process.NewPool(spares, func(ctx context.Context) (*Process, error) { return Start(ctx, cfg) })
}

// ask sends a request and reads the JSON of its answer.
func ask[T any](ctx context.Context, p *Process, kind process.RequestType, limit time.Duration, request any) (T, *process.Fault, error) {
	var none T
	message, err := torch.Request(kind, request)
	if err != nil {
		return none, nil, err
	}
	return process.Exchange(ctx, p.Process, limit, message, decode[T])
}

// Load has the process execute the reference at a path, build its model, and run it
// some times. It must come first; another reference takes the place of the last one,
// and buffers are to be mapped anew.
func (p *Process) Load(ctx context.Context, source string, limit time.Duration) (torch.Description, *process.Fault, error) {
	request := struct {
		Source string `json:"source"`
	}{source}
	d, fault, err := ask[torch.Description](ctx, p, process.Load, limit, request)
	if err != nil || fault != nil {
		return torch.Description{}, fault, wrap(err, "load "+source)
	}
	p.description = &d
	return d, nil, nil
}

func wrap(err error, doing string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
