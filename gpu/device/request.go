package device

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/process"
)

// The limit for everything but a candidate's own code.
const mapLimit = 10 * time.Second

// The bounds of what may be asked for.
const (
	MaxSamples = 4096 // of one timing
	MaxBuffers = 64   // of all sets together
)

// Bits of [Call].Flags.
const (
	FlagKernels = 1 << iota // answer with one line per kernel launched
	FlagPlace               // wait for every launch, so that a fault names its kernel
)

// LastErrorEntry is C++ to put behind the entry of a text that nvcc builds, so that
// the process sees the errors that solve did not ask for.
const LastErrorEntry = `extern "C" int hone_last_error() { return cudaGetLastError(); }
`

// Buffer is memory of the judge that a worker is given.
type Buffer struct {
	Name     string
	Bytes    int64    // of the tensor
	Writable bool     // by the worker
	Size     int64    // of the allocation
	Offset   int64    // of the tensor in it
	File     *os.File // stands for the allocation; may be closed once mapped

	// Host says that File is memory of the host, for a device whose memory cannot be
	// shared. The worker copies all of it to memory of its own before each call or
	// timing, and what is Writable back after it, within the limit of either. A store to
	// an input that is not Writable is then no fault: it never arrives.
	Host bool
}

func (b Buffer) line() string {
	mode := "r"
	if b.Writable {
		mode = "w"
	}
	home := "device"
	if b.Host {
		home = "file"
	}
	return fmt.Sprintf("buffer\t%s\t%d\t%s\t%d\t%d\t%s", b.Name, b.Bytes, mode, b.Size, b.Offset, home)
}

// Load has the process load what BuildDevice built; the host object's initialisers
// run within limit.
func (p *Process) Load(ctx context.Context, a compile.DeviceArtifact, limit time.Duration) (*process.Fault, error) {
	request := process.Request{Type: process.Load, Lines: []string{"object\t" + a.Host.Path}}
	if !a.NVCC {
		request.Lines = append(request.Lines, "cubin\t"+a.Device.Path)
		for _, k := range a.Kernels {
			request.Lines = append(request.Lines, kernelLine(k))
		}
		for _, name := range a.Variables {
			request.Lines = append(request.Lines, "variable\t"+name)
		}
	}
	_, fault, err := process.Exchange(ctx, p.Process, limit, request, process.Nothing)
	if err != nil {
		err = fmt.Errorf("load %s: %w", a.Host.Path, err)
	}
	return fault, err
}

func kernelLine(k compile.DeviceKernel) string {
	fields := []string{"kernel", k.Variable, k.Function, k.Lowered, k.Name}
	for _, size := range k.Parameters {
		fields = append(fields, strconv.Itoa(size))
	}
	return strings.Join(fields, "\t")
}

// Map gives the process the sets of buffers of its next calls, each in the order of
// solve's pointers. They take the place of the last ones.
func (p *Process) Map(ctx context.Context, sets ...[]Buffer) (*process.Fault, error) {
	request := process.Request{Type: process.Map}
	for _, set := range sets {
		request.Lines = append(request.Lines, "set")
		for _, b := range set {
			request.Lines = append(request.Lines, b.line())
			request.Files = append(request.Files, b.File)
		}
	}
	if n := len(request.Files); n > MaxBuffers {
		return nil, fmt.Errorf("map %d buffers: more than %d", n, MaxBuffers)
	}
	_, fault, err := process.Exchange(ctx, p.Process, mapLimit, request, process.Nothing)
	return fault, err
}

// Call is one message that has solve run.
type Call struct {
	Flags  int
	Repeat int   // runs one after the other in one call
	Set    int   // of buffers
	Poison *byte // what device memory that solve allocates holds at first; nil for whatever it held
	Dims   []int64
	Limit  time.Duration // for all repetitions together
}

func (c Call) lines() []string {
	lines := []string{
		"flags\t" + strconv.Itoa(c.Flags), "repeat\t" + strconv.Itoa(max(1, c.Repeat)), "set\t" + strconv.Itoa(c.Set),
	}
	if c.Poison != nil {
		lines = append(lines, fmt.Sprintf("poison\t%02x", *c.Poison))
	}
	return append(lines, dimLines(c.Dims)...)
}

func dimLines(dims []int64) []string {
	lines := make([]string, len(dims))
	for i, d := range dims {
		lines[i] = "dim\t" + strconv.FormatInt(d, 10)
	}
	return lines
}

// Call runs solve and waits for the device. The result is empty when there is a
// fault.
func (p *Process) Call(ctx context.Context, c Call) (CallResult, *process.Fault, error) {
	return process.Exchange(ctx, p.Process, c.Limit, process.Request{Type: process.Call, Lines: c.lines()}, parseCall)
}
