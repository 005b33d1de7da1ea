package ui

import (
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/ui/term"
)

func TestMarksReachTheSession(t *testing.T) {
	t.Parallel()
	enter := func(b *bench, key, text string) {
		b.press(key)
		b.write(text)
		b.press("enter")
	}
	for name, c := range map[string]struct {
		play func(*bench)
		want []agent.Command
	}{
		"pin":             {func(b *bench) { enter(b, "p", "") }, []agent.Command{{Action: agent.ActionPin, Turn: 4}}},
		"pin, and why":    {func(b *bench) { enter(b, "p", "short") }, []agent.Command{{Action: agent.ActionPin, Turn: 4, Text: "short"}}},
		"pin an old one":  {func(b *bench) { b.press("["); enter(b, "p", "") }, []agent.Command{{Action: agent.ActionPin, Turn: 3}}},
		"rate":            {func(b *bench) { enter(b, "*", "4") }, []agent.Command{{Action: agent.ActionRate, Turn: 4, Rating: 4}}},
		"rate, and why":   {func(b *bench) { enter(b, "*", "2 odd") }, []agent.Command{{Action: agent.ActionRate, Turn: 4, Rating: 2, Text: "odd"}}},
		"rate with words": {func(b *bench) { enter(b, "*", "well") }, nil},
		"rate too well":   {func(b *bench) { enter(b, "*", "6") }, nil},
		"note":            {func(b *bench) { enter(b, "N", "spills") }, []agent.Command{{Action: agent.ActionNote, Turn: 4, Text: "spills"}}},
		"empty note":      {func(b *bench) { enter(b, "N", "") }, nil},
		"accept, and why": {func(b *bench) { enter(b, "A", "fast") }, []agent.Command{{Action: agent.ActionAccept, Turn: 4, Text: "fast"}}},
		"esc keeps quiet": {func(b *bench) { b.press("p", "esc", "*", "esc", "N", "esc", "A", "esc") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 120, 40, term.Profile{})
			b.openSoftmax(until(4, agent.KindTurnEnded, 1))
			viewed := b.refine.number()
			c.play(b)
			sent := b.engine.commands()
			if len(sent) != len(c.want) {
				t.Fatalf("sent %v, want %v", sent, c.want)
			}
			for i, got := range sent {
				got.Shown = time.Time{}
				if got != c.want[i] {
					t.Errorf("sent %+v, want %+v", got, c.want[i])
				}
				if got.Turn == viewed && b.refine.number() != viewed {
					t.Error("a mark took the turn off the screen")
				}
			}
		})
	}
}

func TestMarksThatCannotBeSaySo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		events []agent.Event
		key    string
		want   string
	}{
		"pin a wrong kernel":  {until(2, agent.KindTurnEnded, 1), "p", "only a correct kernel can be the one to beat"},
		"rate a running turn": {until(4, agent.KindTextDelta, 20), "*", "only a turn that has ended can be rated"},
		"note on nothing":     {agenttest.Story()[:3], "N", "there is no turn yet"},
		"once ended":          {agenttest.Story(), "N", "the session has ended"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 120, 40, term.Profile{})
			b.openSoftmax(c.events)
			b.press(c.key)
			b.wantOnScreen(c.want)
		})
	}
}

func TestAnOldTurnIsMarkedWhileAnotherRuns(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(until(4, agent.KindTextDelta, 20))
	b.press("[", "*", "3", "enter")
	if sent := b.engine.commands(); len(sent) != 1 || sent[0].Turn != 3 || sent[0].Rating != 3 {
		t.Errorf("sent %+v", sent)
	}
}

func TestTimeOnScreenIsCountedTurnByTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(until(4, agent.KindTurnEnded, 1))
	for _, step := range []struct {
		seconds time.Duration
		key     string
	}{{5, "["}, {2, "]"}, {1, "["}, {4, "]"}, {8, "N"}} {
		b.now = b.now.Add(step.seconds * time.Second)
		b.press(step.key)
	}
	b.write("x")
	b.press("enter", "[", "N", "y", "enter")
	sent := b.engine.commands()
	if len(sent) != 2 || sent[0].OnScreen != 14*time.Second || sent[1].OnScreen < 6*time.Second || sent[1].OnScreen >= 10*time.Second {
		t.Errorf("sent %+v, want 14 s of turn 4 and 6 s of turn 3 beyond its first showing", sent)
	}
}

func TestControlCodesInNotesDoNotReachTheScreen(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	events := until(4, agent.KindTurnEnded, 1)
	last := events[len(events)-1]
	last.Kind, last.Data = agent.KindHumanActed, &agent.HumanActed{Action: agent.ActionNote, Text: "a\x1b[31mb\x07c"}
	b.openSoftmax(append(events, last))
	b.wantOnScreen("abc")
}

func TestMarksInColours(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]term.Profile{
		"dark":     {Colour: term.TrueColour},
		"light":    {Colour: term.TrueColour, Light: true},
		"no-color": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 120, 40, p)
			b.openSoftmax(agenttest.Marked())
			b.press("4")
			checkFrame(t, b.View(), 120, 40)
			golden.RequireEqual(t, []byte(b.View()+"\n"))
		})
	}
}
