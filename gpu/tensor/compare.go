package tensor

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/tasks"
)

// Comparison is how an output differs from the truth. Its sum is what
// check.Compare would come to.
type Comparison struct {
	check.Sum
	First         int64   // smallest index of a wrong element, -1 where none is wrong
	NaN           int64   // elements where exactly one side is NaN
	Worst         float64 // distance from the truth, +Inf where only one side is a number
	BaselineWorst float64 // of the baseline from the truth, 0 where that is infinite and excuses nothing
}

// OK reports whether the output is right.
func (c Comparison) OK() bool { return c.Wrong == 0 }

// The figures of a comparison, as the kernel numbers them.
const (
	wrong = iota
	unlike
	unclose
	before
	worst
	excuse
	absolute
	relative
)

// Compare holds an output against the truth: of any floating type, which is
// double where the task's reference is right, and the very type for integers. The
// baseline is the reference's output in the task's type.
func (l *Lab) Compare(ctx context.Context, got, truth, baseline *Tensor, tol tasks.Tolerance) (Comparison, error) {
	if err := matching(got, truth, baseline); err != nil {
		return Comparison{}, fmt.Errorf("compare %s: %w", got.Name, err)
	}
	kernel, args := "compare_integers", []any{got.data(), truth.data(), baseline.data()}
	if got.DType.Floating() {
		kernel = "compare"
	}
	args = append(args, compareArguments(got.DType, truth.DType, baseline.DType, got.Len(), tol)...)
	totals, err := l.count(ctx, kernel, got.Len(), append(args, l.totals)...)
	if err != nil {
		return Comparison{}, fmt.Errorf("compare %s: %w", got.Name, err)
	}
	return conclude(got.DType, got.Len(), totals), nil
}

// compareArguments are those of the kernel behind the addresses, without the totals.
func compareArguments(got, truth, baseline tasks.DType, n int64, tol tasks.Tolerance) []any {
	if !got.Floating() {
		return []any{typeCode(got), n, check.KernelBenchTolerance(got)}
	}
	return []any{
		typeCode(got), typeCode(truth), typeCode(baseline), n, tol.Abs, tol.Rel, check.Overflow(got), check.KernelBenchTolerance(got),
	}
}

func matching(got, truth, baseline *Tensor) error {
	for _, other := range []*Tensor{truth, baseline} {
		if other.Len() != got.Len() {
			return fmt.Errorf("%d elements with %d", got.Len(), other.Len())
		}
		if other.DType != got.DType && !(got.DType.Floating() && other.DType.Floating()) {
			return fmt.Errorf("%s with %s", got.DType, other.DType)
		}
	}
	return nil
}

// conclude reads what the kernel added up over n elements.
func conclude(t tasks.DType, n int64, totals [maxFigures]uint64) Comparison {
	float := func(figure int) float64 { return math.Float64frombits(totals[figure]) }
	c := Comparison{
		Sum: check.Sum{
			Total: n, Wrong: int64(totals[wrong]), MaxAbs: float(absolute), MaxRel: float(relative), KernelBench: totals[unclose] == 0,
		},
		First: -1, NaN: int64(totals[unlike]), Worst: float(worst), BaselineWorst: float(excuse),
	}
	if math.IsInf(c.BaselineWorst, 1) {
		c.BaselineWorst = 0
	}
	if !t.Floating() {
		c.Worst = c.MaxAbs
	} else if c.Worst <= check.Slack*c.BaselineWorst && !math.IsInf(c.Worst, 1) {
		c.Wrong = 0
	}
	if c.Wrong > 0 {
		c.First = int64(^totals[before])
	}
	return c
}

// Differing counts the bytes in which two tensors of one size differ.
func (l *Lab) Differing(ctx context.Context, a, b *Tensor) (int64, error) {
	if a.Bytes() != b.Bytes() {
		return 0, fmt.Errorf("compare the bytes of %s and %s: %d with %d", a.Name, b.Name, a.Bytes(), b.Bytes())
	}
	totals, err := l.count(ctx, "differing", a.Bytes()/8, a.data(), b.data(), a.Bytes(), l.totals)
	if err != nil {
		return 0, fmt.Errorf("compare the bytes of %s and %s: %w", a.Name, b.Name, err)
	}
	return int64(totals[0]), nil
}

// Damage counts the guard bytes before and after a tensor's data that are no
// longer as they were laid. A private tensor has none.
func (l *Lab) Damage(ctx context.Context, t *Tensor) (before, after int64, err error) {
	guards := t.layout.size - t.Bytes()
	if guards == 0 {
		return 0, 0, nil
	}
	totals, err := l.count(ctx, "damage", guards, t.start, t.layout.size, t.layout.offset, t.Bytes(), uint8(guardByte), l.totals)
	if err != nil {
		return 0, 0, fmt.Errorf("look at the guards of %s: %w", t.Name, err)
	}
	return int64(totals[0]), int64(totals[1]), nil
}

// count runs a kernel that adds up figures, and waits for them.
func (l *Lab) count(ctx context.Context, kernel string, n int64, args ...any) (totals [maxFigures]uint64, err error) {
	var raw [8 * maxFigures]byte
	err = l.device.Do(ctx, func(c *cuda.Context) error {
		if err := c.Fill8(l.totals, 0, uint64(len(raw)), 0); err != nil {
			return err
		}
		if err := l.launch(c, kernel, n, args...); err != nil {
			return err
		}
		return c.Download(raw[:], l.totals)
	})
	for i := range totals {
		totals[i] = binary.LittleEndian.Uint64(raw[8*i:])
	}
	return totals, err
}
