package check

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.com/hone/tasks"
)

// painted is the pattern of an output of random truth in which paint changes
// elements: it returns the value and whether the element changes.
func painted(shape []int64, paint func(at []int64, truth float64) (float64, bool)) string {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	truth := Values{Name: "y", DType: tasks.Float64, Shape: shape, Bytes: make([]byte, 8*n)}
	got := Values{Name: "y", DType: tasks.Float32, Shape: shape, Bytes: make([]byte, 4*n)}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range truth.Len() {
		v := 1 + rng.Float64()
		truth.SetFloat(i, v)
		if painted, ok := paint(truth.Index(i), v); ok {
			v = painted
		}
		got.SetFloat(i, v)
	}
	return Compare(Output{Got: got, Truth: truth, Baseline: truth}, tolerance).Pattern(0xFF)
}

func TestPattern(t *testing.T) {
	t.Parallel()
	matrix, vector := []int64{40, 50}, []int64{1000}
	filler := float64(math.Float32frombits(0xFFFFFFFF))
	noise := func(at []int64, v float64) float64 {
		return v + 1 + float64((at[0]*31+at[len(at)-1]*17)%13)
	}
	for name, c := range map[string]struct {
		shape []int64
		paint func(at []int64, truth float64) (float64, bool)
		want  string
	}{
		"nothing wrong":   {matrix, func([]int64, float64) (float64, bool) { return 0, false }, ""},
		"all zeros":       {matrix, func([]int64, float64) (float64, bool) { return 0, true }, "all zeros, every element"},
		"never written":   {matrix, func([]int64, float64) (float64, bool) { return filler, true }, "never written, every element"},
		"NaN in a row":    {matrix, func(at []int64, _ float64) (float64, bool) { return math.Inf(1), at[0] == 7 }, "infinite, only row 7"},
		"last columns":    {matrix, func(at []int64, v float64) (float64, bool) { return noise(at, v), at[1] >= 48 }, "only the last 2 columns (of 50)"},
		"last column":     {matrix, func(at []int64, v float64) (float64, bool) { return noise(at, v), at[1] == 49 }, "only the last column (49)"},
		"last rows":       {matrix, func(at []int64, _ float64) (float64, bool) { return filler, at[0] >= 32 }, "never written, only the last 8 rows (of 40)"},
		"first rows":      {matrix, func(at []int64, v float64) (float64, bool) { return noise(at, v), at[0] < 3 }, "only the first 3 rows (of 40)"},
		"corner":          {matrix, func(at []int64, _ float64) (float64, bool) { return 0, at[0] > 37 && at[1] > 46 }, "all zeros, only the last 2 rows (of 40) and the last 3 columns (of 50)"},
		"odd columns":     {matrix, func(at []int64, v float64) (float64, bool) { return noise(at, v), at[1]%2 == 1 }, "only every 2nd column, from 1"},
		"a channel":       {[]int64{2, 3, 4, 5}, func(at []int64, v float64) (float64, bool) { return noise(at, v), at[1] == 1 }, "only channel 1"},
		"factor":          {matrix, func(_ []int64, v float64) (float64, bool) { return 2 * v, true }, "a constant factor of 2, every element"},
		"offset":          {matrix, func(_ []int64, v float64) (float64, bool) { return v - 0.5, true }, "a constant offset of -0.5, every element"},
		"vector's tail":   {vector, func(at []int64, _ float64) (float64, bool) { return filler, at[0] >= 992 }, "never written, only the last 8 of 1000 elements"},
		"from an element": {vector, func(at []int64, v float64) (float64, bool) { return noise(at, v), at[0] >= 256 }, "from element 256 on"},
		"every third":     {vector, func(at []int64, v float64) (float64, bool) { return noise(at, v), at[0]%3 == 0 }, "only every 3rd element, from 0"},
		"row factors":     {matrix, func(at []int64, v float64) (float64, bool) { return v * (1.5 + float64(at[0])), true }, "each row off by a factor of its own, every element"},
		"row offsets":     {matrix, func(at []int64, v float64) (float64, bool) { return v + 3 + float64(at[0]), true }, "each row off by an offset of its own, every element"},
		"nearly all":      {vector, func(at []int64, v float64) (float64, bool) { return noise(at, v), at[0]%50 != 7 }, "nearly every element"},
		"one element":     {vector, func(at []int64, v float64) (float64, bool) { return noise(at, v), at[0] == 500 }, "one element"},
		"scattered":       {vector, func(at []int64, v float64) (float64, bool) { return noise(at, v), at[0]*at[0]%7 == 2 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := painted(c.shape, c.paint); got != c.want {
				t.Errorf("pattern %q, want %q", got, c.want)
			}
		})
	}
}

func TestPatternOfMovedElements(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source func(row, column int) int
		want   string
	}{
		"transposed": {func(row, column int) int { return column*16 + row }, "transposed, nearly every element"},
		"late":       {func(row, column int) int { return row*16 + max(column-1, 0) }, "one place late: each holds what belongs before it, only the last 15 columns (of 16)"},
		"early":      {func(row, column int) int { return row*16 + min(column+1, 15) }, "one place early: each holds what belongs behind it, only the first 15 columns (of 16)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			truth, got := make([]float64, 256), make([]float64, 256)
			rng := rand.New(rand.NewPCG(5, 6))
			for i := range truth {
				truth[i] = 1 + rng.Float64()
			}
			for i := range got {
				got[i] = truth[c.source(i/16, i%16)]
			}
			shape := []int64{16, 16}
			o := Output{Got: values(tasks.Float32, shape, got...), Truth: values(tasks.Float64, shape, truth...), Baseline: values(tasks.Float32, shape, truth...)}
			if got := Compare(o, tolerance).Pattern(0xFF); got != c.want {
				t.Errorf("pattern %q, want %q", got, c.want)
			}
		})
	}
}

func TestOrdinal(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 22: "22nd", 112: "112th"} {
		if got := ordinal(n); got != want {
			t.Errorf("ordinal(%d) = %s, want %s", n, got, want)
		}
	}
}
