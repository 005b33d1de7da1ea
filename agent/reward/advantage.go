package reward

import "math"

// Group says which samples of a task share a baseline.
type Group string

// The groups. With ByTask a flat trajectory punishes its last turn for being
// last, since less is left to come; ByTurn compares only turns of equal index, and
// ByRemaining, for trajectories of unequal length, only turns that as many follow.
const (
	ByTask      Group = "task"           // all turns of all trajectories (the paper)
	ByTurn      Group = "task+turn"      // the same turn of all trajectories
	ByRemaining Group = "task+remaining" // the same turn of all, counted from the end
)

// of is the group that turn t of a trajectory of n turns belongs to.
func (g Group) of(t, n int) int {
	switch g {
	case ByTurn:
		return t
	case ByRemaining:
		return n - 1 - t
	}
	return 0
}

// Baseline is what a return is compared with.
type Baseline string

// The baselines. Mean contains the sample itself, which biases the advantage
// towards 0; LeaveOneOut is the mean of the others (Dr.Kernel, arXiv 2602.05885),
// which makes the advantage n/(n-1) times as large.
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
// come from one policy and one environment:
//
//	A = (R - baseline) / deviation, both over the group of R
//
// (Kevin, section 4: all turns of all trajectories are one group). Trajectories
// may differ in length. A sample has no advantage (nil) if it has no return, is
// alone in its group, or all returns of its group are equal while a deviation is
// asked for.
func Advantages(returns [][]*float64, spec Spec) [][]*float64 {
	advantages := make([][]*float64, len(returns))
	groups := map[int]*group{}
	for i, r := range returns {
		advantages[i] = make([]*float64, len(r))
		for t, value := range r {
			if value == nil {
				continue
			}
			key := spec.Group.of(t, len(r))
			if groups[key] == nil {
				groups[key] = &group{}
			}
			groups[key].add(*value, &advantages[i][t])
		}
	}
	for _, g := range groups {
		g.normalise(spec)
	}
	return advantages
}

// group is samples that share a baseline, and where their advantages belong.
type group struct {
	values []float64
	places []**float64
}

func (g *group) add(value float64, place **float64) {
	g.values, g.places = append(g.values, value), append(g.places, place)
}

func (g *group) normalise(spec Spec) {
	if len(g.values) < 2 {
		return
	}
	scale, ok := deviation(g.values, spec.Deviation)
	if !ok {
		return
	}
	mean, n := average(g.values), float64(len(g.values))
	for i, v := range g.values {
		a := v - mean
		if spec.Baseline == LeaveOneOut {
			a *= n / (n - 1) // v minus the mean of the others
		}
		a /= scale
		*g.places[i] = &a
	}
}

// deviation is the square root of the sum of squares over n (Population) or n-1
// (Sample). It is false for a group whose values are all equal.
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
