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
	}
	return d.relation()
}

// transposed reports whether a square matrix has its axes swapped.
func (d Difference) transposed() bool {
	s := d.Got.Shape
	if len(s) != 2 || s[0] != s[1] || len(d.Wrong) < 4 {
		return false
	}
	n := int(s[0])
	for _, i := range d.Wrong {
		mirror := d.want(i%n*n + i/n)
		if distance(d.Got.Float(i), mirror) > 1e-3*math.Abs(mirror)+1e-6 {
			return false
		}
	}
	return true
}

// relation finds a constant factor or offset between truth and output.
func (d Difference) relation() string {
	const few = 4
	if len(d.Wrong) < few {
		return ""
	}
	var factors, offsets []float64
	for _, i := range d.Wrong {
		want, got := d.want(i), d.Got.Float(i)
		if want != 0 {
			factors = append(factors, got/want)
		}
		offsets = append(offsets, got-want)
	}
	factor, sameFactor := constant(factors)
	offset, sameOffset := constant(offsets)
	switch {
	case sameFactor && sameOffset, !sameFactor && !sameOffset:
		return "" // one value everywhere tells neither
	case sameFactor && len(factors) >= few:
		return fmt.Sprintf("a constant factor of %.4g", factor)
	case sameOffset:
		return fmt.Sprintf("a constant offset of %.4g", offset)
	}
	return ""
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
	for axis, size := range d.Got.Shape {
		used[axis] = make([]int, 0, size)
		seen := make([]bool, size)
		for _, i := range d.Wrong {
			seen[d.Got.Index(i)[axis]] = true
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
