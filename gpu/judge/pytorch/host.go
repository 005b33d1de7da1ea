package pytorch

import (
	"bytes"
	"context"
	"fmt"

	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
	"example.com/hone/gpu/worker"
	"example.com/hone/tasks"
)

// hostMemory has tensors in files that processes map.
type hostMemory struct{}

func (hostMemory) make(_ context.Context, about []torch.Tensor) (tensors, error) {
	t := hostTensors{about: about}
	for _, a := range about {
		b, err := worker.NewBuffer(a.Name, a.Bytes(), true)
		if err != nil {
			_ = t.close()
			return nil, err
		}
		t.buffers = append(t.buffers, b)
	}
	return t, nil
}

func (hostMemory) compare(ctx context.Context, output int, got, truth, native tensors, tol tasks.Tolerance) (check.Sum, error) {
	return check.Compare(check.Output{
		Got: got.(hostTensors).value(output), Truth: truth.(hostTensors).value(output), Baseline: native.(hostTensors).value(output),
	}, tol).Sum(), nil
}

func (hostMemory) free(context.Context) (int64, error) { return process.FreeMemory(), nil }

// hostTensors are buffers with guards around each.
type hostTensors struct {
	about   []torch.Tensor
	buffers []*worker.Buffer
}

func (t hostTensors) close() error {
	for _, b := range t.buffers {
		_ = b.Close() // memory of our own: nothing to save
	}
	return nil
}

func (t hostTensors) lend(_ context.Context, writable bool) (lent, error) {
	var l lent
	for i, b := range t.buffers {
		file, size, offset := b.Share()
		l.buffers = append(l.buffers, torch.Buffer{
			Name: t.about[i].Name, Bytes: t.about[i].Bytes(), Writable: writable,
			Size: size, Offset: offset, File: file, Host: true,
		})
	}
	return l, nil
}

func (hostTensors) receive(context.Context) error { return nil }

func (t hostTensors) lay(_ context.Context, from tensors) error {
	for i, b := range t.buffers {
		copy(b.Data(), from.(hostTensors).buffers[i].Data())
	}
	return nil
}

func (t hostTensors) fill(_ context.Context, value byte) error {
	for _, b := range t.buffers {
		b.Fill(value)
	}
	return nil
}

func (t hostTensors) differing(_ context.Context, from tensors) (string, error) {
	for i, b := range t.buffers {
		if !bytes.Equal(b.Data(), from.(hostTensors).buffers[i].Data()) {
			return t.about[i].Name, nil
		}
	}
	return "", nil
}

func (t hostTensors) damage(context.Context) (string, error) {
	for i, b := range t.buffers {
		before, after := b.Damage()
		if said := damaged(t.about[i].Name, int64(before), int64(after)); said != "" {
			return said, nil
		}
	}
	return "", nil
}

// damaged says in words how many bytes around a tensor were written.
func damaged(name string, before, after int64) string {
	switch {
	case after > 0:
		return fmt.Sprintf("wrote outside %s: %d bytes changed after its end", name, after)
	case before > 0:
		return fmt.Sprintf("wrote outside %s: %d bytes changed before its start", name, before)
	}
	return ""
}

func (t hostTensors) copy(ctx context.Context) (tensors, error) {
	made, err := hostMemory{}.make(ctx, t.about)
	if err != nil {
		return nil, err
	}
	return made, made.lay(ctx, t)
}

func (t hostTensors) values(context.Context) ([]check.Values, error) {
	list := make([]check.Values, len(t.buffers))
	for i := range t.buffers {
		list[i] = t.value(i)
	}
	return list, nil
}

// value is a view of one tensor's content, or a copy.
func (t hostTensors) value(i int) check.Values { return valuesOf(t.about[i], t.buffers[i].Data()) }
