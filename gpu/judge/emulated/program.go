package emulated

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/worker"
	"example.com/hone/tasks"
)

// program is one shared object, loaded in a process of its own.
type program struct {
	process   *worker.Process
	signature tasks.Signature // with the element types the object was compiled for
	flags     int
	limit     time.Duration // of one run of solve
}

// start loads an object into a process and takes the process over.
func start(ctx context.Context, process *worker.Process, object string, sig tasks.Signature, flags int, limit time.Duration) (*program, *worker.Fault, error) {
	p := &program{process: process, signature: sig, flags: flags, limit: limit}
	if fault, err := process.Load(ctx, object, limit); fault != nil || err != nil {
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

// desk is a program with fresh buffers of one size mapped.
type desk struct {
	program *program
	dims    []int64
	inputs  []*worker.Buffer
	outputs []*worker.Buffer
	shapes  []check.Values // of the outputs, without content
	fills   []check.Values // of the inputs, as last laid
}

// open maps fresh buffers. The caller closes the desk.
func (p *program) open(ctx context.Context, size tasks.SizeSet) (*desk, *worker.Fault, error) {
	d := &desk{program: p}
	fault, err := d.open(ctx, size)
	if fault != nil || err != nil {
		d.close()
		return nil, fault, err
	}
	return d, nil, nil
}

func (d *desk) open(ctx context.Context, size tasks.SizeSet) (*worker.Fault, error) {
	for _, name := range d.program.signature.Dims {
		value, ok := size.Values[name]
		if !ok {
			return nil, fmt.Errorf("size %s gives no value to the dimension %s", size.Name, name)
		}
		d.dims = append(d.dims, value)
	}
	for _, t := range d.program.signature.Inputs {
		b, _, err := buffer(t, size, false)
		if err != nil {
			return nil, err
		}
		d.inputs = append(d.inputs, b)
	}
	for _, t := range d.program.signature.Outputs {
		b, v, err := buffer(t, size, true)
		if err != nil {
			return nil, err
		}
		d.outputs, d.shapes = append(d.outputs, b), append(d.shapes, v)
	}
	return d.program.process.Map(ctx, append(append([]*worker.Buffer{}, d.inputs...), d.outputs...))
}

func buffer(t tasks.Tensor, size tasks.SizeSet, writable bool) (*worker.Buffer, check.Values, error) {
	v, err := check.New(t, size)
	if err != nil {
		return nil, v, err
	}
	b, err := worker.NewBuffer(t.Name, int64(len(v.Bytes)), writable)
	return b, v, err
}

// lay puts inputs into the buffers and fills the outputs.
func (d *desk) lay(inputs []check.Values, filler byte) {
	for i, b := range d.inputs {
		copy(b.Data(), inputs[i].Bytes)
	}
	for _, b := range d.outputs {
		b.Fill(filler)
	}
	d.fills = inputs
}

// call runs solve and returns how long that took by the judge's own clock.
func (d *desk) call(ctx context.Context, schedule, repeat int, seed uint64) (worker.CallResult, time.Duration, *worker.Fault, error) {
	limit := d.program.limit
	began := time.Now()
	result, fault, err := d.program.process.Call(ctx, worker.Call{
		Flags:    d.program.flags,
		Schedule: schedule,
		Seed:     seed,
		Repeat:   repeat,
		Poison:   sharedPoison(schedule),
		Dims:     d.dims,
		Limit:    limit,
	})
	return result, time.Since(began), fault, err
}

// sharedPoison differs between schedules, so that a kernel that reads shared
// memory it never wrote computes something else each time.
func sharedPoison(schedule int) byte {
	return []byte{0xFF, 0x3C, 0x41}[schedule%3]
}

// take copies the outputs out. Threads that a candidate left behind can change
// the buffers afterwards, never the copy.
func (d *desk) take() []check.Values {
	taken := make([]check.Values, len(d.outputs))
	for i, b := range d.outputs {
		taken[i] = d.shapes[i]
		taken[i].Bytes = bytes.Clone(b.Data())
	}
	return taken
}

// damage says in words which bytes around the buffers were written.
func (d *desk) damage() string {
	for _, b := range append(append([]*worker.Buffer{}, d.inputs...), d.outputs...) {
		before, after := b.Damage()
		switch {
		case after > 0:
			return fmt.Sprintf("wrote outside %s: %d bytes changed after its end", b.Name, after)
		case before > 0:
			return fmt.Sprintf("wrote outside %s: %d bytes changed before its start", b.Name, before)
		}
	}
	return ""
}

// tampered names an input that no longer is as it was laid.
func (d *desk) tampered() string {
	for i, b := range d.inputs {
		if !bytes.Equal(b.Data(), d.fills[i].Bytes) {
			return b.Name
		}
	}
	return ""
}

func (d *desk) close() {
	for _, b := range append(append([]*worker.Buffer{}, d.inputs...), d.outputs...) {
		_ = b.Close() // memory of our own: nothing to save
	}
}
