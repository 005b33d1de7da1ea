package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/oklog/ulid/v2"

	"example.com/hone/agent"
	"example.com/hone/agent/record"
)

// recorded makes a run on record in which one model after the other writes a turn.
func recorded(t *testing.T, runs string, models ...string) string {
	t.Helper()
	id := ulid.Make().String()
	log, err := record.Create(runs, id)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	seq := int64(0)
	add := func(turn int, kind agent.Kind, data any) {
		seq++
		e := agent.Event{Kind: kind, ID: ulid.Make().String(), Seq: seq, Session: id, Turn: turn, Data: data}
		if err := log.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	add(0, agent.KindSessionStarted, &agent.SessionStarted{Model: models[0]})
	for i, model := range models {
		if i > 0 {
			add(0, agent.KindModelChanged, &agent.ModelChanged{Model: model})
		}
		add(i+1, agent.KindTurnStarted, &agent.TurnStarted{Parent: i, Source: agent.SourceModel})
		add(i+1, agent.KindModelRequested, &agent.ModelRequested{Model: model})
		add(i+1, agent.KindModelResponded, &agent.ModelResponded{Content: "a kernel", Complete: true})
		add(i+1, agent.KindTurnEnded, &agent.TurnEnded{Outcome: "mismatch"})
	}
	return id
}

// TestEarlierTurnsOfAModel finds the turns of a model also in runs that another
// model began or ended, and nothing of those others.
func TestEarlierTurnsOfAModel(t *testing.T) {
	t.Parallel()
	a := &app{streams: &streams{}, config: config{Runs: t.TempDir()}}
	first := recorded(t, a.config.Runs, "m", "n")
	second := recorded(t, a.config.Runs, "n", "m", "m")
	third := recorded(t, a.config.Runs, "m")
	tests := []struct {
		name, run, model, want string
	}{
		{"nothing before the first", first, "m", ""},
		{"the model that began", second, "m", first + ":1"},
		{"the model that ended", second, "n", first + ":2"},
		{"all turns of one", third, "m", second + ":2 " + second + ":3 " + first + ":1"},
		{"one that wrote nothing", third, "o", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			samples, err := a.earlier(t.Context(), tt.run, tt.model)
			var got []string
			for _, s := range samples {
				got = append(got, fmt.Sprintf("%s:%d", s.Session, s.Turn))
			}
			if text := strings.Join(got, " "); err != nil || text != tt.want {
				t.Errorf("samples %q, %v; want %q", text, err, tt.want)
			}
		})
	}
}
