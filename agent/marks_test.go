package agent_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
)

func TestMarks(t *testing.T) {
	t.Parallel()
	pin := func(n int) agent.Command { return agent.Command{Action: agent.ActionPin, Turn: n, Text: "readable"} }
	rate := func(n, stars int) agent.Command {
		return agent.Command{Action: agent.ActionRate, Turn: n, Rating: stars, Text: "bold"}
	}
	note := func(n int, text string) agent.Command {
		return agent.Command{Action: agent.ActionNote, Turn: n, Text: text}
	}
	reject := agent.Command{Action: agent.ActionReject, Turn: 2}
	tests := []struct {
		name          string
		commands      []agent.Command
		pinned        int
		rating        int // of turn 2
		notes         []string
		before, after string // of the last action
	}{
		{"pin", []agent.Command{pin(2)}, 2, 0, nil, "", "2"},
		{"pin another", []agent.Command{pin(2), pin(3)}, 3, 0, nil, "2", "3"},
		{"pin twice lets go", []agent.Command{pin(2), pin(2)}, 0, 0, nil, "2", ""},
		{"rate", []agent.Command{rate(2, 4)}, 0, 4, nil, "", "4"},
		{"rate again", []agent.Command{rate(2, 4), rate(2, 1)}, 0, 1, nil, "4", "1"},
		{"note", []agent.Command{note(2, "spills"), note(2, "see turn 1")}, 0, 0, []string{"spills", "see turn 1"}, "", ""},
		{"reject", []agent.Command{reject}, 0, 0, nil, "", "rejected"},
		{"the current turn", []agent.Command{pin(0)}, 3, 0, nil, "", "3"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			inSession(t, threeTurns(), func(b *bench) {
				b.send(next, next, next)
				b.send(test.commands...)
				s := b.state()
				turn := s.Turn(2)
				if s.Pinned != test.pinned || turn.Pinned != (test.pinned == 2) || turn.Rating != test.rating || !slices.Equal(turn.Notes, test.notes) {
					t.Errorf("pinned %d, turn 2 = %+v", s.Pinned, turn.Marks)
				}
				acts := b.acts()
				d := acts[len(acts)-1].Data.(*agent.HumanActed)
				last := test.commands[len(test.commands)-1]
				if d.Before != test.before || d.After != test.after || d.Text != last.Text || d.Rating != last.Rating {
					t.Errorf("action = %+v, want %q to %q", d, test.before, test.after)
				}
			})
		})
	}
}

func TestAPinnedTurnIsTheOneToBeat(t *testing.T) {
	t.Parallel()
	inSession(t, threeTurns(), func(b *bench) {
		pin := agent.Command{Action: agent.ActionPin, Turn: 2}
		b.send(next, next, next, pin, next, pin, accept)
		for i, want := range map[int]string{2: agenttest.Kernel(3), 3: agenttest.Kernel(3), 4: ""} {
			if got := b.evaluator.Requests()[i].Best; got != want {
				t.Errorf("evaluation %d is timed beside %.40q, want %.40q", i+1, got, want)
			}
		}
	})
}

func TestRefusedMarks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		turns   int
		command agent.Command
		notice  string
	}{
		{"pin nothing", 0, agent.Command{Action: agent.ActionPin}, "no turn to pin yet"},
		{"pin a wrong kernel", 1, agent.Command{Action: agent.ActionPin}, "turn 1 cannot be pinned"},
		{"rate nothing", 0, agent.Command{Action: agent.ActionRate, Rating: 3}, "no turn to rate yet"},
		{"rate without a number", 1, agent.Command{Action: agent.ActionRate}, "from 1 (poor) to 5"},
		{"rate too well", 1, agent.Command{Action: agent.ActionRate, Rating: 6}, "from 1 (poor) to 5"},
		{"empty note", 1, agent.Command{Action: agent.ActionNote, Text: " \n"}, "the note is empty"},
		{"note on no such turn", 1, agent.Command{Action: agent.ActionNote, Turn: 7, Text: "x"}, "there is no turn 7"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			inSession(t, threeTurns(), func(b *bench) {
				for range test.turns {
					b.send(next)
				}
				acts := len(b.acts())
				b.send(test.command)
				if !strings.Contains(b.lastNotice(), test.notice) || len(b.acts()) != acts {
					t.Errorf("notice %q, want %q", b.lastNotice(), test.notice)
				}
			})
		})
	}
}

func TestMarkWhileATurnRuns(t *testing.T) {
	t.Parallel()
	opts := agent.Options{Model: model(answer(3), agenttest.Answer{Hang: true}), Evaluator: evaluator(correct(3, 1))}
	inSession(t, opts, func(b *bench) {
		b.send(next, next,
			agent.Command{Action: agent.ActionRate, Turn: 1, Rating: 5}, agent.Command{Action: agent.ActionNote, Turn: 2, Text: "slow to start"},
			agent.Command{Action: agent.ActionPin, Turn: 1}, agent.Command{Action: agent.ActionRate, Turn: 2, Rating: 5})
		s := b.state()
		if s.Running != 2 || s.Turn(1).Rating != 5 || s.Turn(2).Rating != 0 || len(s.Turn(2).Notes) != 1 || s.Pinned != 1 {
			t.Errorf("running %d, pinned %d, turns %+v, %+v", s.Running, s.Pinned, s.Turn(1).Marks, s.Turn(2).Marks)
		}
		if !strings.Contains(b.lastNotice(), "only a turn that has ended can be rated") {
			t.Errorf("notice %q", b.lastNotice())
		}
	})
}

func TestTimeOnScreen(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ago, counted time.Duration
		want         *time.Duration
	}{
		"unknown":     {},
		"since shown": {ago: time.Minute, want: ptr(time.Minute)},
		"counted":     {ago: time.Minute, counted: 7 * time.Second, want: ptr(7 * time.Second)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inSession(t, threeTurns(), func(b *bench) {
				c := agent.Command{Action: agent.ActionRate, Rating: 2, OnScreen: test.counted}
				b.send(next)
				if test.ago > 0 {
					c.Shown = time.Now().Add(-test.ago)
				}
				b.send(c)
				acts := b.acts()
				got := acts[len(acts)-1].Data.(*agent.HumanActed).OnScreen
				switch {
				case (got == nil) != (test.want == nil):
					t.Errorf("on screen for %v, want %v", got, test.want)
				case got != nil && got.Round(time.Second) != *test.want:
					t.Errorf("on screen for %v, want %v", *got, *test.want)
				}
			})
		})
	}
}
