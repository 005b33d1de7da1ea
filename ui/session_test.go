package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/ui/keys"
	"example.com/hone/ui/term"
)

// TestStoredRunShowsTheLiveScreen compares, after every turn and in every pane,
// the screen that saw the live events with one that saw the record alone.
func TestStoredRunShowsTheLiveScreen(t *testing.T) {
	t.Parallel()
	for _, at := range []size{{80, 24}, {200, 60}} {
		for turn := 1; turn <= 7; turn++ {
			t.Run(at.String()+"/"+string(rune('0'+turn)), func(t *testing.T) {
				t.Parallel()
				events := agenttest.Story()
				if turn <= 6 {
					events = until(turn, agent.KindTurnEnded, 1)
				}
				live, stored := newBench(t, at.w, at.h, term.Profile{}), newBench(t, at.w, at.h, term.Profile{})
				live.openSoftmax(events)
				stored.run(stored.open(agenttest.Task()))
				stored.play(durable(events), 1000)
				for _, key := range []string{"1", "2", "3", "4", "5", "v", "L", "P", "2", "[", "[", "3"} {
					live.press(key)
					stored.press(key)
					if a, b := live.screenText(), stored.screenText(); a != b {
						t.Fatalf("after %q the screens differ\nlive:\n%s\nstored:\n%s", key, a, b)
					}
				}
			})
		}
	}
}

// TestStreamedKernelIsTheFedText cuts a reply at every length and compares what
// the kernel pane holds with the bytes between the fences.
func TestStreamedKernelIsTheFedText(t *testing.T) {
	t.Parallel()
	kernel := agenttest.Kernel(6)
	reply := "Prose first.\n\n```cuda\n" + kernel + "```\n\nProse after.\n"
	for _, piece := range []int{1, 3, 17, 1000} {
		b := newBench(t, 120, 40, term.Profile{Colour: term.Colour16})
		b.openSoftmax(agenttest.Story()[:3])
		events := []agent.Event{{Kind: agent.KindTurnStarted, Turn: 1, Data: &agent.TurnStarted{Source: agent.SourceModel}}}
		for rest := reply; rest != ""; {
			n := min(piece, len(rest))
			events = append(events, agent.Event{Kind: agent.KindTextDelta, Turn: 1, Data: &agent.TextDelta{Text: rest[:n]}})
			rest = rest[n:]
		}
		b.play(events, 5)
		s := b.refine.sheet(1)
		if got := s.code.Text(); got != kernel {
			t.Errorf("pieces of %d: the pane holds %q, want %q", piece, got, kernel)
		}
		if got := s.raw(); got != kernel {
			t.Errorf("pieces of %d: %q would be copied", piece, got)
		}
		if got := s.prose.text(); strings.Contains(got, "__global__") || !strings.Contains(got, "Prose after.") {
			t.Errorf("pieces of %d: the prose is %q", piece, got)
		}
	}
}

func TestActionsReachTheSession(t *testing.T) {
	t.Parallel()
	finished := until(4, agent.KindTurnEnded, 1)
	for name, c := range map[string]struct {
		play func(*bench)
		want agent.Command
	}{
		"next":      {func(b *bench) { b.press("n") }, agent.Command{Action: agent.ActionNext, Turn: 4}},
		"next old":  {func(b *bench) { b.press("[", "n") }, agent.Command{Action: agent.ActionBranch, Turn: 3}},
		"branch":    {func(b *bench) { b.press("[", "b") }, agent.Command{Action: agent.ActionBranch, Turn: 3}},
		"retry":     {func(b *bench) { b.press("r") }, agent.Command{Action: agent.ActionRetry, Turn: 4}},
		"accept":    {func(b *bench) { b.press("a") }, agent.Command{Action: agent.ActionAccept, Turn: 4}},
		"hint":      {func(b *bench) { b.press("h"); b.write("warps"); b.press("enter") }, agent.Command{Action: agent.ActionHint, Turn: 4, Text: "warps"}},
		"two lines": {func(b *bench) { b.press("h", "a", "ctrl+j", "b", "enter") }, agent.Command{Action: agent.ActionHint, Turn: 4, Text: "a\nb"}},
		"alone":     {func(b *bench) { b.press("C", "enter") }, agent.Command{Action: agent.ActionAuto, Turn: 4, Plan: agent.Plan{Turns: 4}}},
		"samples":   {func(b *bench) { b.press("C"); b.write("2x3"); b.press("enter") }, agent.Command{Action: agent.ActionAuto, Turn: 4, Plan: agent.Plan{Turns: 2, Samples: 3}}},
		"reject":    {func(b *bench) { b.press("R"); b.write("slow"); b.press("enter") }, agent.Command{Action: agent.ActionReject, Turn: 4, Text: "slow"}},
		"edit": {
			func(b *bench) {
				b.send(editedMsg{draftMsg{generation: b.refine.generation, turn: 4, before: "old"}, "new"})
			},
			agent.Command{Action: agent.ActionEdit, Turn: 4, Kernel: "new"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 120, 40, term.Profile{})
			b.openSoftmax(finished)
			c.play(b)
			sent := b.engine.commands()
			if len(sent) != 1 {
				t.Fatalf("sent %v, want one command", sent)
			}
			if sent[0].Shown.IsZero() {
				t.Error("it is not said since when the turn was on screen")
			}
			sent[0].Shown = time.Time{}
			if sent[0] != c.want {
				t.Errorf("sent %+v, want %+v", sent[0], c.want)
			}
		})
	}
}

func TestDisabledActionsSayWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		events []agent.Event
		keys   []string
		want   string
	}{
		"next while running":   {until(4, agent.KindTextDelta, 20), []string{"n"}, "turn 4 is running"},
		"stop when idle":       {until(1, agent.KindTurnEnded, 1), []string{"x"}, "nothing is running"},
		"accept a wrong one":   {until(2, agent.KindTurnEnded, 1), []string{"a"}, "only a correct kernel can be accepted"},
		"diff the first":       {until(1, agent.KindTurnEnded, 1), []string{"d"}, "no other turn"},
		"best before any":      {until(1, agent.KindTurnEnded, 1), []string{"B"}, "no kernel is correct yet"},
		"anything once ended":  {agenttest.Story(), []string{"n"}, "the session has ended"},
		"retry an edit":        {until(5, agent.KindTurnEnded, 1), []string{"r"}, "only a turn of the model"},
		"reject a running one": {until(4, agent.KindTextDelta, 20), []string{"R"}, "only a turn that has ended"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 120, 40, term.Profile{})
			b.openSoftmax(c.events)
			b.press(c.keys...)
			b.wantOnScreen(c.want)
			if sent := b.engine.commands(); len(sent) != 0 {
				t.Errorf("sent %v", sent)
			}
		})
	}
}

func TestKeysTypedFastAllCount(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(agenttest.Story())
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("[[[")})
	b.wantOnScreen("viewing turn 3 of 6")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("/shfl")})
	b.wantOnScreen("find in the kernel", "shfl")
}

func TestUnknownKeysDoNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(agenttest.Story())
	b.press("Z")
	before := b.View()
	b.press("Z", "%", "é", "right")
	b.press("left")
	if b.View() != before {
		t.Error("an unknown key changed the screen")
	}
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("nnnqqq"), Paste: true})
	if b.View() != before || len(b.engine.commands()) != 0 {
		t.Error("pasted text acted as keys")
	}
}

func TestStopTakesTwoPresses(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"x", "ctrl+c"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 120, 40, term.Profile{})
			b.openSoftmax(until(4, agent.KindTextDelta, 20))
			b.press(key)
			b.wantOnScreen("press " + key + " again to stop turn 4")
			b.now = b.now.Add(armed + time.Millisecond)
			b.send(disarmMsg{})
			b.wantNotOnScreen("again to stop")
			b.press(key)
			if len(b.engine.commands()) != 0 {
				t.Fatal("two presses far apart stopped the turn")
			}
			b.press(key)
			if sent := b.engine.commands(); len(sent) != 1 || sent[0].Action != agent.ActionStop {
				t.Fatalf("sent %v, want one stop", sent)
			}
		})
	}
}

func TestLeavingARunningTurnAsks(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(until(4, agent.KindTextDelta, 20))
	b.press("q", "y")
	if b.dialog == nil || b.engine.closed != 0 {
		t.Fatal("a key typed ahead answered the question")
	}
	b.now = b.now.Add(time.Second)
	b.press("enter")
	if b.dialog != nil || b.screen != keys.Refine || b.engine.closed != 0 {
		t.Fatal("enter has to mean no")
	}
	b.press("q")
	b.now = b.now.Add(time.Second)
	b.press("y")
	if b.screen != keys.Browse || b.engine.closed != 1 {
		t.Fatalf("screen %v, closed %d times", b.screen, b.engine.closed)
	}
}

func TestQuitWaitsForTheRecord(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(until(4, agent.KindTurnEnded, 1))
	b.engine.err = errors.New("record is incomplete: disk full")
	_, cmd := b.Update(keyMsg("ctrl+c"))
	b.run(cmd)
	b.wantOnScreen("press ctrl+c again to quit")
	_, cmd = b.Update(keyMsg("ctrl+c"))
	if b.quit || b.engine.closed != 0 {
		t.Fatal("it quit before the session was closed")
	}
	b.wantOnScreen("completing the record")
	b.run(cmd)
	if !b.quit || b.engine.closed != 1 || b.Err() == nil {
		t.Errorf("quit %v, closed %d times, error %v", b.quit, b.engine.closed, b.Err())
	}
}

func TestStaleMessagesAreDropped(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(until(1, agent.KindTurnEnded, 1))
	before := b.View()
	old := b.refine.generation - 1
	for _, msg := range []tea.Msg{
		eventsMsg{generation: old, events: agenttest.Story()},
		colouredMsg{generation: old, turn: 1, kernel: []string{"x"}},
		proseMsg{generation: old, turn: 1, rows: []string{"x"}},
		tickMsg{old}, comparedMsg{generation: -1}, loadedMsg{generation: old},
	} {
		b.send(msg)
		if b.View() != before {
			t.Errorf("%T of an older session changed the screen", msg)
		}
	}
	other := newEngine()
	b.send(openedMsg{generation: old, live: other})
	if other.closed != 1 {
		t.Error("a session that nobody waits for was not closed")
	}
}

