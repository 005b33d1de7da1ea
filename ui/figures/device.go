package figures

import (
	"fmt"
	"strings"

	"example.com/hone/gpu"
)

// Dims writes a grid or block without its trailing ones: "128", "16x16".
func Dims(d [3]int64) string {
	n := len(d)
	for n > 1 && d[n-1] == 1 {
		n--
	}
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprint(d[i])
	}
	return strings.Join(parts, "x")
}

// State is the clock, temperature and power that a time was measured at, as far as they
// are known.
func State(t gpu.Timing) []string {
	var parts []string
	add := func(v *float64, unit string) {
		if v != nil {
			parts = append(parts, fmt.Sprintf("%.0f %s", *v, unit))
		}
	}
	add(t.ClockMHz, "MHz")
	add(t.Temperature, "°C")
	add(t.Power, "W")
	return parts
}

// Throttled says why a device held its clocks down, which may be unknown.
func Throttled(reasons []string) string {
	if len(reasons) == 0 {
		return "clocks held down"
	}
	return "clocks held down: " + strings.Join(reasons, ", ")
}
