package candidate

import (
	"context"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
)

// The limit for everything but an answer's own code.
const mapLimit = 30 * time.Second

// Set is the buffers of one call: the tensors among the inputs, the reference's state
// and the outputs, each in the order of the description. State may be left out: then
// that of set 0 counts, or what ModelNew was made with. What forward does to its own
// state is undone before each call.
type Set struct {
	Inputs, State, Outputs []torch.Buffer
}

// Map gives the process the sets of buffers of its next calls. They take the place of
// the last ones. An answer must have been loaded.
func (p *Process) Map(ctx context.Context, sets ...Set) (*process.Fault, error) {
	for i, s := range sets {
		request, err := torch.MapRequest(i,
			torch.Group{Name: "inputs", Buffers: s.Inputs},
			torch.Group{Name: "state", Buffers: s.State},
			torch.Group{Name: "outputs", Buffers: s.Outputs})
		if err != nil {
			return nil, err
		}
		if _, fault, err := process.Exchange(ctx, p.Process, mapLimit, request, process.Nothing); fault != nil || err != nil {
			return fault, err
		}
	}
	return nil, nil
}

// Call is one message that has forward run on a set of buffers.
type Call struct {
	Set    int
	Repeat int // calls one after another without waiting for the device between them; 0 is one
	Limit  time.Duration

	Kernels bool // list the kernels that it launches, on a GPU
}

// CallResult is what a process says of one call: a claim.
type CallResult struct {
	Wall    time.Duration   // of forward alone, the device waited for at the end
	Kernels []gpu.Resources // those of modules that were built by the judge
}

// Call runs forward and puts what it returns into the set's outputs. Anything but
// plain tensors as the task describes them is a fault of kind [FaultOutput].
func (p *Process) Call(ctx context.Context, c Call) (CallResult, *process.Fault, error) {
	request, err := torch.Request(process.Call, map[string]any{"set": c.Set, "repeat": max(1, c.Repeat), "kernels": c.Kernels})
	if err != nil {
		return CallResult{}, nil, err
	}
	return converse(ctx, p, c.Limit, request, parseCall)
}

func parseCall(lines [][]string) (CallResult, error) {
	var said struct {
		Wall    int64    `json:"wall_ns"`
		Kernels []string `json:"kernels"`
	}
	if err := torch.Decode(lines, &said); err != nil {
		return CallResult{}, err
	}
	if said.Wall < 0 {
		return CallResult{}, process.Malformedf("a call took less than no time")
	}
	kernels, err := device.ReadKernels(said.Kernels)
	return CallResult{Wall: time.Duration(said.Wall), Kernels: kernels}, err
}
