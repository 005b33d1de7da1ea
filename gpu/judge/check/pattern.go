package check

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Pattern guesses in words what the wrong elements have in common: what they
// hold, then where they lie. It is empty when nothing stands out. The filler is
// the byte that the output was filled with before the kernel ran.
func (d Difference) Pattern(filler byte) string {
	if len(d.Wrong) == 0 {
		return ""
	}
	var parts []string
	for _, part := range []string{d.content(filler), d.place()} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// content says what the wrong elements hold.
func (d Difference) content(filler byte) string {
	every := func(holds func(i int) bool) bool {
		return !slices.ContainsFunc(d.Wrong, func(i int) bool { return !holds(i) })
	}
	got := func(i int) float64 { return d.Got.Float(i) }
	switch {
	case every(func(i int) bool { return d.Got.filled(i, filler) }):
		return "never written"
	case every(func(i int) bool { return got(i) == 0 }):
		return "all zeros"
	case every(func(i int) bool { return math.IsNaN(got(i)) }):
		return "NaN"
	case every(func(i int) bool { return math.IsInf(got(i), 0) }):
		return "infinite"
	case d.transposed():
		return "transposed"
	case d.shifted(-1):
		return "one place late: each holds what belongs before it"
	case d.shifted(1):
		return "one place early: each holds what belongs behind it"
	}
	return d.relation()
}

// few is the number of wrong elements below which agreement may be chance.
const few = 4

// elsewhere reports whether every wrong element holds what belongs to another
// one. The other's index is negative where there is none.
func (d Difference) elsewhere(other func(i int) int) bool {
	compared := 0
	for _, i := range d.Wrong {
		j := other(i)
		if j < 0 {
			continue
		}
		want := d.want(j)
		if distance(d.Got.Float(i), want) > 1e-3*math.Abs(want)+1e-6 {
			return false
		}
		compared++
	}
	return compared >= few
}

// transposed reports whether a square matrix has its axes swapped.
func (d Difference) transposed() bool {
	s := d.Got.Shape
	if len(s) != 2 || s[0] != s[1] {
		return false
	}
	n := int(s[0])
	return d.elsewhere(func(i int) int { return i%n*n + i/n })
}

// shifted reports whether the elements lie a step off along the last axis.
func (d Difference) shifted(step int) bool {
	n := d.columns()
	return d.elsewhere(func(i int) int {
		if column := i%n + step; column < 0 || column >= n {
			return -1
		}
		return i + step
	})
}

// columns is the length of the last axis.
func (d Difference) columns() int {
	if len(d.Got.Shape) == 0 {
		return 1
	}
	return int(d.Got.Shape[len(d.Got.Shape)-1])
}

// relation finds a constant factor or offset between truth and output, of all
// or of each row.
func (d Difference) relation() string {
	if len(d.Wrong) < few {
		return ""
	}
	factor, sameFactor := d.constant(d.factors)
	offset, sameOffset := d.constant(d.offsets)
	switch {
	case sameFactor && sameOffset:
		return "" // one value everywhere tells neither
	case sameFactor:
		return fmt.Sprintf("a constant factor of %.4g", factor)
	case sameOffset:
		return fmt.Sprintf("a constant offset of %.4g", offset)
	case d.eachRow(d.factors):
		return "each row off by a factor of its own"
	case d.eachRow(d.offsets):
		return "each row off by an offset of its own"
	}
	return ""
}

// constant reports whether a measure is constant over all wrong elements. A few of
// them are asked first: most often they settle it.
func (d Difference) constant(measure func([]int) []float64) (float64, bool) {
	const sample = 64
	if _, same := constant(measure(d.Wrong[:min(sample, len(d.Wrong))])); !same {
		return 0, false
	}
	return constant(measure(d.Wrong))
}

func (d Difference) factors(wrong []int) []float64 {
	list := make([]float64, 0, len(wrong))
	for _, i := range wrong {
		if want := d.want(i); want != 0 {
			list = append(list, d.Got.Float(i)/want)
		}
	}
	return list
}

func (d Difference) offsets(wrong []int) []float64 {
	list := make([]float64, 0, len(wrong))
	for _, i := range wrong {
		list = append(list, d.Got.Float(i)-d.want(i))
	}
	return list
}

// eachRow reports whether a measure is constant within every row.
func (d Difference) eachRow(measure func([]int) []float64) bool {
	n := d.columns()
	if len(d.Got.Shape) < 2 || len(d.Wrong) < few*d.Got.Len()/n {
		return false
	}
	for start := 0; start < len(d.Wrong); {
		end := start
		for end < len(d.Wrong) && d.Wrong[end]/n == d.Wrong[start]/n {
			end++
		}
		if _, same := constant(measure(d.Wrong[start:end])); !same {
			return false
		}
		start = end
	}
	return true
}

// constant reports whether the values agree within rounding, and on what.
func constant(values []float64) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	low, high := slices.Min(values), slices.Max(values)
	middle := (low + high) / 2
	return middle, high-low <= 1e-3*math.Abs(middle)
}

