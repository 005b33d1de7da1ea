package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/hone/agent"
	"example.com/hone/agent/record"
)

// onlyEvents reads the record of the one run in a home.
func (h home) onlyEvents() []agent.Event {
	h.t.Helper()
	runs, err := record.List(h.runs())
	if err != nil || len(runs) != 1 {
		h.t.Fatalf("want one run, have %d (%v)", len(runs), err)
	}
	events, problems, err := record.Read(runs[0].Path)
	if err != nil || len(problems) > 0 {
		h.t.Fatalf("read the record: %v, %v", err, problems)
	}
	return events
}

// script writes an executable file.
func (h home) script(name, text string) string {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// TestSession drives the binary as a person does: four turns of the model, an
// edit, a branch and an accept; then reads the record back and rebuilds the
// same screen from it.
func TestSession(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	editor := h.script("editor", `test -t 0 && test -t 1 && printf '\n// a person was here\n' >> "$1"`)
	term := h.terminal(120, 40, "demo softmax --rate 4000", "EDITOR="+editor)

	term.until("1 ✗ compile error", "ready", "does not compile")
	term.press("n")
	term.until("2 ✗ wrong result", "ready")
	term.press("n")
	term.until("3 ✓ correct", "ready")
	term.press("n")
	term.until("4 ✓ correct", "ready", "emulated on CPU: not a GPU time")
	term.press("e")
	term.until("5 ✓ correct", "edit", "ready")
	term.press("[", "[")
	term.until("turn 3 ─┬")
	term.press("b")
	term.until("6 ", "ready", "turn 6 ─┬")
	term.press("B", "a")
	final := term.until("accepted", "ready")
	kernel := panes(final)
	term.press("q")
	term.until("tasks", "softmax")
	term.press("q")
	term.until("exit 0", "recorded in", "icanon echo end")

	checkRecord(t, h.onlyEvents())

	replay := h.terminalNamed("replay", 120, 40, "runs replay last")
	replay.until("accepted")
	replay.press("B")
	rebuilt := replay.untilTrue("the screen of the session", func(screen string) bool { return panes(screen) == kernel })
	if panes(rebuilt) != kernel {
		t.Errorf("the rebuilt screen differs:\n%s\nwas:\n%s", rebuilt, final)
	}
}

// panes is a screen without its first row, which has the time of day's marks,
// and without the action bar, which differs for a stored run.
func panes(screen string) string {
	rows := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	if len(rows) < 3 {
		return screen
	}
	return strings.Join(rows[1:len(rows)-1], "\n")
}

func checkRecord(t *testing.T, events []agent.Event) {
	t.Helper()
	var s agent.State
	for _, e := range events {
		s.Apply(e)
	}
	if len(s.Turns) != 6 {
		t.Fatalf("the record has %d turns, want 6", len(s.Turns))
	}
	edited, branch := s.Turn(5), s.Turn(6)
	if edited.Source != agent.SourceHuman || !strings.Contains(edited.Kernel(), "a person was here") {
		t.Errorf("turn 5 is no human edit: %+v", edited.TurnStarted)
	}
	if branch.Parent != 3 || branch.Reason != agent.ActionBranch {
		t.Errorf("turn 6 is no branch of turn 3: %+v", branch.TurnStarted)
	}
	if s.Accepted == 0 || s.Accepted != s.Best || s.Turn(s.Accepted).Final == nil {
		t.Errorf("accepted turn %d, best %d: want the best turn accepted after a final check", s.Accepted, s.Best)
	}
	if s.Ended == nil || s.Ended.Reason != "accepted" {
		t.Errorf("the session ended as %+v", s.Ended)
	}
	var actions []agent.Action
	for _, e := range events {
		if d, ok := e.Data.(*agent.HumanActed); ok {
			actions = append(actions, d.Action)
		}
	}
	want := []agent.Action{agent.ActionNext, agent.ActionNext, agent.ActionNext, agent.ActionEdit, agent.ActionBranch, agent.ActionAccept}
	if !slices.Equal(actions, want) {
		t.Errorf("recorded actions %v, want %v", actions, want)
	}
}

// TestGoesOnAlone takes two turns with one key.
func TestGoesOnAlone(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	term := h.terminal(120, 40, "demo softmax --rate 4000")
	term.until("1 ✗ compile error", "ready")
	term.press("C")
	term.until("let the model go on alone")
	term.typeText("2")
	term.press("Enter")
	term.until("2 ✗ wrong result", "3 ✓ correct", "ready")
	term.press("C-c", "C-c")
	term.until("exit 0", "icanon echo end")
	var s agent.State
	for _, e := range h.onlyEvents() {
		s.Apply(e)
	}
	if len(s.Turns) != 3 || s.Turn(3).Parent != 2 {
		t.Errorf("%d turns, the last on turn %d", len(s.Turns), s.Turn(len(s.Turns)).Parent)
	}
}

// TestOneBudgetForAScreen opens two tasks from one screen: the second gets what the
// first left.
func TestOneBudgetForAScreen(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	term := h.terminal(120, 40, "demo softmax --rate 0 --auto 1 --budget-turns 1")
	term.until("1 ✗ compile error", "ready")
	term.press("q")
	term.until("tasks")
	term.press("Enter")
	term.until("the turn budget is used up")
	term.press("C-c", "C-c")
	term.until("exit 0", "icanon echo end")
}

// TestStopTwiceKeepsTheTurn stops a reply half way: the first key asks, the
// second stops, the turn stays and the session goes on.
func TestStopTwiceKeepsTheTurn(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	term := h.terminal(100, 30, "demo softmax --rate 60")
	term.until("writing")
	term.press("x")
	term.until("again")
	term.press("x")
	term.until("stopped")
	term.press("C-c", "C-c")
	term.until("exit 0", "recorded in", "icanon echo end")
	events := h.onlyEvents()
	var s agent.State
	for _, e := range events {
		s.Apply(e)
	}
	if end := s.Turn(1).End; end == nil || end.Outcome != agent.OutcomeStopped {
		t.Errorf("turn 1 ended as %+v, want stopped", end)
	}
	if r := s.Turn(1).Response; r == nil || r.CancelledBy != "human" || r.Complete {
		t.Errorf("the reply was recorded as %+v", r)
	}
}

// TestTerminalIsRestored ends the program in every way there is.
func TestTerminalIsRestored(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, signal, exit string }{
		{"terminate", "TERM", "exit 130"},
		{"hang up", "HUP", "exit 130"},
		{"interrupt", "INT", "exit 130"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			term := h.terminal(80, 24, "demo softmax --rate 60")
			term.until("writing")
			term.tmux("run-shell", "pkill -"+tt.signal+" -P #{pane_pid}")
			screen := term.until(tt.exit, "icanon echo end")
			if !strings.Contains(screen, "recorded in") {
				t.Errorf("nothing says where the record is:\n%s", screen)
			}
			if s := h.onlyEvents(); s[len(s)-1].Kind != agent.KindSessionEnded {
				t.Errorf("the record ends with %s", s[len(s)-1].Kind)
			}
		})
	}
}

