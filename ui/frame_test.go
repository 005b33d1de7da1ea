package ui

import (
	"strings"
	"testing"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// TestEveryFrameFits holds every scene to its size at many sizes, also while it
// shrinks and grows.
func TestEveryFrameFits(t *testing.T) {
	t.Parallel()
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 100, 30, term.Profile{Colour: term.Colour16})
			s.play(t, b)
			for _, at := range []size{
				{1, 1}, {2, 9}, {59, 40}, {60, 14}, {60, 15}, {61, 16}, {79, 23}, {109, 30}, {110, 15}, {110, 31},
				{179, 44}, {180, 15}, {180, 45}, {240, 20}, {400, 120}, {33, 3},
			} {
				b.resize(at.w, at.h)
				checkFrame(t, b.View(), at.w, at.h)
			}
		})
	}
}

func FuzzFrame(f *testing.F) {
	f.Add(uint16(80), uint16(24), "2[2tD?", "plain words")
	f.Add(uint16(1), uint16(1), "", "")
	f.Add(uint16(200), uint16(60), "h1+4kkd", "行列の積 🚀\x1b[31mred\x1b]52;c;AAAA\a\ttab\x00")
	f.Add(uint16(61), uint16(15), "/xqv5w", "a\u0301e\u0301 👩‍👩‍👧 \u202e\r\n```cuda\n__global__ void k() {}\n```")
	f.Fuzz(func(t *testing.T, w, h uint16, pressed, text string) {
		at := size{1 + int(w)%260, 1 + int(h)%80}
		if len(pressed) > 40 || len(text) > 4000 {
			t.Skip("longer than a person types")
		}
		b := newBench(t, at.w, at.h, term.Profile{Colour: term.Colour16})
		b.run(b.open(agenttest.Task()))
		b.play(append(until(1, agent.KindTurnEnded, 1), hostile(2, text)...), 1000)
		for _, r := range pressed {
			b.press(string(r))
			checkFrame(t, b.View(), at.w, at.h)
		}
		if clean := b.View(); strings.ContainsAny(clean, "\a\t\r\x00") || strings.Contains(clean, "\x1b]") {
			t.Error("control characters reached the screen")
		}
	})
}

// hostile is a turn whose every text is what a model or a compiler may send.
func hostile(turn int, text string) []agent.Event {
	v := agenttest.CompileError(text)
	v.Summary, v.Diagnostics[0].Message = text, text
	all := []agent.Event{
		{Kind: agent.KindTurnStarted, Data: &agent.TurnStarted{Parent: turn - 1, Source: agent.SourceModel, Reason: agent.ActionNext, Hint: text}},
		{Kind: agent.KindTextDelta, Data: &agent.TextDelta{Reasoning: true, Text: text}},
		{Kind: agent.KindTextDelta, Data: &agent.TextDelta{Text: text + "\n```cuda\n" + text}},
		{Kind: agent.KindModelResponded, Data: &agent.ModelResponded{Reasoning: text, Content: text + "\n```cuda\n" + text, Error: text}},
		{Kind: agent.KindCodeExtracted, Data: &agent.CodeExtracted{Kernel: text, Rule: text, Problems: []string{text}}},
		{Kind: agent.KindEvaluated, Data: &agent.Evaluated{Verdict: &v}},
		{Kind: agent.KindTurnEnded, Data: &agent.TurnEnded{Outcome: text, Summary: text}},
		{Kind: agent.KindNoticed, Data: &agent.Noticed{Level: agent.LevelWarn, Text: text}},
	}
	for i := range all {
		all[i].Turn = turn
	}
	return all
}

func TestSpreadDropsTheLeastImportant(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{})
	left := []part{{"task", 9}, {"model", 1}}
	right := []part{{"state", 8}, {"clock", 2}}
	for name, c := range map[string]struct {
		w    int
		want string
	}{
		"all fit":            {40, " task   model             state   clock "},
		"the model goes":     {28, " task         state   clock "},
		"the clock goes too": {18, " task       state "},
		"the last is cut":    {5, " tas…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := spread(th, c.w, append([]part(nil), left...), append([]part(nil), right...)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTitleRuleDropsNotesFromTheFront(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{ASCII: true})
	for name, c := range map[string]struct {
		w    int
		want string
	}{
		"both":    {40, "-[2 kernel]--------- 22 lines  turn 1 -"},
		"one":     {24, "-[2 kernel]---- turn 1 -"},
		"neither": {16, "-[2 kernel]-----"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := titleRule(th, "2 kernel", true, c.w, "22 lines", "turn 1")
			if term.Width(got) != c.w || !strings.HasPrefix(strings.ReplaceAll(got, "-", ""), strings.ReplaceAll(c.want, "-", "")) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestColumnsMeetTheirTitles(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{})
	area := rect{0, 0, 7, 5}
	got := join(th, area, []panel{
		{rect{0, 0, 3, 3}, []string{"───", "aaa", "aaa"}},
		{rect{0, 3, 3, 2}, []string{"───", "bbb"}},
		{rect{4, 0, 3, 2}, []string{"───", "ccc"}},
		{rect{4, 2, 3, 3}, []string{"───", "ddd", "ddd"}},
	})
	want := []string{"───┬───", "aaa│ccc", "aaa├───", "───┤ddd", "bbb│ddd"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("row %d: got %q, want %q", i, got[i], want[i])
		}
	}
}

func TestNoTwoFramesInARowAreEqual(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(agenttest.Story())
	d := &distinct{Model: b.Model}
	before := d.View()
	for range 40 {
		d.Update(nil)
		frame := d.View()
		if frame == before {
			t.Fatal("Bubble Tea would compare this frame for ever")
		}
		checkFrame(t, frame, 120, 40)
		before = frame
	}
}

func TestWithoutColourNothingIsStyled(t *testing.T) {
	t.Parallel()
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 120, 40, term.Profile{})
			s.play(t, b)
			if b.dialog != nil && b.dialog.field != nil {
				b.press("esc") // its cursor is reversed, which is no colour
			}
			if frame := b.View(); strings.Contains(frame, "\x1b") {
				t.Errorf("escape codes in %q", frame)
			}
		})
	}
}
