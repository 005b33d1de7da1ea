package stat

// Ratio says how many times faster one series is than another.
type Ratio struct {
	Value    float64   // median of the base over the median of the other
	Interval *Interval // of the ratios taken round by round; nil when there are too few
}

// Distinct reports whether the ratio differs from 1 beyond what chance explains.
func (r Ratio) Distinct() bool {
	return r.Interval != nil && (r.Interval.Low > 1 || r.Interval.High < 1)
}

// Compare relates two series that were measured in the same rounds, sample by
// sample, so that a drift of the machine touches both alike. It reports false
// when the series are empty, differ in length or hold a time that is not positive.
func Compare(base, other []float64) (Ratio, bool) {
	if len(base) == 0 || len(base) != len(other) {
		return Ratio{}, false
	}
	rounds := make([]float64, len(base))
	for i := range base {
		// Written so that NaN is refused as well.
		if !(base[i] > 0 && other[i] > 0) {
			return Ratio{}, false
		}
		rounds[i] = base[i] / other[i]
	}
	ratio := Ratio{Value: Median(base) / Median(other)}
	if interval, ok := MedianInterval(rounds); ok {
		ratio.Interval = &interval
	}
	return ratio, true
}
