package ui

import (
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"example.com/hone/agent"
	"example.com/hone/ui/term"
)

// withProfiles has a session choose among three models, the scripted one writing.
func withProfiles(t *testing.T, w, h int, events []agent.Event) *bench {
	b := newBench(t, w, h, term.Profile{})
	b.Profiles = []Profile{
		{Name: "big", Model: "qwen3-235b", Endpoint: "gpu-box:8000"},
		{Name: "kevin", Model: "kevin-32b", Endpoint: "localhost:8000"},
		{Name: "demo", Model: "scripted-32b"},
	}
	b.openSoftmax(events)
	b.refine.state.Session.Profile = "demo" // the story names none
	return b
}

func TestAnotherModelIsChosen(t *testing.T) {
	t.Parallel()
	ended, writing := until(4, agent.KindTurnEnded, 1), until(4, agent.KindTextDelta, 20)
	for name, c := range map[string]struct {
		events []agent.Event
		play   func(*bench)
		want   string // the profile asked for, "" for none
	}{
		"the row above":         {ended, func(b *bench) { b.press("M", "up", "enter") }, "kevin"},
		"tab goes down":         {ended, func(b *bench) { b.press("M", "up", "up", "tab", "enter") }, "kevin"},
		"not beyond the top":    {ended, func(b *bench) { b.press("M", "up", "up", "up", "up", "enter") }, "big"},
		"by name":               {ended, func(b *bench) { b.press("M"); b.write("kev"); b.press("enter") }, "kevin"},
		"by model, in any case": {ended, func(b *bench) { b.press("M"); b.write("QWEN"); b.press("enter") }, "big"},
		"by endpoint":           {ended, func(b *bench) { b.press("M"); b.write("gpu-box"); b.press("enter") }, "big"},
		"while a turn runs":     {writing, func(b *bench) { b.press("M", "up", "enter") }, "kevin"},
		"the same one":          {ended, func(b *bench) { b.press("M", "enter") }, ""},
		"none of that name":     {ended, func(b *bench) { b.press("M"); b.write("gpt"); b.press("enter") }, ""},
		"other keys keep it":    {ended, func(b *bench) { b.press("M", "up", "left", "home", "end", "right", "enter") }, "kevin"},
		"narrowing keeps it":    {ended, func(b *bench) { b.press("M", "up"); b.write("o"); b.press("enter") }, "kevin"},
		"esc changes nothing":   {ended, func(b *bench) { b.press("M", "up", "esc") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := withProfiles(t, 120, 40, c.events)
			c.play(b)
			sent := b.engine.commands()
			if c.want == "" {
				if len(sent) > 0 {
					t.Errorf("sent %+v", sent)
				}
				return
			}
			if len(sent) != 1 || sent[0].Action != agent.ActionModel || sent[0].Text != c.want {
				t.Errorf("sent %+v, want the model of %s", sent, c.want)
			}
		})
	}
}

func TestChoosingAModelKeepsTheViewedTurn(t *testing.T) {
	t.Parallel()
	b := withProfiles(t, 120, 40, until(4, agent.KindTurnEnded, 1))
	b.press("[", "M", "up", "enter")
	if got := b.refine.number(); got != 3 {
		t.Errorf("turn %d is on screen, want 3", got)
	}
}

func TestTheChoiceOfModelsLooksAsKept(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]struct{ w, h int }{"80x24": {80, 24}, "120x40": {120, 40}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := withProfiles(t, at.w, at.h, until(4, agent.KindTurnEnded, 1))
			b.press("M", "up")
			golden.RequireEqual(t, []byte(b.View()))
		})
	}
}

func TestWithoutAnotherModelTheKeySaysSo(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(until(4, agent.KindTurnEnded, 1))
	b.now = b.now.Add(time.Second)
	b.press("M")
	b.wantOnScreen("no other model is configured")
}

func TestAChoiceScrolls(t *testing.T) {
	t.Parallel()
	var many []option
	for i := range 20 {
		many = append(many, option{name: string(rune('a' + i))})
	}
	c := newChoice(many, 0)
	c.move(19)
	if got := c.marked(); got != "t" {
		t.Errorf("%q is marked, want the last", got)
	}
	th := newBench(t, 80, 24, term.Profile{}).Theme
	if rows := c.view(th); len(rows) != choiceRows {
		t.Errorf("%d rows, want %d", len(rows), choiceRows)
	}
	c.narrow("zzz")
	if c.marked() != "" || len(c.view(th)) != choiceRows {
		t.Error("nothing matches: want no mark, and as many rows")
	}
}
