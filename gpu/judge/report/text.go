package report

import (
	"fmt"
	"strings"

	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

// Size is a size in words: "small: M=128, N=512".
func Size(size tasks.SizeSet, dims []string) string {
	values := make([]string, len(dims))
	for i, d := range dims {
		values[i] = fmt.Sprintf("%s=%d", d, size.Values[d])
	}
	return size.Name + ": " + strings.Join(values, ", ")
}

// Launches says which kernels a call of solve launched.
func Launches(kernels []gpu.Resources) string {
	parts := make([]string, len(kernels))
	for i, k := range kernels {
		parts[i] = fmt.Sprintf("%s<<<%s, %s>>>", k.Kernel, extent(k.Grid), extent(k.Block))
		if k.Launches > 1 {
			parts[i] += fmt.Sprintf(" x%d", k.Launches)
		}
	}
	return strings.Join(parts, ", ")
}

// extent is a grid or block without its trailing ones: "128x4".
func extent(d [3]int64) string {
	switch {
	case d[2] != 1:
		return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2])
	case d[1] != 1:
		return fmt.Sprintf("%dx%d", d[0], d[1])
	}
	return fmt.Sprint(d[0])
}

// bounded cuts a text to so many characters.
func bounded(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "\n(cut here)"
	}
	return text
}
