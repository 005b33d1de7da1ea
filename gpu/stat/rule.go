package stat

import "time"

// Rule says when a measurement may stop.
type Rule struct {
	HalfWidth float64       // enough when the interval's half-width is below this part of the median
	Min       int           // samples taken in any case, unless the budget ends first
	Max       int           // samples never exceeded
	Budget    time.Duration // time never exceeded by more than one sample
}

// Done reports whether the samples of one series are enough, or the most that
// the rule allows. At least one sample is always asked for.
func (r Rule) Done(samples []float64, spent time.Duration) bool {
	n := len(samples)
	switch {
	case n == 0:
		return false
	case n >= r.Max || spent >= r.Budget:
		return true
	case n < r.Min:
		return false
	}
	interval, ok := MedianInterval(samples)
	return ok && interval.HalfWidth() < r.HalfWidth
}
