package agent

import (
	"cmp"
	"slices"
)

// Plan is a search that goes on without a person: rounds of turns over the tree
// of a session. A round asks for Samples replies, shared out evenly among the
// Keep best turns of the round before, each with all that led to it. One sample
// is a plain sequence of turns; Keep 1 goes on from the best of the siblings;
// [Beam] is the search of Kevin's authors.
type Plan struct {
	From    int `json:"from_turn"`  // what the first round builds on, 0 for nothing
	After   int `json:"after_turn"` // only turns with higher numbers belong to the plan
	Turns   int `json:"turns"`      // rounds; 0: there is no plan
	Samples int `json:"samples"`    // 0: 1
	Keep    int `json:"keep"`       // 0: 1
}

// Beam is the search of cognition.ai/blog/kevin-32b: 16 trajectories of 4 turns;
// after each the 4 with the fastest kernels go on, cloned 4 times.
func Beam() Plan { return Plan{Turns: 4, Samples: 16, Keep: 4} }

// UsualTurns is how many rounds are taken when nobody says: those of a trajectory in
// Kevin's training (arXiv 2507.11948).
const UsualTurns = 4

// Replies is how many replies a round asks for.
func (p Plan) Replies() int { return max(1, p.Samples) }

// Next lists the turns to start now: none while all of a round are under way,
// and none once the plan has come to its end. A turn without a result counts as
// asked for, unless its number is at most retry: then it is asked for again, if
// no later round builds on its siblings yet.
func (p Plan) Next(s *State, retry int) []TurnStarted {
	parents := []int{p.From}
	for range p.Turns {
		var round []*Turn
		var missing []TurnStarted
		again := retry
		if p.built(s, parents) {
			again = 0
		}
		for i, parent := range parents {
			children := p.children(s, parent, again)
			round = append(round, children...)
			missing = append(missing, p.missing(parent, children, share(p.Replies(), len(parents), i))...)
		}
		if len(missing) > 0 || slices.ContainsFunc(round, (*Turn).running) {
			return missing
		}
		parents = p.best(s, round)
	}
	return nil
}

// built reports whether a turn of the plan builds on one of the round on top of
// these parents: that round is over, whatever became of each of its turns.
func (p Plan) built(s *State, parents []int) bool {
	return slices.ContainsFunc(s.Turns, func(t *Turn) bool {
		up := s.Turn(t.Parent)
		return up != nil && up.Number > p.After && slices.Contains(parents, up.Parent)
	})
}

// share is how many of n replies the i-th of several parents gets.
func share(n, parents, i int) int {
	share := n / parents
	if i < n%parents {
		share++
	}
	return share
}

// children are the turns asked for on top of a parent, by their sample.
func (p Plan) children(s *State, parent, retry int) []*Turn {
	var children []*Turn
	for _, t := range s.Turns {
		again := t.Void() && t.Number <= retry
		if t.Parent == parent && t.Number > p.After && t.Source == SourceModel && !again {
			children = append(children, t)
		}
	}
	slices.SortStableFunc(children, func(a, b *Turn) int { return cmp.Compare(a.Sample, b.Sample) })
	return children
}

// missing are the siblings that are not asked for yet. They show the model the
// same as those that are.
func (p Plan) missing(parent int, children []*Turn, want int) []TurnStarted {
	var missing []TurnStarted
	hint := ""
	if len(children) > 0 {
		hint = children[0].Hint
	}
	taken := map[int]bool{}
	unnumbered := 0 // asked for by a person
	for _, t := range children {
		taken[t.Sample] = true
		if t.Sample == 0 {
			unnumbered++
		}
	}
	for sample := 1; sample <= want; sample++ {
		switch {
		case taken[sample]:
		case unnumbered > 0:
			unnumbered--
		default:
			missing = append(missing, TurnStarted{Parent: parent, Source: SourceModel, Reason: ActionNext, Hint: hint, Sample: sample})
		}
	}
	if p.Replies() == 1 && len(missing) == 1 {
		missing[0].Sample = 0 // alone
	}
	return missing
}

// best are the turns of a round that the next one builds on: those whose path
// has the fastest correct kernel, and of equals the earlier.
func (p Plan) best(s *State, round []*Turn) []int {
	round = slices.DeleteFunc(slices.Clone(round), (*Turn).Void)
	slices.SortStableFunc(round, func(a, b *Turn) int { return cmp.Compare(s.fastest(b), s.fastest(a)) })
	var best []int
	for _, t := range round[:min(len(round), max(1, p.Keep))] {
		best = append(best, t.Number)
	}
	return best
}

// fastest is the highest speedup of the correct kernels up to a turn, 0 if there
// is none.
func (s *State) fastest(t *Turn) float64 {
	fastest := 0.0
	for _, t := range s.Path(t.Number) {
		if speedup, ok := t.Speedup(); ok {
			fastest = max(fastest, speedup)
		}
	}
	return fastest
}

// running reports whether a turn has not ended.
func (t *Turn) running() bool { return t.End == nil }

// Told reports whether a turn ended and told anything about a reply.
func (t *Turn) Told() bool { return t.End != nil && !t.Void() }

// Void reports whether a turn ended without telling anything about a reply.
func (t *Turn) Void() bool {
	if t.End == nil {
		return false
	}
	return slices.Contains([]string{OutcomeStopped, OutcomeModelError, OutcomeInfraError}, t.End.Outcome)
}
