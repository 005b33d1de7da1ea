package reward

import "slices"

// Value is what a trajectory is worth: the highest speedup of its correct
// turns, 0 if there is none. The speedup of a turn that is not correct is nil.
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
// the expected maximum of k of them drawn without replacement. It is false if
// there are fewer than k, or k < 1.
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

// AvgAt is avg@k, the mean over trajectories, zeros included; its unbiased
// estimate is the same for every k. It is false for no trajectories.
func AvgAt(values []float64) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	return average(values), true
}

// Fast is fast_p: the share of trajectories with a correct kernel whose speedup
// is p or more. KernelBench's own definition wants strictly more. It is false
// for no trajectories.
func Fast(values []float64, p float64) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	fast := 0
	for _, v := range values {
		if v > 0 && v >= p {
			fast++
		}
	}
	return float64(fast) / float64(len(values)), true
}
