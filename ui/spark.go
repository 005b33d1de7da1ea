package ui

import "math"

// bar is one turn of a sparkline: a speedup, a failure, or neither yet.
type bar struct {
	speedup float64 // > 0 when the turn was correct and timed
	failed  bool
	best    bool
}

// scaleBars gives each speedup a level from 0 to levels-1 on a log scale that
// runs from the lowest to the highest; -1 for bars without one. A span of less
// than a doubling is not stretched to the full height.
func scaleBars(bars []bar, levels int) []int {
	low, high := math.Inf(1), math.Inf(-1)
	for _, b := range bars {
		if b.speedup > 0 {
			l := math.Log2(b.speedup)
			low, high = min(low, l), max(high, l)
		}
	}
	span := max(high-low, 1)
	heights := make([]int, len(bars))
	for i, b := range bars {
		heights[i] = -1
		if b.speedup > 0 {
			heights[i] = int(math.Round((math.Log2(b.speedup) - low) / span * float64(levels-1)))
		}
	}
	return heights
}
