package pytorch

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/torch"
	"example.com/hone/gpu/worker"
	"example.com/hone/tasks"
)

// tensors are buffers of one part of a set, with guards around each.
type tensors struct {
	about   []torch.Tensor
	buffers []*worker.Buffer
}

// newTensors makes buffers of zeros. The caller closes them.
func newTensors(about []torch.Tensor, writable bool) (tensors, error) {
	t := tensors{about: about}
	for _, a := range about {
		b, err := worker.NewBuffer(a.Name, a.Bytes(), writable)
		if err != nil {
			t.close()
			return tensors{}, err
		}
		t.buffers = append(t.buffers, b)
	}
	return t, nil
}

func (t tensors) close() {
	for _, b := range t.buffers {
		_ = b.Close() // memory of our own: nothing to save
	}
}

// lent are the buffers as a process is given them.
func (t tensors) lent(writable bool) []torch.Buffer {
	list := make([]torch.Buffer, len(t.buffers))
	for i, b := range t.buffers {
		file, size, offset := b.Share()
		list[i] = torch.Buffer{
			Name: t.about[i].Name, Bytes: t.about[i].Bytes(), Writable: writable,
			Size: size, Offset: offset, File: file, Host: true,
		}
	}
	return list
}

// lay copies the content of other tensors of the same kind.
func (t tensors) lay(from tensors) {
	for i, b := range t.buffers {
		copy(b.Data(), from.buffers[i].Data())
	}
}

func (t tensors) fill(value byte) {
	for _, b := range t.buffers {
		b.Fill(value)
	}
}

// differing names the first tensor whose bytes are not those of the others.
func (t tensors) differing(from tensors) string {
	for i, b := range t.buffers {
		if !bytes.Equal(b.Data(), from.buffers[i].Data()) {
			return t.about[i].Name
		}
	}
	return ""
}

// damage says in words which bytes around the tensors were written.
func (t tensors) damage() string {
	for i, b := range t.buffers {
		before, after := b.Damage()
		switch {
		case after > 0:
			return fmt.Sprintf("wrote outside %s: %d bytes changed after its end", t.about[i].Name, after)
		case before > 0:
			return fmt.Sprintf("wrote outside %s: %d bytes changed before its start", t.about[i].Name, before)
		}
	}
	return ""
}

// values copies the tensors out. Threads that a candidate left behind can change
// the buffers afterwards, never the copy.
func (t tensors) values() []check.Values {
	list := make([]check.Values, len(t.buffers))
	for i, b := range t.buffers {
		list[i] = valuesOf(t.about[i], bytes.Clone(b.Data()))
	}
	return list
}

// valuesOf is a tensor's content as package check compares it: small integers and
// truth values as 64-bit integers.
func valuesOf(t torch.Tensor, content []byte) check.Values {
	v := check.Values{Name: t.Name, DType: tasks.DType(t.DType), Shape: t.Shape, Bytes: content}
	width := int64(len(content)) / max(1, t.Elements())
	if v.DType.Bytes() > 0 || width == 0 {
		return v
	}
	wide := check.Values{Name: t.Name, DType: tasks.Int64, Shape: t.Shape, Bytes: make([]byte, 8*t.Elements())}
	for i := range wide.Len() {
		wide.SetInt(i, small(t.DType, content[int64(i)*width:]))
	}
	return wide
}

// small reads one element of a type that is narrower than package check's integers.
func small(dtype string, content []byte) int64 {
	switch dtype {
	case "int8":
		return int64(int8(content[0]))
	case "int16":
		return int64(int16(binary.LittleEndian.Uint16(content)))
	}
	return int64(content[0])
}
