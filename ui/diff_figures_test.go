package ui

import (
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/ui/term"
)

func TestComparingAnyTwoTurns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys  []string
		has   []string
		hasno []string
	}{
		"an older one":       {[]string{"o", "3", "enter"}, []string{"turn 3 (0.71x) → turn 6 (2.63x)", "emulated time", "faster", "shared bytes"}, nil},
		"a newer one":        {[]string{"[", "[", "[", "o", "6", "enter"}, []string{"turn 3 (0.71x) → turn 6 (2.63x)"}, nil},
		"of different paths": {[]string{"o", "5", "enter"}, []string{"turn 5 (1.86x) → turn 6 (2.63x)"}, nil},
		"one that failed":    {[]string{"o", "2", "enter"}, []string{"wrong result", "correct"}, nil},
		"from the diff":      {[]string{"o", "3", "enter", "o", "4", "enter"}, []string{"turn 4 (1.84x) → turn 6 (2.63x)"}, nil},
		"all figures":        {[]string{"o", "3", "enter", "t"}, []string{"grid, block"}, []string{"t shows more"}},
		"no figures":         {[]string{"o", "3", "enter", "t", "t"}, []string{"change 1 of"}, []string{"emulated time"}},
		"itself":             {[]string{"o", "6", "enter"}, []string{"this is the turn itself"}, []string{"emulated time"}},
		"no such turn":       {[]string{"o", "9", "enter"}, []string{`there is no turn "9": give a number from 1 to 6`}, nil},
		"no number":          {[]string{"o", "x", "enter"}, []string{`there is no turn "x"`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 100, 30, term.Profile{})
			b.openSoftmax(agenttest.Story())
			b.press(c.keys...)
			b.wantOnScreen(c.has...)
			b.wantNotOnScreen(c.hasno...)
			checkFrame(t, b.View(), 100, 30)
		})
	}
}

func TestATimeThatIsNotBelievedIsNotFaster(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(onGPU(5))
	b.press("o", "4", "enter")
	b.wantOnScreen("suspect", "not to be believed")
	b.wantNotOnScreen("faster")
}

func TestOneTurnHasNothingToCompareWith(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(until(1, agent.KindTurnEnded, 1))
	b.press("o")
	b.wantOnScreen("there is no other turn to compare with")
}

func TestFiguresFitEveryScreen(t *testing.T) {
	t.Parallel()
	for _, at := range []size{{60, 15}, {80, 24}, {120, 40}, {200, 60}} {
		b := newBench(t, at.w, at.h, term.Profile{})
		b.openSoftmax(onGPU(6))
		b.press("o", "1", "enter")
		for range figuresNone + 1 {
			checkFrame(t, b.View(), at.w, at.h)
			b.press("G", "n", "t")
		}
	}
}

func TestComparisonInColours(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]term.Profile{
		"dark":     {Colour: term.TrueColour},
		"light":    {Colour: term.TrueColour, Light: true},
		"no-color": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 120, 40, p)
			b.openSoftmax(onGPU(6))
			b.press("o", "3", "enter")
			checkFrame(t, b.View(), 120, 40)
			golden.RequireEqual(t, []byte(b.View()+"\n"))
		})
	}
}
