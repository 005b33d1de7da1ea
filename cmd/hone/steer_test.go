package main

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hone/agent"
)

// sink keeps the commands it is sent.
type sink struct {
	sent []agent.Action
	last agent.Command
}

func (s *sink) Send(c agent.Command) { s.sent, s.last = append(s.sent, c.Action), c }

func TestSteeringWaitsForTheAnswer(t *testing.T) {
	t.Parallel()
	start := func(turn, parent, sample int) agent.Event {
		return agent.Event{Turn: turn, Data: &agent.TurnStarted{Parent: parent, Sample: sample, Source: agent.SourceModel}}
	}
	end := func(turn int, outcome string) agent.Event {
		return agent.Event{Turn: turn, Data: &agent.TurnEnded{Outcome: outcome}}
	}
	const right, broken, stopped = "correct", agent.OutcomeModelError, agent.OutcomeStopped
	started, ended := start(1, 0, 0), end(1, right)
	notice := func(l agent.Level) agent.Event { return agent.Event{Data: &agent.Noticed{Level: l}} }
	spent := agent.Event{Data: &agent.Noticed{Level: agent.LevelWarn, Budget: agent.EndTurnBudget}}
	acted := func(a agent.Action) agent.Event { return agent.Event{Data: &agent.HumanActed{Action: a}} }
	three, fan := agent.Plan{Turns: 3}, agent.Plan{Turns: 2, Samples: 3}
	auto := agent.Event{Data: &agent.HumanActed{Action: agent.ActionAuto, Plan: &agent.Plan{From: 1, After: 1, Turns: 1, Samples: 2}}}
	tests := []struct {
		name   string
		plan   agent.Plan
		send   agent.Action
		events []agent.Event
		idle   bool
	}{
		{name: "nothing was asked", idle: true},
		{name: "nothing of a plan has started", plan: three},
		{name: "first turns are running", plan: three, events: []agent.Event{started, ended, start(2, 1, 0)}},
		{name: "between two turns", plan: three, events: []agent.Event{started, ended}},
		{name: "first turns are over", plan: agent.Plan{Turns: 2}, events: []agent.Event{started, ended, start(2, 1, 0), end(2, right)}, idle: true},
		{name: "the first turn failed", plan: three, events: []agent.Event{started, end(1, broken)}, idle: true},
		{name: "a turn was stopped", plan: fan, events: []agent.Event{start(1, 0, 1), end(1, stopped)}, idle: true},
		{name: "a stop comes as the turn ends", plan: three, events: []agent.Event{started, acted(agent.ActionStop), ended}, idle: true},
		{name: "a stop comes as a sample ends", plan: fan, events: []agent.Event{
			start(1, 0, 1), start(2, 0, 2), acted(agent.ActionStop), end(1, right), end(2, stopped),
		}, idle: true},
		{name: "and another still runs", plan: fan, events: []agent.Event{
			start(1, 0, 1), start(2, 0, 2), acted(agent.ActionStop), end(1, right),
		}},
		{name: "a stop ends the plan of a person", send: agent.ActionAuto, events: []agent.Event{
			started, ended, auto, start(2, 1, 1), acted(agent.ActionStop), end(2, right),
		}, idle: true},
		{name: "one of the samples failed first", plan: fan, events: []agent.Event{
			start(1, 0, 1), start(2, 0, 2), start(3, 0, 3), end(1, broken), end(2, right),
		}},
		{name: "one of the samples failed last", plan: fan, events: []agent.Event{
			start(1, 0, 1), start(2, 0, 2), start(3, 0, 3), end(1, right), end(2, right), end(3, broken),
		}},
		{name: "all of the samples failed", plan: fan, events: []agent.Event{
			start(1, 0, 1), start(2, 0, 2), start(3, 0, 3), end(3, broken), end(2, broken), end(1, broken),
		}, idle: true},
		{name: "not all samples at once", plan: fan, events: []agent.Event{start(1, 0, 1), start(2, 0, 2), end(1, right), end(2, broken)}},
		{name: "a hint is one of them", plan: agent.Plan{Turns: 1, Samples: 2}, send: agent.ActionHint, events: []agent.Event{
			start(1, 0, 1), start(2, 0, 2), end(2, right), end(1, right),
		}, idle: true},
		{name: "a plan has begun", send: agent.ActionAuto, events: []agent.Event{started, ended, auto}},
		{name: "a plan of a person is over", send: agent.ActionAuto, events: []agent.Event{
			started, ended, auto, start(2, 1, 1), start(3, 1, 2), end(3, right), end(2, broken),
		}, idle: true},
		{name: "a plan was refused", send: agent.ActionAuto, events: []agent.Event{notice(agent.LevelWarn)}, idle: true},
		{name: "a budget is used up", plan: three, events: []agent.Event{started, ended, spent}, idle: true},
		{name: "a budget is used up before the first turn", plan: three, events: []agent.Event{spent}, idle: true},
		{name: "a warning before the first turn", plan: three, events: []agent.Event{notice(agent.LevelWarn)}},
		{name: "a budget is used up while a sample runs", plan: fan, events: []agent.Event{start(1, 0, 1), spent}},
		{name: "and it has ended", plan: fan, events: []agent.Event{start(1, 0, 1), spent, end(1, right)}, idle: true},
		{name: "a warning of a turn of the plan", plan: three, events: []agent.Event{started, notice(agent.LevelWarn), ended}},
		{name: "the record fails", plan: three, events: []agent.Event{notice(agent.LevelError)}},
		{name: "a turn is running", send: agent.ActionNext, events: []agent.Event{acted(agent.ActionNext), started}},
		{name: "a turn is over", send: agent.ActionHint, events: []agent.Event{acted(agent.ActionHint), started, ended}, idle: true},
		{name: "a turn was refused", send: agent.ActionRetry, events: []agent.Event{notice(agent.LevelWarn)}, idle: true},
		{name: "a warning during a turn is no answer", send: agent.ActionNext, events: []agent.Event{started, notice(agent.LevelWarn)}},
		{name: "news is no answer", send: agent.ActionAccept, events: []agent.Event{notice(agent.LevelInfo)}},
		{name: "an accept that passed", send: agent.ActionAccept, events: []agent.Event{notice(agent.LevelInfo), acted(agent.ActionAccept)}, idle: true},
		{name: "an accept that failed", send: agent.ActionAccept, events: []agent.Event{notice(agent.LevelInfo), notice(agent.LevelWarn)}, idle: true},
		{name: "a prompt is being written", send: agent.ActionPrompt},
		{name: "a prompt is shown", send: agent.ActionPrompt, events: []agent.Event{{Data: &agent.PromptDrafted{}}}, idle: true},
		{name: "an edited prompt is being answered", send: agent.ActionSend, events: []agent.Event{acted(agent.ActionSend), started}},
		{name: "a pin", send: agent.ActionPin, events: []agent.Event{acted(agent.ActionPin)}, idle: true},
		{name: "a rating that is not kept yet", send: agent.ActionRate},
		{name: "a note that was refused", send: agent.ActionNote, events: []agent.Event{notice(agent.LevelWarn)}, idle: true},
		{name: "a rejection", send: agent.ActionReject, events: []agent.Event{acted(agent.ActionReject)}, idle: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var state agent.State
			s := steering{state: &state, session: &sink{}}
			if tt.plan.Turns > 0 {
				s.plan = &tt.plan
			}
			if tt.send != "" {
				s.send(agent.Command{Action: tt.send})
			}
			for _, e := range tt.events {
				state.Apply(e)
				s.heard(e)
			}
			if s.idle() != tt.idle {
				t.Errorf("idle is %v, want %v", s.idle(), tt.idle)
			}
		})
	}
}