// place says where the wrong elements lie.
func (d Difference) place() string {
	total := d.Got.Len()
	if len(d.Wrong) == total {
		return "every element"
	}
	if len(d.Got.Shape) > 1 {
		if where := d.axes(); where != "" {
			return where
		}
	}
	first, last := d.Wrong[0], d.Wrong[len(d.Wrong)-1]
	span := last - first + 1
	dense := len(d.Wrong)*10 >= span*9
	step := stride(d.Wrong)
	switch {
	case len(d.Wrong) == 1:
		return "one element"
	case dense && span >= total*9/10:
		return "nearly every element"
	case dense && last == total-1 && len(d.Got.Shape) == 1 && span < total/2:
		return fmt.Sprintf("only the last %d of %d elements", span, total)
	case dense && last == total-1:
		return fmt.Sprintf("from element %d on", first)
	case dense && first == 0:
		return fmt.Sprintf("only the first %d of %d elements", span, total)
	case step > 1 && len(d.Wrong) > 3 && first < step && total-last <= step:
		return fmt.Sprintf("only every %s element, from %d", ordinal(step), first)
	}
	return ""
}

// axes describes the wrong elements by the axes along which they fill only a part.
func (d Difference) axes() string {
	used := make([][]int, len(d.Got.Shape))
	behind := d.Got.Len() // elements from one position of the axis to the next
	for axis, size := range d.Got.Shape {
		behind /= int(size)
		used[axis] = make([]int, 0, size)
		seen := make([]bool, size)
		for _, i := range d.Wrong {
			seen[i/behind%int(size)] = true
		}
		for at, is := range seen {
			if is {
				used[axis] = append(used[axis], at)
			}
		}
	}
	var parts []string
	for axis, at := range used {
		if part := along(axisName(axis, len(used)), at, int(d.Got.Shape[axis])); part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "only " + strings.Join(parts, " and ")
}

// along describes the positions on one axis, or "" when they say nothing.
func along(name string, at []int, size int) string {
	first, last, count := at[0], at[len(at)-1], len(at)
	step := stride(at)
	switch {
	case count == size:
		return ""
	case count == 1 && last == size-1:
		return fmt.Sprintf("the last %s (%d)", name, last)
	case count == 1:
		return fmt.Sprintf("%s %d", name, first)
	case last == size-1 && count == last-first+1:
		return fmt.Sprintf("the last %d %ss (of %d)", count, name, size)
	case first == 0 && count == last+1:
		return fmt.Sprintf("the first %d %ss (of %d)", count, name, size)
	case step > 1 && count > 2 && first < step && size-last <= step:
		return fmt.Sprintf("every %s %s, from %d", ordinal(step), name, first)
	}
	return ""
}

// stride is the distance between neighbours where all have the same, else 0.
func stride(at []int) int {
	if len(at) < 2 {
		return 0
	}
	step := at[1] - at[0]
	for i := 2; i < len(at); i++ {
		if at[i]-at[i-1] != step {
			return 0
		}
	}
	return step
}

func axisName(axis, rank int) string {
	names := map[int][]string{2: {"row", "column"}, 3: {"slice", "row", "column"}, 4: {"image", "channel", "row", "column"}}
	if known, ok := names[rank]; ok {
		return known[axis]
	}
	return fmt.Sprintf("axis-%d position", axis)
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}
