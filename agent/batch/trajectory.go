package batch

import (
	"slices"

	"example.com/hone/agent"
	"example.com/hone/agent/reward"
)

// Trajectory is a path of turns from the first to the last: a whole session or,
// after a beam search, one of those that were kept to the end.
type Trajectory struct {
	Session  string   `json:"session"`
	Task     string   `json:"task"`
	Level    int      `json:"level"` // 0 unknown
	Index    int      `json:"index"`
	Complete bool     `json:"complete"` // it has all its turns
	Stopped  string   `json:"stopped"`  // why its session ended; "" where it never did
	Value    *float64 `json:"value"`    // the highest speedup of a correct turn, 0 if there is none; null until it is complete
	Correct  *bool    `json:"correct"`  // whether any turn is; null until it is complete
	Samples  []Sample `json:"samples"`
}

// Sample is one turn that came to a result.
type Sample struct {
	Turn    int      `json:"turn"` // its number in the session
	Outcome string   `json:"outcome"`
	Kernel  string   `json:"kernel_sha256"` // "" where there is none
	Basis   string   `json:"score_basis"`   // the baseline of the speedup, "" where there is none
	Speedup *float64 `json:"speedup"`       // of a correct turn
	Score   *float64 `json:"score"`
}

// Trajectories are those of a session, complete ones as far as there are any.
func Trajectories(p Planned, plan agent.Plan, s *agent.State) []Trajectory {
	var complete []Trajectory
	best := Trajectory{Session: p.Session, Task: p.Task, Level: p.Level, Index: p.Index}
	if s != nil && s.Ended != nil {
		best.Stopped = s.Ended.Reason
	}
	if s == nil {
		best.Samples = []Sample{}
		return []Trajectory{best}
	}
	longest := []Sample{}
	for _, t := range inTree(s) {
		path := samples(s.Path(t.Number))
		if len(path) > len(longest) {
			longest = path
		}
		if t.Told() && len(path) == plan.Turns {
			done := best
			done.Index = p.Index + len(complete)
			done.finish(path)
			complete = append(complete, done)
		}
	}
	if len(complete) >= plan.Replies() {
		return complete
	}
	best.Samples = longest
	return []Trajectory{best}
}

// inTree are the turns of a session by where they stand in its tree, which does
// not depend on when each was taken.
func inTree(s *agent.State) []*agent.Turn {
	place := func(t *agent.Turn) []int {
		var samples []int
		for _, t := range s.Path(t.Number) {
			samples = append(samples, t.Sample)
		}
		return samples
	}
	return slices.SortedStableFunc(slices.Values(s.Turns), func(a, b *agent.Turn) int { return slices.Compare(place(a), place(b)) })
}

// finish says what a trajectory with all its turns is worth.
func (t *Trajectory) finish(path []Sample) {
	correct, speedups := false, []*float64{}
	for _, s := range path {
		correct = correct || s.Outcome == "correct"
		speedups = append(speedups, s.Speedup)
	}
	value := reward.Value(speedups)
	t.Complete, t.Samples, t.Value, t.Correct = true, path, &value, &correct
}

func samples(path []*agent.Turn) []Sample {
	all := []Sample{}
	for _, t := range path {
		if t.Told() {
			all = append(all, sample(t))
		}
	}
	return all
}

func sample(t *agent.Turn) Sample {
	s := Sample{Turn: t.Number, Outcome: t.End.Outcome, Score: t.Score}
	if t.Code != nil {
		s.Kernel = t.Code.SHA256
	}
	if speedup, ok := t.Speedup(); ok {
		s.Speedup, s.Basis = &speedup, t.Verdict.ScoreBasis
	}
	return s
}
