package tensor

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/tasks"
)

// Tensor is a contiguous row-major tensor in device memory. It belongs to the
// [Lab] that made it.
type Tensor struct {
	Name  string
	DType tasks.DType
	Shape []int64 // elements per axis

	kind   kind
	layout layout
	start  cuda.Pointer // of the allocation
	vmm    cuda.Shared  // of a mapped one
	mirror mirror       // of a mirrored one
}

// kind is how a tensor's memory was taken.
type kind int

const (
	private  kind = iota // by the judge alone
	mapped               // shared with other processes
	mirrored             // by the judge alone, with a file beside it that is shared
)

// layout places data in an allocation. Every other byte is a guard.
type layout struct {
	size   int64 // of the allocation
	offset int64 // of the data
}

const (
	guardByte = 0xC3 // as around the buffers of emulated kernels
	minGuard  = 4096 // bytes before the data of every shared tensor
	alignment = 256  // of the data: what cudaMalloc promises
	page      = 4096 // a file's size is a multiple of it
)

// mappedLayout has the data at the very end, so that a kernel that runs over it
// meets addresses that nothing backs.
func mappedLayout(bytes, size int64) layout {
	return layout{size: size, offset: (size - bytes) / alignment * alignment}
}

// mirroredLayout has guards of a page or more on both sides: the end of plain
// memory stops nobody.
func mirroredLayout(bytes int64) layout {
	size := minGuard + bytes + minGuard
	return layout{size: (size + page - 1) / page * page, offset: minGuard}
}

// Len is the number of elements.
func (t *Tensor) Len() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Bytes is the size of the data.
func (t *Tensor) Bytes() int64 { return t.Len() * t.DType.Bytes() }

// data is the address of the first element.
func (t *Tensor) data() cuda.Pointer { return t.start + cuda.Pointer(t.layout.offset) }

// New takes memory for a tensor of a task at a size, with elements of a type that
// may be another than the task's. A shared one holds guard bytes at first, also
// where its data will be: nothing that the memory held before reaches anybody. The
// content of a private one is undefined.
func (l *Lab) New(ctx context.Context, t tasks.Tensor, dtype tasks.DType, size tasks.SizeSet, shared bool) (*Tensor, error) {
	shape, err := size.Shape(t)
	if err != nil {
		return nil, err
	}
	return l.Make(ctx, t.Name, dtype, shape, shared)
}

// Make is New for a tensor of a shape.
func (l *Lab) Make(ctx context.Context, name string, dtype tasks.DType, shape []int64, shared bool) (*Tensor, error) {
	made := &Tensor{Name: name, DType: dtype, Shape: shape}
	if err := made.check(); err != nil {
		return nil, err
	}
	if shared && l.mapping {
		made.kind = mapped
	} else if shared {
		made.kind = mirrored
	}
	err := l.device.Do(ctx, func(c *cuda.Context) error {
		if err := made.allocate(c); err != nil {
			return err
		}
		l.held[made] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("tensor %s of %d bytes: %w", name, made.Bytes(), err)
	}
	return made, nil
}

// check refuses a tensor whose bytes cannot be counted.
func (t *Tensor) check() error {
	const most = 1 << 50
	total := uint64(t.DType.Bytes())
	if total == 0 {
		return fmt.Errorf("tensor %s: unknown element type %q", t.Name, t.DType)
	}
	for _, d := range t.Shape {
		high, low := bits.Mul64(total, uint64(d))
		if high != 0 || low > most {
			return fmt.Errorf("tensor %s: a shape of %v is too large", t.Name, t.Shape)
		}
		total = low
	}
	return nil
}

func (t *Tensor) allocate(c *cuda.Context) (err error) {
	bytes := t.Bytes()
	switch t.kind {
	case private:
		t.layout = layout{size: bytes}
		t.start, err = c.Alloc(uint64(bytes))
		return err
	case mapped:
		if t.vmm, err = c.AllocShared(uint64(bytes + minGuard)); err != nil {
			return err
		}
		t.start, t.layout = t.vmm.Address, mappedLayout(bytes, int64(t.vmm.Size))
	case mirrored:
		t.layout = mirroredLayout(bytes)
		if t.mirror, err = newMirror(t.layout.size); err != nil {
			return err
		}
		if t.start, err = c.Alloc(uint64(t.layout.size)); err != nil {
			return errors.Join(err, t.mirror.close())
		}
	}
	err = c.Fill8(t.start, guardByte, uint64(t.layout.size), 0)
	if err = errors.Join(err, c.Synchronize()); err != nil {
		return errors.Join(err, t.free(c))
	}
	return nil
}

// free gives memory back that no work uses any more.
func (t *Tensor) free(c *cuda.Context) error {
	if t.kind == mapped {
		return c.FreeShared(t.vmm)
	}
	return errors.Join(c.Free(t.start), t.mirror.close())
}

// Free gives the memory of tensors back. What was shared lives on in the processes
// that still have it. Nil and what was freed before are passed over.
func (l *Lab) Free(ctx context.Context, ts ...*Tensor) error {
	err := l.device.Do(ctx, func(c *cuda.Context) error {
		err := c.Synchronize()
		for _, t := range ts {
			if l.held[t] {
				delete(l.held, t)
				err = errors.Join(err, t.free(c))
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("free tensors: %w", err)
	}
	return nil
}

// Upload puts values of the same type and number into a tensor.
func (l *Lab) Upload(ctx context.Context, t *Tensor, v check.Values) error {
	if v.DType != t.DType || int64(len(v.Bytes)) != t.Bytes() {
		return fmt.Errorf("upload to %s: %d bytes of %s for %d of %s", t.Name, len(v.Bytes), v.DType, t.Bytes(), t.DType)
	}
	return l.change(ctx, "upload to", t, func(c *cuda.Context) error { return c.Upload(t.data(), v.Bytes) })
}

// Download is what a tensor holds.
func (l *Lab) Download(ctx context.Context, t *Tensor) (check.Values, error) {
	v := check.Values{Name: t.Name, DType: t.DType, Shape: t.Shape, Bytes: make([]byte, t.Bytes())}
	err := l.device.Do(ctx, func(c *cuda.Context) error { return c.Download(v.Bytes, t.data()) })
	if err != nil {
		return check.Values{}, fmt.Errorf("download %s: %w", t.Name, err)
	}
	return v, nil
}
