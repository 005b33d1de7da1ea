package ondevice

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/tensor"
	"example.com/hone/tasks"
)

// What outputs hold before a run, in turns: NaN in every floating type, and a
// finite number in every type.
const (
	fillerNaN    = 0xFF
	fillerFinite = 0x4B
)

// program is one artefact, loaded in a process of its own.
type program struct {
	shop    *workshop
	process *device.Process
	limit   time.Duration // of one run of solve
	dims    []int64       // of the buffers that are mapped
}

// start loads an artefact into a process and takes the process over.
func (s *workshop) start(ctx context.Context, a compile.DeviceArtifact, memory int64, limit time.Duration) (*program, *process.Fault, error) {
	process, err := s.process(ctx, memory)
	if err != nil {
		return nil, nil, err
	}
	p := &program{shop: s, process: process, limit: limit}
	if fault, err := process.Load(ctx, a, limit); fault != nil || err != nil {
		return nil, fault, errors.Join(err, p.close())
	}
	return p, nil, nil
}

// close ends the process. It may be called on a nil program and more than once.
func (p *program) close() error {
	if p == nil {
		return nil
	}
	return p.process.Close()
}

// set is the tensors of one call of solve, in the order of its pointers.
type set struct {
	inputs  []*tensor.Tensor
	outputs []*tensor.Tensor
}

func (s set) all() []*tensor.Tensor {
	return append(append([]*tensor.Tensor{}, s.inputs...), s.outputs...)
}

// lend maps sets of tensors into the process: inputs to read, outputs to write.
// They take the place of those lent before.
func (p *program) lend(ctx context.Context, dims []int64, exports *exports, sets ...set) (*process.Fault, error) {
	lent := make([][]device.Buffer, len(sets))
	for i, s := range sets {
		for j, t := range s.all() {
			b, err := exports.of(ctx, t, j >= len(s.inputs))
			if err != nil {
				return nil, err
			}
			lent[i] = append(lent[i], b)
		}
	}
	p.dims = dims
	return p.process.Map(ctx, lent...)
}

// exports are tensors as processes are given them. A driver takes a millisecond to
// export one, so that what several processes get is exported once.
type exports struct {
	lab  *tensor.Lab
	made map[*tensor.Tensor]device.Buffer
}

func (s *workshop) exports() *exports {
	return &exports{lab: s.lab, made: map[*tensor.Tensor]device.Buffer{}}
}

func (x *exports) of(ctx context.Context, t *tensor.Tensor, writable bool) (device.Buffer, error) {
	if b, ok := x.made[t]; ok {
		return b, nil
	}
	b, err := x.lab.Share(ctx, t, writable)
	if err == nil {
		x.made[t] = b
	}
	return b, err
}

// close closes the files, which the processes have mapped by then.
func (x *exports) close() error {
	var errs []error
	for _, b := range x.made {
		errs = append(errs, b.File.Close())
	}
	return errors.Join(errs...)
}

// call runs solve on a set.
func (p *program) call(ctx context.Context, c device.Call) (device.CallResult, *process.Fault, error) {
	c.Dims, c.Limit = p.dims, p.limit*time.Duration(max(1, c.Repeat))
	return p.process.Call(ctx, c)
}

// dimensions are the values of a signature's dimensions at a size.
func dimensions(sig tasks.Signature, size tasks.SizeSet) ([]int64, error) {
	dims := make([]int64, len(sig.Dims))
	for i, name := range sig.Dims {
		value, ok := size.Values[name]
		if !ok {
			return nil, fmt.Errorf("size %s gives no value to the dimension %s", size.Name, name)
		}
		dims[i] = value
	}
	return dims, nil
}