func TestIdleAsksForNoTicks(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	ticks := 0
	b.after = func(time.Duration, tea.Msg) tea.Cmd { ticks++; return nil }
	b.openSoftmax(until(1, agent.KindTurnEnded, 1))
	ticks = 0
	b.send(tickMsg{b.refine.generation})
	if ticks != 0 {
		t.Error("an idle session goes on ticking")
	}
	more := until(2, agent.KindTextDelta, 3)
	b.play(more[len(until(1, agent.KindTurnEnded, 1)):], 1)
	if ticks != 1 {
		t.Errorf("a turn began with %d ticks, want one chain", ticks)
	}
	b.send(tickMsg{b.refine.generation})
	if ticks != 2 {
		t.Error("a running turn stopped ticking")
	}
}

func TestReaderIsNotMoved(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(agenttest.Story()[:3])
	b.play(longReply(80), 1)
	b.press("ctrl+u")
	top := func() string { return strings.Split(b.screenText(), "\n")[2] }
	before := top()
	delta := agent.Event{Kind: agent.KindTextDelta, Turn: 1, Data: &agent.TextDelta{Text: "int a;\nint b;\n"}}
	b.play([]agent.Event{delta, delta}, 1)
	if top() != before {
		t.Errorf("growth moved the reader from %q to %q", before, top())
	}
	b.wantOnScreen("4 new below")
	b.press("G")
	b.wantNotOnScreen("new below")
	b.wantOnScreen("int b;", "following")
}

func TestReadGathersTextAndHurriesVerdicts(t *testing.T) {
	t.Parallel()
	e := newEngine()
	delta := agent.Event{Kind: agent.KindTextDelta, Data: &agent.TextDelta{Text: "x"}}
	verdict := agent.Event{Kind: agent.KindEvaluated, Data: &agent.Evaluated{}}
	for range 500 {
		e.events <- delta
	}
	e.events <- verdict
	msg := readCmd(context.Background(), e, 3)().(eventsMsg)
	if len(msg.events) != 501 || msg.generation != 3 || msg.ended {
		t.Errorf("read %d events, generation %d, ended %v", len(msg.events), msg.generation, msg.ended)
	}
	e.events <- delta
	close(e.events)
	msg = readCmd(context.Background(), e, 3)().(eventsMsg)
	if len(msg.events) != 1 || !msg.ended {
		t.Errorf("read %d events, ended %v", len(msg.events), msg.ended)
	}
	over, end := context.WithCancel(context.Background())
	end()
	if msg := readCmd(over, newEngine(), 3)(); msg != nil {
		t.Errorf("a program that ends reads %v", msg)
	}
}

func TestLongStreamStaysCheap(t *testing.T) {
	t.Parallel()
	b := newBench(t, 200, 60, term.Profile{Colour: term.Colour16})
	b.openSoftmax(agenttest.Story()[:3])
	b.play(longReply(12_000), 1)
	for i := range 30_000 {
		b.refine.log.add(agent.Event{Kind: agent.KindNoticed, Mono: time.Duration(i), Data: &agent.Noticed{Text: "line"}})
	}
	if n := len(b.refine.log.entries); n > 2*maxLog {
		t.Errorf("the log keeps %d lines", n)
	}
	b.press("L")
	checkFrame(t, b.View(), 200, 60)
	meter := &b.refine.sheet(1).meter
	for range 10_000 {
		meter.add(b.now, 4)
		b.now = b.now.Add(10 * time.Millisecond)
	}
	if n := len(meter.samples); n > 500 {
		t.Errorf("the meter keeps %d samples", n)
	}
}

func TestCopyIsRawAndSaysWhere(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{Colour: term.TrueColour})
	b.openSoftmax(until(2, agent.KindTurnEnded, 1))
	b.press("y")
	b.wantOnScreen("kernel of turn 2: saved to /runs/kernel.cu")
	b.press("Y")
	b.press("d", "y")
	if len(b.copied) != 3 || b.copied[0] != agenttest.Kernel(2) {
		t.Fatalf("copied %d texts, the first %q", len(b.copied), b.copied[0])
	}
	if !strings.Contains(b.copied[1], "y[256, 0]") || ansi.Strip(b.copied[1]) != b.copied[1] {
		t.Errorf("copied the verdict as %q", b.copied[1])
	}
	if !strings.HasPrefix(b.copied[2], "--- turn1/kernel.cu\n+++ turn2/kernel.cu\n@@ -") {
		t.Errorf("copied the patch as %q", b.copied[2])
	}
}

func TestFailedOpenReturnsToTheTasks(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.run(b.open(agenttest.Task()))
	b.send(openedMsg{generation: b.generation, err: errors.New("no compiler: install g++")})
	if b.screen != keys.Browse {
		t.Error("the screen of a session that never was stays")
	}
	b.wantOnScreen("no compiler: install g++")
}
