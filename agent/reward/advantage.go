package reward

import "math"

// Group says which samples of a task share a baseline.
type Group string

// The groups. With ByTask a flat trajectory punishes its last turn for being
// last, since less is left to come; ByTurn compares only turns of equal index.
const (
	ByTask Group = "task"      // all turns of all trajectories (the paper)
	ByTurn Group = "task+turn" // the same turn of all trajectories
)

// Baseline is what a return is compared with.
type Baseline string

// The baselines. Mean contains the sample itself, which biases it towards 0;
// LeaveOneOut is the mean of the others.
const (
	Mean        Baseline = "mean"
	LeaveOneOut Baseline = "leave-one-out"
)

// Deviation is what the difference is divided by.
type Deviation string

// The deviations.
const (
	NoDeviation Deviation = "none"
	Population  Deviation = "population"
	Sample      Deviation = "sample"
)

// Spec fixes how advantages are computed; store it beside them.
type Spec struct {
	Group     Group     `json:"group"`
	Baseline  Baseline  `json:"baseline"`
	Deviation Deviation `json:"std"`
}

// Advantages normalises the returns of the trajectories of one task, which must
// come from one policy and one environment. Trajectories may differ in length.
// A sample has no advantage (nil) if it has no return, is alone in its group, or
// all returns of its group are equal while a deviation is asked for.
func Advantages(returns [][]*float64, spec Spec) [][]*float64 {
	advantages := make([][]*float64, len(returns))
	turns := 0
	for i, r := range returns {
		advantages[i] = make([]*float64, len(r))
		turns = max(turns, len(r))
	}
	if spec.Group != ByTurn {
		normalise(returns, advantages, spec, 0, turns)
		return advantages
	}
	for t := range turns {
		normalise(returns, advantages, spec, t, t+1)
	}
	return advantages
}

// normalise fills in the advantages of one group: turns from to to-1.
func normalise(returns, advantages [][]*float64, spec Spec, from, to int) {
	var values []float64
	var places []**float64
	for i, r := range returns {
		for t := from; t < min(to, len(r)); t++ {
			if r[t] != nil {
				values = append(values, *r[t])
				places = append(places, &advantages[i][t])
			}
		}
	}
	if len(values) < 2 {
		return
	}
	scale, ok := deviation(values, spec.Deviation)
	if !ok {
		return
	}
	mean, n := average(values), float64(len(values))
	for i, v := range values {
		a := v - mean
		if spec.Baseline == LeaveOneOut {
			a *= n / (n - 1) // v minus the mean of the others
		}
		a /= scale
		*places[i] = &a
	}
}

// deviation is false for a group whose values are all equal.
func deviation(values []float64, kind Deviation) (float64, bool) {
	n := float64(len(values))
	switch kind {
	case Sample:
		n--
	case Population:
	default:
		return 1, true
	}
	mean, squares, equal := average(values), 0.0, true
	for _, v := range values {
		squares += (v - mean) * (v - mean)
		equal = equal && v == values[0]
	}
	return math.Sqrt(squares / n), !equal
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
