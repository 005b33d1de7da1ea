package check

import (
	"math"
	"slices"
	"testing"

	"example.com/hone/tasks"
)

var tolerance = tasks.Tolerance{Abs: 1e-4, Rel: 1e-4}

func values(dtype tasks.DType, shape []int64, elements ...float64) Values {
	v := Values{Name: "y", DType: dtype, Shape: shape, Bytes: make([]byte, int64(len(elements))*dtype.Bytes())}
	for i, e := range elements {
		v.SetFloat(i, e)
	}
	return v
}

func row(dtype tasks.DType, elements ...float64) Values {
	return values(dtype, []int64{int64(len(elements))}, elements...)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		dtype              tasks.DType
		got, truth, base   []float64
		wrong              []int
		kernelBenchRefuses bool
	}{
		"equal":                      {tasks.Float32, []float64{1, 2}, []float64{1, 2}, []float64{1, 2}, nil, false},
		"within absolute":            {tasks.Float32, []float64{9e-5}, []float64{0}, []float64{0}, nil, false},
		"within relative":            {tasks.Float32, []float64{1000.05}, []float64{1000}, []float64{1000}, nil, false},
		"beyond both":                {tasks.Float32, []float64{1, 1000.2}, []float64{1, 1000}, []float64{1, 1000}, []int{1}, true},
		"as good as the baseline":    {tasks.Float32, []float64{10, 0.03}, []float64{10, 0}, []float64{10, 0.01}, nil, true},
		"worse than the baseline":    {tasks.Float32, []float64{10, 0.05}, []float64{10, 0}, []float64{10, 0.01}, []int{1}, true},
		"NaN in place":               {tasks.Float32, []float64{nan, 1}, []float64{nan, 1}, []float64{nan, 1}, nil, true},
		"NaN for a number":           {tasks.Float32, []float64{nan}, []float64{1}, []float64{1}, []int{0}, true},
		"number for NaN":             {tasks.Float32, []float64{1}, []float64{nan}, []float64{nan}, []int{0}, true},
		"infinity in place":          {tasks.Float32, []float64{-inf}, []float64{-inf}, []float64{-inf}, nil, false},
		"infinity of the other sign": {tasks.Float32, []float64{inf}, []float64{-inf}, []float64{-inf}, []int{0}, true},
		"infinity for a number":      {tasks.Float32, []float64{inf}, []float64{1}, []float64{1}, []int{0}, true},
		"a bad baseline excuses not": {tasks.Float32, []float64{inf}, []float64{1}, []float64{nan}, []int{0}, true},
		"overflow of the type":       {tasks.Float16, []float64{inf}, []float64{7e4}, []float64{inf}, nil, false},
		"half, coarse tolerance":     {tasks.Float16, []float64{1.004}, []float64{1}, []float64{1.002}, nil, false},
		"integers equal":             {tasks.Int32, []float64{5, -1}, []float64{5, -1}, []float64{5, -1}, nil, false},
		"integers off by one":        {tasks.Int64, []float64{5, 100}, []float64{5, 101}, []float64{5, 101}, []int{1}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Output{Got: row(c.dtype, c.got...), Truth: row(c.dtype, c.truth...).As(tasks.Float64), Baseline: row(c.dtype, c.base...)}
			if c.dtype.Floating() {
				o.Truth = row(tasks.Float64, c.truth...)
			}
			d := Compare(o, tolerance)
			if !slices.Equal(d.Wrong, c.wrong) {
				t.Errorf("wrong = %v, want %v", d.Wrong, c.wrong)
			}
			if math.IsInf(d.MaxAbs, 0) || math.IsNaN(d.MaxAbs) || math.IsInf(d.MaxRel, 0) || math.IsNaN(d.MaxRel) {
				t.Errorf("errors %v and %v cannot be written down", d.MaxAbs, d.MaxRel)
			}
			if got := KernelBench(o); got == c.kernelBenchRefuses {
				t.Errorf("KernelBench passes: %v, want %v", got, !c.kernelBenchRefuses)
			}
		})
	}
}

func TestErrorsAreTheWorst(t *testing.T) {
	t.Parallel()
	o := Output{Got: row(tasks.Float32, 1.5, 101, 1e-6), Truth: row(tasks.Float64, 1, 100, 1e-9), Baseline: row(tasks.Float32, 1, 100, 0)}
	d := Compare(o, tolerance)
	if d.MaxAbs != 1 || d.MaxRel != 0.5 {
		t.Errorf("errors = %v, %v; want 1 and 0.5: tiny truths have no relative error", d.MaxAbs, d.MaxRel)
	}
}

func TestFirstGivesCoordinates(t *testing.T) {
	t.Parallel()
	zeros, ones := make([]float64, 12), slices.Repeat([]float64{1}, 12)
	shape := []int64{3, 4}
	d := Compare(Output{Got: values(tasks.Float32, shape, zeros...), Truth: values(tasks.Float64, shape, ones...), Baseline: values(tasks.Float32, shape, ones...)}, tolerance)
	first := d.First(2, 5)
	if len(first) != 5 || first[4].Trial != 2 || !slices.Equal(first[4].Index, []int64{1, 0}) || first[4].Expected != 1 || first[4].Got != 0 || first[4].Output != "y" {
		t.Errorf("First = %+v", first)
	}
}

func TestApart(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	a, b := row(tasks.Float32, 1, 2, nan, 4), row(tasks.Float32, 1.00001, 3, nan, nan)
	if got := Apart(a, b, tolerance); got != 2 {
		t.Errorf("Apart = %d, want 2: rounding and equal NaN are no difference", got)
	}
}
