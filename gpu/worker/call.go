package worker

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.com/hone/gpu/process"
)

// The limit for everything but a candidate's own code.
const mapLimit = 10 * time.Second

// Bits of [Call].Flags.
const (
	FlagKernels = 1 << iota // answer with one line per kernel launched
	FlagChecked             // the loaded object is the checked build
)

// The schedules that have a fixed order of blocks and threads. From
// ScheduleSeeded on, the order is drawn from the call's seed.
const (
	ScheduleForward = iota
	ScheduleReverse
	ScheduleSeeded
)

// Call is one message that has solve run.
type Call struct {
	Flags    int
	Schedule int
	Seed     uint64
	Repeat   int  // runs one after the other in one call
	Poison   byte // what shared memory holds before each block
	Dims     []int64
	Limit    time.Duration // for all repetitions together
}

func (c Call) lines() []string {
	lines := []string{
		"flags\t" + strconv.Itoa(c.Flags),
		"schedule\t" + strconv.Itoa(c.Schedule),
		"seed\t" + strconv.FormatUint(c.Seed, 10),
		"repeat\t" + strconv.Itoa(c.Repeat),
		fmt.Sprintf("poison\t%02x", c.Poison),
	}
	for _, d := range c.Dims {
		lines = append(lines, "dim\t"+strconv.FormatInt(d, 10))
	}
	return lines
}

// Load has the process load a shared object, whose initialisers run within limit.
func (p *Process) Load(ctx context.Context, object string, limit time.Duration) (*Fault, error) {
	if strings.Contains(object, "\t") {
		return nil, fmt.Errorf("load %q: the path has a tab", object)
	}
	request := process.Request{Type: process.Load, Lines: []string{"path\t" + object}}
	_, fault, err := process.Exchange(ctx, p.Process, limit, request, process.Nothing)
	return fault, err
}

// Map gives the process the buffers of its next calls, in the order of solve's pointers.
func (p *Process) Map(ctx context.Context, buffers []*Buffer) (*Fault, error) {
	request := process.Request{Type: process.Map}
	for _, b := range buffers {
		mode := "r"
		if b.Writable {
			mode = "w"
		}
		request.Lines = append(request.Lines, fmt.Sprintf("buffer\t%s\t%d\t%s", b.Name, b.bytes, mode))
		request.Files = append(request.Files, b.file)
	}
	_, fault, err := process.Exchange(ctx, p.Process, mapLimit, request, process.Nothing)
	return fault, err
}

// Call runs solve. The result is empty when there is a fault.
func (p *Process) Call(ctx context.Context, call Call) (CallResult, *Fault, error) {
	request := process.Request{Type: process.Call, Lines: call.lines()}
	return process.Exchange(ctx, p.Process, call.Limit, request, parseCall)
}