// TestSmallTerminal asks for room instead of drawing a broken screen.
func TestSmallTerminal(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	term := h.terminal(40, 10, "demo")
	screen := term.until("60x15")
	if strings.Contains(screen, "kernel") {
		t.Errorf("a screen was drawn all the same:\n%s", screen)
	}
	term.tmux("resize-window", "-t", "hone", "-x", "100", "-y", "30")
	term.until("verdict")
}

// TestNoColour checks that nothing is coloured when a person asks for that.
func TestNoColour(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	term := h.terminal(100, 30, "demo softmax --rate 4000", "NO_COLOR=1")
	term.until("did not compile", "ready")
	if colours := regexp.MustCompile(`\x1b\[[0-9;]*[34][0-9;]*m`).FindAllString(term.tmux("capture-pane", "-e", "-p", "-t", "hone"), 3); colours != nil {
		t.Errorf("colours with NO_COLOR: %q", colours)
	}
}

// TestHintAndReject types a hint, which the next prompt and the record hold word
// for word, and rejects a turn with a reason.
func TestHintAndReject(t *testing.T) {
	t.Parallel()
	const hint, reason = "mind the ragged tail", "not what I asked for"
	h := newHome(t)
	term := h.terminal(100, 30, "demo softmax --rate 4000")
	term.until("did not compile", "ready")
	term.press("h")
	term.until("enter send")
	term.typeText(hint)
	term.until(hint)
	term.press("Enter")
	term.until("turn 2", "ready", "incorrect")
	term.press("R")
	term.until("enter")
	term.typeText(reason)
	term.press("Enter")
	term.untilTrue("the rejection", func(screen string) bool { return !strings.Contains(screen, "reject") })
	term.press("C-c", "C-c")
	term.until("exit 0", "icanon echo end")
	var s agent.State
	for _, e := range h.onlyEvents() {
		s.Apply(e)
	}
	second := s.Turn(2)
	if second.Hint != hint || !strings.Contains(second.Prompt.Messages[0].Content, hint) {
		t.Errorf("the hint went missing: %+v", second.TurnStarted)
	}
	if !second.Rejected || second.Rejection != reason {
		t.Errorf("the rejection went missing: %v %q", second.Rejected, second.Reason)
	}
}

// TestFullDisk goes on in memory when the record's disk is full, says so, and
// does not end with success.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	disk := smallDisk(t)
	out, err := h.command("demo", "--plain", "--rate", "0", "--turns", "4", "--runs", disk).CombinedOutput()
	if err == nil {
		t.Errorf("success without a whole record:\n%s", out)
	}
	for _, want := range []string{"the disk is full", "nothing more is recorded", "turn 4   end: correct", "record of session"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

// TestNoRecord names the cause when a record cannot even be begun.
func TestNoRecord(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	out, err := h.command("demo", "--plain", "--turns", "1", "--runs", "/dev/full/runs").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "hone: open the record") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// TestOneJudgeForAllSessions leaves a turn while it is judged and opens another
// task: the judge drops the one and serves the other.
func TestOneJudgeForAllSessions(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	term := h.terminal(120, 40, "demo softmax --rate 0")
	term.untilTrue("the judging of a turn", func(screen string) bool {
		return strings.Contains(screen, "compiling") || strings.Contains(screen, "did not compile")
	})
	term.press("q")
	term.untilTrue("a question, or the tasks", func(screen string) bool {
		return strings.Contains(screen, "leave while a turn runs?") || strings.Contains(screen, "sorted by level")
	})
	if strings.Contains(term.screen(), "leave while a turn runs?") {
		term.untilTrue("the tasks", func(screen string) bool {
			term.press("y") // counts only once the question has been on screen for a moment
			return strings.Contains(screen, "sorted by level")
		})
	}
	term.press("j", "Enter")
	term.until("ready", "✓ rules", "emulated on CPU")
	term.press("C-c", "C-c")
	term.until("exit 0", "icanon echo end")
	runs, err := record.List(h.runs())
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs, want 2 (%v)", len(runs), err)
	}
	for _, r := range runs {
		if r.Device != "CPU emulation" || !r.Emulated || r.Stopped == "" {
			t.Errorf("run of %s on %q, emulated %v, ended %q", r.Task, r.Device, r.Emulated, r.Stopped)
		}
	}
}
