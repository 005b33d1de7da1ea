package pytorch

import (
	"bytes"
	"context"
	"fmt"

	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/gpu/tensor"
	"example.com/hone/gpu/torch"
	"example.com/hone/tasks"
)

// deviceMemory has tensors on a GPU.
type deviceMemory struct{ gpu *platform.Platform }

const (
	mostCarriers = 48  // of one part; more tensors share one, since a message carries few descriptors
	alignment    = 256 // of tensors that share one: what cudaMalloc promises
)

// deviceTensors lie in allocations of package tensor.
type deviceTensors struct {
	lab     *tensor.Lab
	about   []torch.Tensor
	places  []place          // of the tensors
	carrier []*tensor.Tensor // the allocations
}

// place is where a tensor lies.
type place struct {
	carrier int
	offset  int64 // in bytes
	whole   bool  // it is the carrier, in its own type
}

func (m deviceMemory) make(ctx context.Context, about []torch.Tensor) (tensors, error) {
	t := deviceTensors{lab: m.gpu.Lab, about: about}
	plans := t.plan()
	for _, p := range plans {
		made, err := m.gpu.Lab.Make(ctx, p.name, p.dtype, p.shape, true)
		if err != nil {
			_ = t.close()
			return nil, fmt.Errorf("device memory for %s: %w", p.name, err)
		}
		t.carrier = append(t.carrier, made)
	}
	return t, nil
}

// plan is one allocation of a part.
type plan struct {
	name  string
	dtype tasks.DType
	shape []int64
}

// plan decides where the tensors lie: each in an allocation of its own, so that what
// runs over its end meets nothing, or all in one where they are many.
func (t *deviceTensors) plan() []plan {
	if len(t.about) > mostCarriers {
		bytes := int64(0)
		for _, a := range t.about {
			t.places = append(t.places, place{offset: bytes})
			bytes += (a.Bytes() + alignment - 1) / alignment * alignment
		}
		return []plan{words("tensors", bytes)}
	}
	var plans []plan
	for i, a := range t.about {
		p := plan{a.Name, tasks.DType(a.DType), a.Shape}
		whole := p.dtype.Bytes() > 0 && a.Elements() > 0
		if !whole {
			p = words(a.Name, a.Bytes())
		}
		t.places = append(t.places, place{carrier: i, whole: whole})
		plans = append(plans, p)
	}
	return plans
}

// words is an allocation for bytes of any type, and for none.
func words(name string, bytes int64) plan {
	const width = 4
	return plan{name, tasks.Int32, []int64{max(1, (bytes+width-1)/width)}}
}

func (m deviceMemory) free(ctx context.Context) (int64, error) { return m.gpu.Free(ctx) }

// compare is done on the device, but for types that its kernels do not know.
func (m deviceMemory) compare(ctx context.Context, output int, got, truth, native tensors, tol tasks.Tolerance) (check.Sum, error) {
	sides := [3]deviceTensors{got.(deviceTensors), truth.(deviceTensors), native.(deviceTensors)}
	whole := true
	for _, s := range sides {
		whole = whole && s.places[output].whole
	}
	if whole {
		c, err := m.gpu.Lab.Compare(ctx, sides[0].carrier[output], sides[1].carrier[output], sides[2].carrier[output], tol)
		return c.Sum, err
	}
	var v [3]check.Values
	for i, s := range sides {
		var err error
		if v[i], err = s.value(ctx, output); err != nil {
			return check.Sum{}, err
		}
	}
	return check.Compare(check.Output{Got: v[0], Truth: v[1], Baseline: v[2]}, tol).Sum(), nil
}

func (t deviceTensors) close() error { return t.lab.Free(context.Background(), t.carrier...) }

