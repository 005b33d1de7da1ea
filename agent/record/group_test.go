package record

import (
	"strings"
	"testing"
	"time"

	"example.com/hone/agent"
)

// TestGroup keeps the group of a trajectory on every line, also of those that
// recovery adds, for both of two turns that were running.
func TestGroup(t *testing.T) {
	t.Parallel()
	const group = "01KKNTQ1T80000000000000009"
	l, err := Create(t.TempDir(), session())
	must(t, err)
	add := func(turn int, kind agent.Kind, data any) {
		must(t, l.Append(agent.Event{
			Kind: kind, ID: "01KKNTQ1T80000000000000001", Seq: l.seq + 1, Time: time.Now(), Session: l.ID(), Group: group, Turn: turn, Data: data,
		}))
	}
	add(0, agent.KindSessionStarted, &agent.SessionStarted{Group: group})
	add(1, agent.KindTurnStarted, &agent.TurnStarted{Source: agent.SourceModel, Sample: 1})
	add(2, agent.KindTurnStarted, &agent.TurnStarted{Source: agent.SourceModel, Sample: 2})
	must(t, l.Close())
	l, events, err := Resume(l.Path(), time.Now())
	must(t, err)
	must(t, l.Close())
	ends := 0
	for _, e := range events {
		if e.Group != group {
			t.Errorf("%s has group %q", e.Kind, e.Group)
		}
		if e.Kind == agent.KindTurnEnded {
			ends++
		}
	}
	if ends != 2 {
		t.Errorf("%d of 2 turns that were running ended", ends)
	}
	line, err := Encode(events[0])
	must(t, err)
	if !strings.Contains(string(line), `"group":"`+group+`","trajectory":"`+l.ID()+`"`) {
		t.Errorf("the line is %s", line)
	}
}
