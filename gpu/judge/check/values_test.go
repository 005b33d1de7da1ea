package check

import (
	"math"
	"slices"
	"testing"
	"testing/quick"

	"example.com/hone/tasks"
)

// one is a tensor of one element.
func one(t tasks.DType) Values {
	return Values{Name: "y", DType: t, Shape: []int64{1}, Bytes: make([]byte, t.Bytes())}
}

func TestRoundingToNarrowTypes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dtype tasks.DType
		in    float64
		want  float64
	}{
		"half, exact":                    {tasks.Float16, 1.5, 1.5},
		"half, tie to even below":        {tasks.Float16, 1 + 0x1p-11, 1},
		"half, tie to even above":        {tasks.Float16, 1 + 3*0x1p-11, 1 + 0x1p-9},
		"half, just over a tie":          {tasks.Float16, 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-10},
		"half, carries into exponent":    {tasks.Float16, 2047.9, 2048},
		"half, largest":                  {tasks.Float16, 65519.999, 65504},
		"half, overflow":                 {tasks.Float16, 65520, math.Inf(1)},
		"half, far overflow":             {tasks.Float16, -1e300, math.Inf(-1)},
		"half, smallest subnormal":       {tasks.Float16, 0x1p-24, 0x1p-24},
		"half, half of it is even: zero": {tasks.Float16, 0x1p-25, 0},
		"half, subnormal to normal":      {tasks.Float16, 0x1p-14 - 0x1p-26, 0x1p-14},
		"bfloat, exact":                  {tasks.BFloat16, -2.5, -2.5},
		"bfloat, tie to even":            {tasks.BFloat16, 1 + 0x1p-8, 1},
		"bfloat, no double rounding":     {tasks.BFloat16, 1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-7},
		"bfloat, overflow":               {tasks.BFloat16, 3.4e38, math.Inf(1)},
		"bfloat, subnormal":              {tasks.BFloat16, 0x1p-133, 0x1p-133},
		"float, rounds":                  {tasks.Float32, 1 + 0x1p-30, 1},
		"double, keeps":                  {tasks.Float64, 1 + 0x1p-50, 1 + 0x1p-50},
		"integer":                        {tasks.Int32, -7, -7},
		"long integer":                   {tasks.Int64, 1 << 52, 1 << 52},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := one(c.dtype)
			v.SetFloat(0, c.in)
			if got := v.Float(0); got != c.want {
				t.Errorf("%v stored as %v, want %v", c.in, got, c.want)
			}
		})
	}
}

// Every 16-bit pattern keeps its value, and rounding is monotonous between neighbours.
func TestNarrowFormatsRoundTrip(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]format{"half": half, "bfloat": bfloat} {
		for bits := range 1 << 16 {
			value := f.unpack(uint16(bits))
			got := f.pack(value)
			if math.IsNaN(value) {
				if !math.IsNaN(f.unpack(got)) {
					t.Fatalf("%s: NaN %04x became %04x", name, bits, got)
				}
				continue
			}
			if got != uint16(bits) {
				t.Fatalf("%s: %04x is %v, packed as %04x", name, bits, value, got)
			}
		}
	}
}

func TestRoundingPicksTheNearest(t *testing.T) {
	t.Parallel()
	property := func(raw float32) bool {
		value := float64(raw)
		bits := bfloat.pack(value)
		if bits&0x7FFF >= 0x7F80 {
			return true
		}
		off := math.Abs(bfloat.unpack(bits) - value)
		return off <= math.Abs(bfloat.unpack(bits+1)-value) && (bits&0x7FFF == 0 || off <= math.Abs(bfloat.unpack(bits-1)-value))
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	v := Values{DType: tasks.Float32, Shape: []int64{2, 3, 4}, Bytes: make([]byte, 96)}
	for i, want := range map[int][]int64{0: {0, 0, 0}, 5: {0, 1, 1}, 23: {1, 2, 3}} {
		if got := v.Index(i); !slices.Equal(got, want) {
			t.Errorf("Index(%d) = %v, want %v", i, got, want)
		}
	}
}

func TestAsDoubleKeepsEveryValue(t *testing.T) {
	t.Parallel()
	for _, dtype := range []tasks.DType{tasks.Float16, tasks.BFloat16, tasks.Float32, tasks.Int64} {
		v := Values{DType: dtype, Shape: []int64{3}, Bytes: make([]byte, 3*dtype.Bytes())}
		for i, f := range []float64{3, -1, 100} {
			v.SetFloat(i, f)
		}
		wide := v.As(tasks.Float64)
		if dtype.Floating() && wide.DType != tasks.Float64 {
			t.Errorf("%s becomes %s", dtype, wide.DType)
		}
		for i := range 3 {
			if wide.Float(i) != v.Float(i) {
				t.Errorf("%s: element %d is %v, was %v", dtype, i, wide.Float(i), v.Float(i))
			}
		}
	}
}
