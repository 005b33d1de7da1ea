package agenttest

import (
	"time"

	"example.com/hone/agent"
)

// Marked is [Story] up to the end of turn 6, with what a person thinks of its
// turns: one is pinned, two are rated, one has a note.
func Marked() []agent.Event {
	all := Story()
	end := len(all)
	for i, e := range all {
		if e.Turn == 6 && e.Kind == agent.KindTurnEnded {
			end = i + 1
		}
	}
	s := &story{events: all[:end], now: all[end-1].Time, session: all[0].Session, seq: int(all[end-1].Seq)}
	for _, d := range []struct {
		turn  int
		acted agent.HumanActed
	}{
		{3, agent.HumanActed{Action: agent.ActionNote, Text: "rounding the grid up was the whole fix"}},
		{4, agent.HumanActed{Action: agent.ActionRate, Rating: 4, After: "4", Text: "clear, and it coalesces"}},
		{4, agent.HumanActed{Action: agent.ActionPin, After: "4"}},
		{6, agent.HumanActed{Action: agent.ActionRate, Rating: 5, After: "5"}},
		{6, agent.HumanActed{Action: agent.ActionNote, Text: "one pass over the row\ntry two rows a warp next"}},
	} {
		s.wait(3 * time.Second)
		s.act(d.turn, d.acted)
	}
	return s.events
}
