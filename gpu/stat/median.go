package stat

import (
	"math"
	"slices"
)

// confidence is the probability with which an [Interval] holds the true median.
const confidence = 0.95

// Interval is a confidence interval of a median.
type Interval struct {
	Low  float64
	High float64
}

// HalfWidth is half the interval's width, relative to the value in its middle.
func (i Interval) HalfWidth() float64 {
	return (i.High - i.Low) / (i.High + i.Low)
}

// Median is the middle of the samples, NaN when there are none.
func Median(samples []float64) float64 {
	n := len(samples)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(samples))
	if n%2 == 1 {
		return sorted[n/2]
	}
	// Halved before adding, so that no two finite samples overflow.
	return sorted[n/2-1]/2 + sorted[n/2]/2
}

// MedianInterval is the 95% interval of the median by order statistics. There
// is none below six samples.
func MedianInterval(samples []float64) (Interval, bool) {
	n := len(samples)
	k := tail(n)
	if k == 0 {
		return Interval{}, false
	}
	sorted := slices.Sorted(slices.Values(samples))
	return Interval{Low: sorted[k-1], High: sorted[n-k]}, true
}

// tail is the largest k for which the k-th smallest and the k-th largest of n
// samples enclose the median with the wanted confidence: as many samples fall
// below the true median as heads in n tosses of a coin. It is 0 when none does.
func tail(n int) int {
	logFactorial := func(i int) float64 {
		v, _ := math.Lgamma(float64(i) + 1)
		return v
	}
	below, k := 0.0, 0
	for k < n/2 {
		below += math.Exp(logFactorial(n) - logFactorial(k) - logFactorial(n-k) - float64(n)*math.Ln2)
		if below > (1-confidence)/2 {
			break
		}
		k++
	}
	return k
}
