package record

import (
	"reflect"
	"testing"
	"time"

	"example.com/hone/agent"
)

func TestMarksAreReadBack(t *testing.T) {
	t.Parallel()
	seen := 42 * time.Second
	for name, d := range map[string]*agent.HumanActed{
		"pin":    {Action: agent.ActionPin, Text: "readable", Before: "2", After: "3", OnScreen: &seen},
		"rate":   {Action: agent.ActionRate, Rating: 4, After: "4", OnScreen: &seen},
		"note":   {Action: agent.ActionNote, Text: "spills\nregisters"},
		"reject": {Action: agent.ActionReject, Before: "accepted", After: "rejected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := durable()[0]
			e.Kind, e.Data = agent.KindHumanActed, d
			events, problems := mustRead(t, write(t, t.TempDir(), []agent.Event{e}))
			if len(problems) > 0 || len(events) != 1 || !reflect.DeepEqual(events[0].Data, e.Data) {
				t.Errorf("read back %+v, problems %v", events, problems)
			}
		})
	}
}
