package check

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

// Slack is how many times the baseline's own worst error a kernel may have: a
// kernel as exact as the reference in its type never fails for rounding.
const Slack = 4

// Output is one output of one trial, from all sides.
type Output struct {
	Got      Values // by the kernel
	Truth    Values // by the reference in double; for integers in their type
	Baseline Values // by the reference in the task's type
}

// Difference is what the comparison of one output showed.
type Difference struct {
	Output
	Wrong  []int   // elements out of tolerance, ascending
	MaxAbs float64 // over the elements that are finite on both sides
	MaxRel float64 // of those, over the elements whose truth exceeds the absolute tolerance

	worst float64 // error of all elements, infinite where only one side is a number
}

// Compare holds an output against the truth. It passes, with nothing wrong,
// when every element is within Abs + Rel*|truth|, or when the worst error is no
// larger than a few times the baseline's own. Integers must be equal, NaN and
// the infinities be in place.
func Compare(o Output, tolerance tasks.Tolerance) Difference {
	d := Difference{Output: o}
	if !o.Got.DType.Floating() {
		for i := range o.Got.Len() {
			if o.Got.Int(i) != o.Truth.Int(i) {
				d.Wrong = append(d.Wrong, i)
			}
			d.MaxAbs = max(d.MaxAbs, math.Abs(o.Got.Float(i)-o.Truth.Float(i)))
		}
		return d
	}
	parts := inParts(o.Got.Len(), func(from, to int) Difference { return o.compare(from, to, tolerance) })
	worst, wrong := 0.0, 0
	for _, part := range parts {
		wrong += len(part.Wrong)
	}
	d.Wrong = make([]int, 0, wrong)
	for _, part := range parts {
		d.Wrong = append(d.Wrong, part.Wrong...)
		d.MaxAbs, d.MaxRel = max(d.MaxAbs, part.MaxAbs), max(d.MaxRel, part.MaxRel)
		worst = max(worst, part.worst)
	}
	if len(d.Wrong) > 0 && !math.IsInf(worst, 1) && worst <= Slack*o.baselineError() {
		d.Wrong = nil
	}
	return d
}

// compare is Compare for a part of the elements, without what the baseline excuses.
func (o Output) compare(from, to int, tolerance tasks.Tolerance) Difference {
	var d Difference
	for i := from; i < to; i++ {
		want := o.want(i)
		off := distance(o.Got.Float(i), want)
		d.worst = max(d.worst, off)
		if off > tolerance.Abs+tolerance.Rel*math.Abs(want) || math.IsInf(off, 1) {
			d.Wrong = append(d.Wrong, i)
		}
		d.record(off, want, tolerance.Abs)
	}
	return d
}

// inParts has so many elements worked on in parts, by all cores where there are
// many elements, and returns the parts' results in order.
func inParts[T any](elements int, work func(from, to int) T) []T {
	const least = 1 << 16 // elements of a part
	count := max(1, min(runtime.GOMAXPROCS(0), elements/least))
	results := make([]T, count)
	var group sync.WaitGroup
	for i := range count {
		group.Go(func() { results[i] = work(elements*i/count, elements*(i+1)/count) })
	}
	group.Wait()
	return results
}

func (d *Difference) record(off, want, floor float64) {
	if math.IsInf(off, 1) {
		return
	}
	d.MaxAbs = max(d.MaxAbs, off)
	if magnitude := math.Abs(want); magnitude > floor && !math.IsInf(want, 0) {
		d.MaxRel = max(d.MaxRel, off/magnitude)
	}
}

// want is the truth as the output's type can hold it: where it overflows the
// type, infinity is right.
func (o Output) want(i int) float64 {
	truth := o.Truth.Float(i)
	if limit := Overflow(o.Got.DType); math.Abs(truth) >= limit {
		return math.Copysign(math.Inf(1), truth)
	}
	return truth
}

// Overflow is where rounding to the type gives infinity: half a step above its
// largest number.
func Overflow(t tasks.DType) float64 {
	switch t {
	case tasks.Float32:
		return 0x1.FFFFFFp127
	case tasks.Float16:
		return 65520
	case tasks.BFloat16:
		return 0x1.FFp127
	}
	return math.Inf(1)
}

func (o Output) baselineError() float64 {
	worst := slices.Max(inParts(o.Baseline.Len(), func(from, to int) float64 {
		worst := 0.0
		for i := from; i < to; i++ {
			worst = max(worst, distance(o.Baseline.Float(i), o.want(i)))
		}
		return worst
	}))
	if math.IsInf(worst, 1) {
		return 0
	}
	return worst
}

// distance is |got - want|, zero for equal infinities and for two NaNs, and
// infinite where only one side is a number.
func distance(got, want float64) float64 {
	switch {
	case got == want, math.IsNaN(got) && math.IsNaN(want):
		return 0
	case math.IsNaN(got), math.IsNaN(want), math.IsInf(got, 0), math.IsInf(want, 0):
		return math.Inf(1)
	}
	return math.Abs(got - want)
}

// Apart counts the elements in which two results of the same kernel on the same
// inputs differ by more than the tolerance.
func Apart(a, b Values, tolerance tasks.Tolerance) int {
	n := 0
	for i := range a.Len() {
		want := a.Float(i)
		if off := distance(b.Float(i), want); off > tolerance.Abs+tolerance.Rel*math.Abs(want) || math.IsInf(off, 1) {
			n++
		}
	}
	return n
}

// KernelBench is KernelBench's criterion: allclose of the reference's output in
// the task's type with the kernel's, both tolerances set by the type. NaN never
// passes it.
func KernelBench(o Output) bool {
	tolerance := KernelBenchTolerance(o.Got.DType)
	for i := range o.Got.Len() {
		base, got := o.Baseline.Float(i), o.Got.Float(i)
		if base != got && !(math.Abs(base-got) <= tolerance+tolerance*math.Abs(got) && !math.IsInf(got, 0)) {
			return false
		}
	}
	return true
}

// KernelBenchTolerance is KernelBench's, absolute as well as relative.
func KernelBenchTolerance(t tasks.DType) float64 {
	if t == tasks.Float16 || t == tasks.BFloat16 {
		return 1e-2
	}
	return 1e-4
}

// First lists the first few wrong elements.
func (d Difference) First(trial, limit int) []gpu.Mismatch {
	var list []gpu.Mismatch
	for _, i := range d.Wrong[:min(limit, len(d.Wrong))] {
		list = append(list, gpu.Mismatch{
			Trial:    trial,
			Output:   d.Got.Name,
			Index:    d.Got.Index(i),
			Expected: gpu.Number(d.want(i)),
			Got:      gpu.Number(d.Got.Float(i)),
		})
	}
	return list
}
