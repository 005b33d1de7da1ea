package pytorch

import (
	"context"
	"encoding/binary"
	"os"

	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/torch"
	"example.com/hone/tasks"
)

// memory is where the judge's tensors lie: in files of the host, or on a GPU.
type memory interface {
	// make has tensors of unspecified content made, with guards around each. The
	// caller closes them.
	make(ctx context.Context, about []torch.Tensor) (tensors, error)
	// compare holds one output, by its number, against what is right.
	compare(ctx context.Context, output int, got, truth, native tensors, tol tasks.Tolerance) (check.Sum, error)
	// free is how many bytes are left for tensors.
	free(ctx context.Context) (int64, error)
}

// tensors are those of one part of a set: all inputs, or all outputs. Two of one kind
// were made of the same description in the same memory.
type tensors interface {
	// lend is the tensors as a process is given them. Its files may be closed once
	// they are mapped.
	lend(ctx context.Context, writable bool) (lent, error)
	// receive takes what processes have written.
	receive(ctx context.Context) error
	// lay copies the content of others of the same kind.
	lay(ctx context.Context, from tensors) error
	// fill sets every byte.
	fill(ctx context.Context, value byte) error
	// differing names the first tensor whose bytes are not those of others, "" for none.
	differing(ctx context.Context, from tensors) (string, error)
	// damage says in words which bytes around the tensors were written, "" for none.
	damage(ctx context.Context) (string, error)
	// copy is the tensors again in memory that no process is ever lent.
	copy(ctx context.Context) (tensors, error)
	// values are the tensors' content on the host.
	values(ctx context.Context) ([]check.Values, error)
	close() error
}

// lent is buffers on their way to a process.
type lent struct {
	buffers []torch.Buffer
	files   []*os.File // of the buffers, open for nothing else
}

func (l lent) close() {
	for _, f := range l.files {
		_ = f.Close() // only ever mapped
	}
}

// total is how many bytes tensors take.
func total(about []torch.Tensor) int64 {
	n := int64(0)
	for _, t := range about {
		n += t.Bytes()
	}
	return n
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