func TestTypedCommandsSaySinceWhenTheTurnWasThere(t *testing.T) {
	t.Parallel()
	at := func(n int) time.Time { return time.Unix(int64(n), 0) }
	heard := []agent.Event{
		{Turn: 1, Data: &agent.TurnStarted{}}, {Turn: 1, Time: at(1), Data: &agent.TurnEnded{}},
		{Turn: 2, Data: &agent.TurnStarted{}}, {Turn: 2, Time: at(2), Data: &agent.TurnEnded{}},
		{Turn: 3, Data: &agent.TurnStarted{}},
	}
	for name, test := range map[string]struct {
		events int
		turn   int
		want   time.Time
	}{
		"no turn yet":         {},
		"the newest":          {4, 0, at(2)},
		"an older":            {4, 1, at(1)},
		"one that still runs": {5, 3, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := &sink{}
			s := steering{state: new(agent.State), session: to}
			for _, e := range heard[:test.events] {
				s.heard(e)
			}
			s.send(agent.Command{Action: agent.ActionNote, Turn: test.turn})
			if got := to.last.Shown; !got.Equal(test.want) {
				t.Errorf("shown %v, want %v", got, test.want)
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
		{"auto @3 4", agent.Command{Action: agent.ActionAuto, Turn: 3, Plan: agent.Plan{Turns: 4}}},
		{"accept 2 short and fast", agent.Command{Action: agent.ActionAccept, Turn: 2, Text: "short and fast"}},
		{"reject @2 too clever", agent.Command{Action: agent.ActionReject, Turn: 2, Text: "too clever"}},
		{"reject 4 blocks are too many", agent.Command{Action: agent.ActionReject, Text: "4 blocks are too many"}},
		{"hint @1 use registers", agent.Command{Action: agent.ActionHint, Turn: 1, Text: "use registers"}},
		{"pin", agent.Command{Action: agent.ActionPin}},
		{"pin 3", agent.Command{Action: agent.ActionPin, Turn: 3}},
		{"pin @3 it is readable", agent.Command{Action: agent.ActionPin, Turn: 3, Text: "it is readable"}},
		{"rate 4", agent.Command{Action: agent.ActionRate, Rating: 4}},
		{"rate @2 5  a bold idea", agent.Command{Action: agent.ActionRate, Turn: 2, Rating: 5, Text: "a bold idea"}},
		{"note spills registers", agent.Command{Action: agent.ActionNote, Text: "spills registers"}},
		{"note @3 see turn 1", agent.Command{Action: agent.ActionNote, Turn: 3, Text: "see turn 1"}},
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
	for _, line := range []string{
		"dance", "branch three", "branch 0", "pin that", "rate", "rate well", "rate 6", "note @x y",
		"auto", "auto 0", "auto 1 2 3", "edit no-such-file.cu",
	} {
		if _, err := a.parseCommand(line); err == nil {
			t.Errorf("%q was understood", line)
		}
	}
}

// TestCommandsEndWithTheSession lets a session end while a command waits: neither it
// nor what follows it is handed out any more, or sent.
func TestCommandsEndWithTheSession(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]string{
		"several": "next\nnext\n", "one": "next\n", "a quit among them": "next\nquit\nstop\n", "none": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := &app{streams: &streams{in: strings.NewReader(lines), err: io.Discard}}
				done, to := make(chan struct{}), &sink{}
				commands := a.readCommands(to, done)
				synctest.Wait()
				close(done)
				synctest.Wait()
				if c, open := <-commands; open || len(to.sent) > 0 {
					t.Errorf("after the end came %v, and %v was sent", c.Action, to.sent)
				}
			})
		})
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
