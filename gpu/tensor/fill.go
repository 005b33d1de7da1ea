package tensor

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/tasks"
)

// typeCode is an element type as the kernels number them, in 32 bits as they
// take it.
func typeCode(d tasks.DType) int32 {
	return int32(slices.Index([]tasks.DType{
		tasks.Float64, tasks.Float32, tasks.Float16, tasks.BFloat16, tasks.Int32, tasks.Int64,
	}, d))
}

// fillCode is a distribution as the kernels number them.
func fillCode(f tasks.Fill) (int32, error) {
	if f.Kind == "integers" && !(f.High-f.Low >= 1) {
		return 0, fmt.Errorf("no integer lies in [%v, %v)", f.Low, f.High)
	}
	code := slices.Index([]string{"normal", "uniform", "integers"}, f.Kind)
	if code < 0 {
		return 0, fmt.Errorf("unknown fill %q", f.Kind)
	}
	return int32(code), nil
}

// allowed is the part of a factor that check.Draw would use: integers may be
// indices, and a range without negative numbers may be one of necessity.
func allowed(dtype tasks.DType, f tasks.Fill, factor float64) float64 {
	switch {
	case f.Kind == "integers", !dtype.Floating():
		return 1
	case f.Kind == "uniform" && f.Low >= 0:
		return math.Abs(factor)
	}
	return factor
}

// Draw fills a tensor with random values, each multiplied by a factor where the
// fill allows that. They are those of check.Draw in distribution, not in value:
// the same seed and stream give the same bytes on every device that computes
// logarithm, sine and cosine alike. Inputs of one trial take a stream each.
func (l *Lab) Draw(ctx context.Context, dst *Tensor, fill tasks.Fill, seed, stream uint64, factor float64) error {
	args, err := drawArguments(dst.DType, dst.Len(), fill, seed, stream, factor)
	if err != nil {
		return fmt.Errorf("draw %s: %w", dst.Name, err)
	}
	return l.change(ctx, "draw", dst, func(c *cuda.Context) error {
		return l.launch(c, "draw", (dst.Len()+1)/2, append([]any{dst.data()}, args...)...)
	})
}

// drawArguments are those of the kernel behind the address.
func drawArguments(dtype tasks.DType, n int64, fill tasks.Fill, seed, stream uint64, factor float64) ([]any, error) {
	code, err := fillCode(fill)
	if err != nil {
		return nil, err
	}
	return []any{typeCode(dtype), n, code, fill.Low, fill.High, allowed(dtype, fill, factor), seed, stream}, nil
}

// Perturb changes one element, which the seed chooses, by more than a tolerance
// could hide, as check.Perturb does.
func (l *Lab) Perturb(ctx context.Context, dst *Tensor, fill tasks.Fill, seed uint64) error {
	width := dst.DType.Bytes()
	element := rand.New(rand.NewPCG(seed, 1<<32)).Int64N(dst.Len())
	at := dst.data() + cuda.Pointer(element*width)
	one := check.Values{Name: dst.Name, DType: dst.DType, Shape: []int64{1}, Bytes: make([]byte, width)}
	return l.change(ctx, "change an element of", dst, func(c *cuda.Context) error {
		if err := c.Download(one.Bytes, at); err != nil {
			return err
		}
		changed := check.Perturb([]tasks.Tensor{{Fill: fill}}, []check.Values{one}, seed)
		return c.Upload(at, changed[0].Bytes)
	})
}

// Convert rounds each element of a floating tensor to the type of another one,
// to nearest, ties to even. Integers are copied to the same type.
func (l *Lab) Convert(ctx context.Context, dst, src *Tensor) error {
	if dst.DType == src.DType {
		return l.Copy(ctx, dst, src)
	}
	if dst.Len() != src.Len() || !dst.DType.Floating() || !src.DType.Floating() {
		return fmt.Errorf("convert %s to %s: %d elements of %s to %d of %s",
			src.Name, dst.Name, src.Len(), src.DType, dst.Len(), dst.DType)
	}
	return l.change(ctx, "convert to", dst, func(c *cuda.Context) error {
		return l.launch(c, "convert", dst.Len(), dst.data(), typeCode(dst.DType), src.data(), typeCode(src.DType), dst.Len())
	})
}

// Copy copies the data of a tensor of the same type and number of elements.
func (l *Lab) Copy(ctx context.Context, dst, src *Tensor) error {
	if dst.DType != src.DType || dst.Len() != src.Len() {
		return fmt.Errorf("copy %s to %s: %d elements of %s to %d of %s",
			src.Name, dst.Name, src.Len(), src.DType, dst.Len(), dst.DType)
	}
	return l.change(ctx, "copy to", dst, func(c *cuda.Context) error {
		return c.Copy(dst.data(), src.data(), uint64(dst.Bytes()), 0)
	})
}

// Fill sets every byte of the data.
func (l *Lab) Fill(ctx context.Context, t *Tensor, value byte) error {
	return l.change(ctx, "fill", t, func(c *cuda.Context) error {
		return c.Fill8(t.data(), value, uint64(t.Bytes()), 0)
	})
}

// Guard lays the guard bytes around a shared tensor's data again.
func (l *Lab) Guard(ctx context.Context, t *Tensor) error {
	if t.kind == private {
		return nil
	}
	end := t.layout.offset + t.Bytes()
	return l.change(ctx, "guard", t, func(c *cuda.Context) error {
		if err := c.Fill8(t.start, guardByte, uint64(t.layout.offset), 0); err != nil || end == t.layout.size {
			return err
		}
		return c.Fill8(t.start+cuda.Pointer(end), guardByte, uint64(t.layout.size-end), 0)
	})
}
