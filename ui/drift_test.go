package ui

import (
	"context"
	"errors"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/agent/canary"
	"example.com/hone/ui/term"
)

// usualReplies are those of a model whose thoughts all opened as usual.
func usualReplies(n int) func(context.Context, string, string) ([]canary.Sample, error) {
	return func(_ context.Context, _, model string) ([]canary.Sample, error) {
		samples := make([]canary.Sample, n)
		for i := range samples {
			samples[i] = canary.Sample{Model: model, Session: "earlier", Replied: true, Thought: true, Odd: new(bool)}
		}
		return samples, nil
	}
}

func TestDriftLooksAsKept(t *testing.T) {
	t.Parallel()
	for _, at := range []size{{80, 24}, {120, 40}, {200, 60}} {
		t.Run(at.String(), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, at.w, at.h, term.Profile{Colour: term.TrueColour})
			b.Earlier = usualReplies(20)
			b.openSoftmax(until(4, agent.KindTurnEnded, 1))
			b.press("L")
			checkFrame(t, b.View(), at.w, at.h)
			golden.RequireEqual(t, []byte(ansi.Strip(b.View())+"\n"))
		})
	}
}

func TestDriftIsMarked(t *testing.T) {
	t.Parallel()
	const mark = "drift: openings"
	tests := []struct {
		name    string
		usual   []string // nil: the default
		earlier func(context.Context, string, string) ([]canary.Sample, error)
		turns   int
		want    bool
	}{
		{"against the record", nil, usualReplies(20), 4, true},
		{"before four replies", nil, usualReplies(20), 3, false},
		{"no record, and odd from the start", nil, nil, 5, false},
		{"a record that cannot be read", nil, func(context.Context, string, string) ([]canary.Sample, error) {
			return nil, errors.New("disk")
		}, 5, false},
		{"this model opens so", []string{"The", "Rows", "It"}, usualReplies(20), 4, false},
		{"this model opens in no usual way", []string{}, usualReplies(20), 4, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 120, 40, term.Profile{})
			b.Earlier = tt.earlier
			if tt.usual != nil {
				start := agenttest.Story()[0].Data.(*agent.SessionStarted)
				b.Usual = canary.Usual{start.Model: tt.usual}
			}
			b.openSoftmax(until(tt.turns, agent.KindTurnEnded, 1))
			if tt.want {
				b.wantOnScreen(mark)
			} else {
				b.wantNotOnScreen(mark)
			}
		})
	}
}

// TestDriftIsToldOnce: one line of the log, however many turns go on like that.
func TestDriftIsToldOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.Earlier = usualReplies(20)
	b.openSoftmax(agenttest.Story())
	told := 0
	for _, e := range b.refine.log.entries {
		if e.text == "thoughts open oddly: 100.0% in the last 4, 0.0% in 20 on record" {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times: %+v", told, b.refine.log.entries)
	}
}

func TestStoredRunShowsItsDrift(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.Earlier = usualReplies(20)
	b.run(b.show("01KB7XQ0A9J4S2V6W8Y0Z1C3E5"))
	b.wantOnScreen("drift: openings")
}
