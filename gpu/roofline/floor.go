package roofline

import (
	"errors"
	"fmt"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

// What takes longer, as [Floor].Bound.
const (
	BoundMemory  = "memory"
	BoundCompute = "compute"
)

// Floor is the least time that a device needs for a task at a size.
type Floor struct {
	Read     int64   // bytes: every input once
	Written  int64   // bytes: every output once
	MemoryUS float64 // microseconds to move them

	Flops      *int64   // nil where the task does not say
	ComputeUS  *float64 // microseconds to do them; nil where unknown
	Unit       string   // that does them fastest, a key of [Peaks].Compute
	Peak       *float64 // its operations a second
	LowerBound bool     // the unit may do more, so that the compute time may be too long

	Bound string // [BoundMemory] or [BoundCompute]
}

// Bytes are those read and written.
func (f Floor) Bytes() int64 { return f.Read + f.Written }

// US is the least time in microseconds.
func (f Floor) US() float64 {
	if f.ComputeUS == nil {
		return f.MemoryUS
	}
	return max(f.MemoryUS, *f.ComputeUS)
}

// Floor is the least time for a task at one of its sizes. It goes by the task's own
// tolerance: a caller that judges by another one sets it there first.
func (p Peaks) Floor(task tasks.Task, size tasks.SizeSet) (Floor, error) {
	if !p.valid() {
		return Floor{}, errors.New("roofline: the peaks are incomplete: measure the device first")
	}
	f := Floor{Bound: BoundMemory}
	var err error
	if f.Read, err = bytesOf(size, task.Signature.Inputs); err != nil {
		return Floor{}, fmt.Errorf("roofline of %s: %w", task.ID, err)
	}
	if f.Written, err = bytesOf(size, task.Signature.Outputs); err != nil {
		return Floor{}, fmt.Errorf("roofline of %s: %w", task.ID, err)
	}
	if f.Bytes() == 0 {
		return Floor{}, fmt.Errorf("roofline of %s: it has neither inputs nor outputs", task.ID)
	}
	f.MemoryUS = p.memoryUS(f.Read, f.Written)
	if task.Flops == "" {
		return f, nil
	}
	flops, err := size.Eval(task.Flops)
	if err != nil {
		return Floor{}, fmt.Errorf("roofline of %s: flops: %w", task.ID, err)
	}
	f.Flops = &flops
	f.setCompute(p, usable(task))
	return f, nil
}

func bytesOf(size tasks.SizeSet, tensors []tasks.Tensor) (int64, error) {
	var bytes int64
	for _, t := range tensors {
		n, err := size.Elements(t)
		if err != nil {
			return 0, err
		}
		bytes += n * t.DType.Bytes()
	}
	return bytes, nil
}

// setCompute takes the fastest of the units.
func (f *Floor) setCompute(p Peaks, units []string) {
	var peak float64
	for _, unit := range units {
		if p.Compute[unit] > peak {
			peak, f.Unit = p.Compute[unit], unit
		}
	}
	if peak == 0 {
		return
	}
	us := float64(*f.Flops) / peak * 1e6
	f.Peak, f.ComputeUS = &peak, &us
	f.LowerBound = p.LowerBound
	if us > f.MemoryUS {
		f.Bound = BoundCompute
	}
}

// The relative errors of one rounding to a narrower format.
const (
	roundingSingle = 1.0 / (1 << 24) // float32
	roundingHalf   = 1.0 / (1 << 11) // float16, and TF32, which is as precise
)

// usable are the units that a correct kernel may do a task's arithmetic with. A
// floor must hold for every correct kernel, so these are all that the tolerance
// allows, not only those that a careful author would take:
//
//   - float32: the ordinary units, and the matrix units in TF32. In one pass TF32
//     satisfies a loose tolerance; in three, at a third of the speed, a tight one.
//   - float16 and bfloat16: the matrix units in either format.
//   - A relative tolerance as wide as the rounding of the next narrower format
//     admits that format's units too.
//   - integers alone: float32's ordinary units, which are never slower.
//
// Two things are left aside. The absolute tolerance, since how large a task's
// values are is not known here: where it hides a value's digits, a kernel can be
// faster. And algorithms that need fewer operations than the task's formula says,
// such as Winograd's convolution, which pay with precision for the saving.
func usable(task tasks.Task) []string {
	var units []string
	for _, t := range task.Signature.Tensors() {
		units = append(units, unitsFor(t.DType, task.Tolerance.Rel)...)
	}
	if len(units) == 0 {
		return []string{FP32}
	}
	return units
}

// unitsFor are the units of one type of element, none for integers.
func unitsFor(t tasks.DType, tolerance float64) []string {
	switch {
	case t == tasks.Float64 && tolerance < roundingSingle:
		return []string{FP64, FP64Matrix}
	case t == tasks.Float64:
		return append(unitsFor(tasks.Float32, tolerance), FP64, FP64Matrix)
	case t == tasks.Float32 && tolerance < roundingHalf:
		return []string{FP32, TF32Matrix}
	case t == tasks.Float32:
		return []string{FP32, TF32Matrix, FP16Matrix, BF16Matrix}
	case t.Floating():
		return []string{FP32, FP16Matrix, BF16Matrix}
	}
	return nil
}

// Roofline holds a measured time of one call against the floor. A time of nothing counts
// as a nanosecond: JSON, in which the figures travel, has no infinity.
func (f Floor) Roofline(median time.Duration) gpu.Roofline {
	us := float64(max(median, 1)) / float64(time.Microsecond)
	r := gpu.Roofline{
		Bytes:    f.Bytes(),
		Flops:    f.Flops,
		Bound:    f.Bound,
		FloorUS:  f.US(),
		Percent:  100 * f.US() / us,
		GBps:     gigabytes(f.Bytes(), us),
		PeakGBps: gigabytes(f.Bytes(), f.MemoryUS),
	}
	if f.Flops != nil {
		achieved := float64(*f.Flops) / us / 1e6
		r.TFlops = &achieved
	}
	if f.Peak != nil {
		peak := *f.Peak / 1e12
		r.PeakTF = &peak
	}
	return r
}
