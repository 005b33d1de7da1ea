package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"example.com/hone/agent"
)

// sink keeps the commands it is sent.
type sink struct{ sent []agent.Action }

func (s *sink) Send(c agent.Command) { s.sent = append(s.sent, c.Action) }

func TestSteeringWaitsForTheAnswer(t *testing.T) {
	t.Parallel()
	started := agent.Event{Data: &agent.TurnStarted{}}
	ended := agent.Event{Data: &agent.TurnEnded{}}
	broken := agent.Event{Data: &agent.TurnEnded{Outcome: agent.OutcomeModelError}}
	notice := func(l agent.Level) agent.Event { return agent.Event{Data: &agent.Noticed{Level: l}} }
	acted := func(a agent.Action) agent.Event { return agent.Event{Data: &agent.HumanActed{Action: a}} }
	tests := []struct {
		name   string
		turns  int
		send   agent.Action
		events []agent.Event
		idle   bool
	}{
		{name: "nothing was asked", idle: true},
		{name: "first turns are running", turns: 2, events: []agent.Event{started, ended}},
		{name: "first turns are over", turns: 2, events: []agent.Event{started, ended, started, ended}, idle: true},
		{name: "the first turn failed", turns: 3, events: []agent.Event{started, broken}, idle: true},
		{name: "one of the samples failed", turns: 4, events: []agent.Event{started, started, broken, ended}},
		{name: "a budget is used up", turns: 4, events: []agent.Event{started, ended, notice(agent.LevelWarn)}, idle: true},
		{name: "a warning before the first turn", turns: 4, events: []agent.Event{notice(agent.LevelWarn)}},
		{name: "a turn is running", send: agent.ActionNext, events: []agent.Event{acted(agent.ActionNext), started}},
		{name: "a turn is over", send: agent.ActionHint, events: []agent.Event{acted(agent.ActionHint), started, ended}, idle: true},
		{name: "a turn was refused", send: agent.ActionRetry, events: []agent.Event{notice(agent.LevelWarn)}, idle: true},
		{name: "a warning during a turn is no answer", send: agent.ActionNext, events: []agent.Event{started, notice(agent.LevelWarn)}},
		{name: "news is no answer", send: agent.ActionAccept, events: []agent.Event{notice(agent.LevelInfo)}},
		{name: "an accept that passed", send: agent.ActionAccept, events: []agent.Event{notice(agent.LevelInfo), acted(agent.ActionAccept)}, idle: true},
		{name: "an accept that failed", send: agent.ActionAccept, events: []agent.Event{notice(agent.LevelInfo), notice(agent.LevelWarn)}, idle: true},
		{name: "a rejection", send: agent.ActionReject, events: []agent.Event{acted(agent.ActionReject)}, idle: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := steering{turns: tt.turns, session: &sink{}}
			if tt.send != "" {
				s.send(agent.Command{Action: tt.send})
			}
			for _, e := range tt.events {
				s.heard(e)
			}
			if s.idle() != tt.idle {
				t.Errorf("idle is %v, want %v", s.idle(), tt.idle)
			}
		})
	}
}

func TestParseCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line string
		want agent.Command
	}{
		{"next", agent.Command{Action: agent.ActionNext}},
		{"  hint  keep rows in registers ", agent.Command{Action: agent.ActionHint, Text: "keep rows in registers"}},
		{"reject too clever", agent.Command{Action: agent.ActionReject, Text: "too clever"}},
		{"branch 3", agent.Command{Action: agent.ActionBranch, Turn: 3}},
		{"accept", agent.Command{Action: agent.ActionAccept}},
		{"auto 4", agent.Command{Action: agent.ActionAuto, Plan: agent.Plan{Turns: 4}}},
		{"auto 4  2", agent.Command{Action: agent.ActionAuto, Plan: agent.Plan{Turns: 4, Samples: 2}}},
	}
	a := &app{streams: &streams{}}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			t.Parallel()
			got, err := a.parseCommand(tt.line)
			if err != nil || got != tt.want {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
	for _, line := range []string{"dance", "branch three", "auto", "auto 0", "auto 1 2 3", "edit no-such-file.cu"} {
		if _, err := a.parseCommand(line); err == nil {
			t.Errorf("%q was understood", line)
		}
	}
}

func TestCommandsEndWithTheSession(t *testing.T) {
	t.Parallel()
	a := &app{streams: &streams{in: strings.NewReader("next\nnext\n"), err: io.Discard}}
	done := make(chan struct{})
	close(done)
	for range a.readCommands(&sink{}, done) {
		continue // up to two may still come; what matters is that it ends
	}
}

func TestJudgeEnvironmentHasNoKey(t *testing.T) {
	t.Parallel()
	env := map[string]string{"PATH": "/bin", "OPENAI_API_KEY": "planted", "LOCAL_API_KEY": "planted", "HOME": "/home/p"}
	got := judgeEnvironment(func(name string) string { return env[name] })
	slices.Sort(got)
	if want := []string{"HOME=/home/p", "PATH=/bin"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
