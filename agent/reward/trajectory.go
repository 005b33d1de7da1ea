package reward

import "slices"

// Value is what a trajectory is worth: the highest speedup of its correct
// turns, whichever turn that is, and 0 if there is none (Kevin, section 5). The
// speedup of a turn that is not correct is nil.
func Value(speedups []*float64) float64 {
	value := 0.0
	for _, s := range speedups {
		if s != nil {
			value = max(value, *s)
		}
	}
	return value
}

// BestAt estimates best@k without bias from the values of n >= k trajectories:
// the expected maximum of k of them drawn without replacement. With the values in
// ascending order,
//
//	best@k = sum over i = k..n of C(i-1, k-1) / C(n, k) * v_i
//
// which for values of 0 and 1 is pass@k of Chen et al. (arXiv 2107.03374). It is
// false if there are fewer than k, or k < 1.
func BestAt(values []float64, k int) (float64, bool) {
	n := len(values)
	if k < 1 || k > n {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(values))
	// weight is C(i-1, k-1) / C(n, k) for i = n, n-1, ..., k: the chance that
	// the i-th smallest is the largest of the k drawn.
	weight, best := float64(k)/float64(n), 0.0
	for i := n; i >= k; i-- {
		best += weight * sorted[i-1]
		if i > 1 {
			weight *= float64(i-k) / float64(i-1)
		}
	}
	return best, true
}

// AvgAt is avg@k, the mean over trajectories, zeros included (Kevin, section 5);
// its unbiased estimate is the same for every k. Of speedups it is the mean
// speedup in which a trajectory without a correct kernel counts 0x. It is false for
// no trajectories.
func AvgAt(values []float64) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	return average(values), true
}

// Reached says of each value by 1 or 0 whether it is that of a correct kernel with
// a speedup of p or more (Kevin, section 5; KernelBench's own fast_p wants strictly
// more); p = 0 asks for correctness alone. [AvgAt] of that is fast_p at avg@k, and
// [BestAt] fast_p at best@k, the share of tasks solved in k trajectories.
func Reached(values []float64, p float64) []float64 {
	reached := make([]float64, len(values))
	for i, v := range values {
		if v > 0 && v >= p {
			reached[i] = 1
		}
	}
	return reached
}

// OverTasks is the mean over tasks of a figure of the values of each one's
// trajectories, as every column of Kevin's tables is, and the number of tasks that
// it is a mean of: those for which the figure is known. It is nil for none.
func OverTasks(tasks [][]float64, figure func(values []float64) (float64, bool)) (mean *float64, known int) {
	var figures []float64
	for _, values := range tasks {
		if f, ok := figure(values); ok {
			figures = append(figures, f)
		}
	}
	if len(figures) == 0 {
		return nil, 0
	}
	m := average(figures)
	return &m, len(figures)
}