func (t deviceTensors) lend(ctx context.Context, writable bool) (l lent, err error) {
	shares := make([]torch.Buffer, len(t.carrier))
	for i, c := range t.carrier {
		if err := t.lab.Send(ctx, c); err != nil {
			l.close()
			return lent{}, err
		}
		b, err := t.lab.Share(ctx, c, writable)
		if err != nil {
			l.close()
			return lent{}, err
		}
		l.files = append(l.files, b.File)
		shares[i] = torch.Buffer{Size: b.Size, Offset: b.Offset, File: b.File, Host: b.Host}
	}
	for i, a := range t.about {
		b := shares[t.places[i].carrier]
		b.Name, b.Bytes, b.Writable = a.Name, a.Bytes(), writable
		b.Offset += t.places[i].offset
		l.buffers = append(l.buffers, b)
	}
	return l, nil
}

// each does something to every allocation.
func (t deviceTensors) each(do func(i int, c *tensor.Tensor) error) error {
	for i, c := range t.carrier {
		if err := do(i, c); err != nil {
			return err
		}
	}
	return nil
}

func (t deviceTensors) receive(ctx context.Context) error {
	return t.each(func(_ int, c *tensor.Tensor) error { return t.lab.Receive(ctx, c) })
}

func (t deviceTensors) lay(ctx context.Context, from tensors) error {
	return t.each(func(i int, c *tensor.Tensor) error {
		if err := t.lab.Copy(ctx, c, from.(deviceTensors).carrier[i]); err != nil {
			return err
		}
		return t.lab.Send(ctx, c)
	})
}

func (t deviceTensors) fill(ctx context.Context, value byte) error {
	return t.each(func(_ int, c *tensor.Tensor) error {
		if err := t.lab.Fill(ctx, c, value); err != nil {
			return err
		}
		return t.lab.Send(ctx, c)
	})
}

func (t deviceTensors) differing(ctx context.Context, from tensors) (name string, err error) {
	others := from.(deviceTensors)
	for i, c := range t.carrier {
		n, err := t.lab.Differing(ctx, c, others.carrier[i])
		if err != nil {
			return "", err
		}
		if n > 0 {
			return t.firstDiffering(ctx, others, i)
		}
	}
	return "", nil
}

// firstDiffering finds the tensor in an allocation that differs.
func (t deviceTensors) firstDiffering(ctx context.Context, others deviceTensors, carrier int) (string, error) {
	for i, p := range t.places {
		if p.carrier != carrier {
			continue
		}
		one, err := t.value(ctx, i)
		if err != nil {
			return "", err
		}
		other, err := others.value(ctx, i)
		if err != nil {
			return "", err
		}
		if !bytes.Equal(one.Bytes, other.Bytes) {
			return t.about[i].Name, nil
		}
	}
	return t.carrier[carrier].Name, nil // a byte between tensors
}

func (t deviceTensors) damage(ctx context.Context) (string, error) {
	for _, c := range t.carrier {
		before, after, err := t.lab.Damage(ctx, c)
		if err != nil {
			return "", err
		}
		if said := damaged(c.Name, before, after); said != "" {
			return said, nil
		}
	}
	return "", nil
}

func (t deviceTensors) copy(ctx context.Context) (tensors, error) {
	made := deviceTensors{lab: t.lab, about: t.about, places: t.places}
	for _, c := range t.carrier {
		one, err := t.lab.Make(ctx, c.Name, c.DType, c.Shape, false)
		if err == nil {
			made.carrier = append(made.carrier, one)
			err = t.lab.Copy(ctx, one, c)
		}
		if err != nil {
			_ = made.close()
			return nil, fmt.Errorf("copy %s: %w", c.Name, err)
		}
	}
	return made, nil
}

func (t deviceTensors) values(ctx context.Context) ([]check.Values, error) {
	list := make([]check.Values, len(t.about))
	for i := range t.about {
		var err error
		if list[i], err = t.value(ctx, i); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// value is one tensor's content.
func (t deviceTensors) value(ctx context.Context, i int) (check.Values, error) {
	p := t.places[i]
	all, err := t.lab.Download(ctx, t.carrier[p.carrier])
	if err != nil {
		return check.Values{}, err
	}
	return valuesOf(t.about[i], all.Bytes[p.offset:p.offset+t.about[i].Bytes()]), nil
}
