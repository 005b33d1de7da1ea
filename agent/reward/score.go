package reward

// correctBonus is what a correct kernel scores before its speed counts.
const correctBonus = 0.3

// Score is S of one turn, without a unit:
//
//	S = 0.3*correct + (T_baseline / T_kernel)*correct
//
// so 0.3 + speedup if the kernel is correct, else 0 (Kevin, section 3.2). The
// speedup is the baseline's time over the kernel's, and is not capped.
func Score(correct bool, speedup float64) float64 {
	if !correct {
		return 0
	}
	return correctBonus + speedup
}

// Fold is how the scores of later turns count for an earlier one.
type Fold string

// The folds. DefaultGamma belongs to Sum; Kevin found Max better only with
// gamma 0.8 and few turns.
const (
	Sum Fold = "sum" // R_t = S_t + gamma * R_(t+1)
	Max Fold = "max" // R_t = max(S_t, gamma * R_(t+1))
)

// DefaultGamma is the discount that scaled best in Kevin's trials.
const DefaultGamma = 0.4

// Returns gives R of every turn of one finished trajectory of T turns:
//
//	Sum: R_t = sum over i = t..T of gamma^(i-t) * S_i
//	Max: R_t = max over i = t..T of gamma^(i-t) * S_i
//
// (Kevin, section 4.3). Trajectories are compared only with others of as many
// turns, or in groups that allow for it, and never filled up with zeros: the
// returns of a shorter one are lower for its length alone.
func Returns(scores []float64, gamma float64, fold Fold) []float64 {
	returns := make([]float64, len(scores))
	next := 0.0
	for t := len(scores) - 1; t >= 0; t-- {
		later := gamma * next
		if fold == Max {
			next = max(scores[t], later)
		} else {
			next = scores[t] + later
		}
		returns[t] = next
	}
	return returns
}

// KnownReturns is [Returns] where some turns have no score. Such a turn has no
// return, and neither has any turn before it, whose return would depend on it.
func KnownReturns(scores []*float64, gamma float64, fold Fold) []*float64 {
	start := len(scores)
	for start > 0 && scores[start-1] != nil {
		start--
	}
	known := make([]float64, 0, len(scores)-start)
	for _, s := range scores[start:] {
		known = append(known, *s)
	}
	returns := make([]*float64, len(scores))
	for i, r := range Returns(known, gamma, fold) {
		returns[start+i] = &r
	}
	return returns
}

// CutReturns is [KnownReturns] where a person stepped in: a return ends before the
// first later turn that a person changed, by a hint, an edit or an edited prompt,
// since what came of that is not the model's alone. Human marks those turns.
func CutReturns(scores []*float64, human []bool, gamma float64, fold Fold) []*float64 {
	var returns []*float64
	for start := 0; start < len(scores); {
		end := start + 1
		for end < len(scores) && !human[end] {
			end++
		}
		returns = append(returns, KnownReturns(scores[start:end], gamma, fold)...)
		start = end
	}
	return returns
}
