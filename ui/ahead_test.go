package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hone/agent"
	"example.com/hone/agent/prompt"
	"example.com/hone/ui/term"
)

// drafted is what a session answers when it is asked for the prompt after a turn.
func drafted(parent int) agent.Event {
	return agent.Event{Kind: agent.KindPromptDrafted, Turn: parent, Data: &agent.PromptDrafted{
		Parent: parent, Prompt: agent.PromptBuilt{Tokens: 812, DroppedTurns: []int{1}, Messages: []prompt.Message{
			{Role: "system", Content: "You write kernels by hand."},
			{Role: "user", Content: "Here are your earlier attempts.\n\nStart your reasoning over."},
		}},
	}}
}

// hear lets one event happen now.
func (b *bench) hear(e agent.Event) {
	b.t.Helper()
	e.Time = b.now
	b.play([]agent.Event{e}, 1)
}

func TestThePromptIsShownBeforeItIsSent(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(until(4, agent.KindTurnEnded, 1))
	b.press("P")
	b.wantOnScreen("Write a faster kernel for this task.", "turn 4")
	b.press("P", "j", "k")
	if sent := b.engine.commands(); len(sent) != 1 || sent[0] != (agent.Command{Action: agent.ActionPrompt, Turn: 4}) {
		t.Fatalf("sent %v, want the prompt after turn 4 to be asked for once", sent)
	}
	b.hear(drafted(4))
	b.wantOnScreen("You write kernels by hand.", "Start your reasoning over.", "not sent yet", "about 812 tokens, 1 left out")
	b.wantNotOnScreen("Write a faster kernel for this task.")

	b.press("[")
	if sent := b.engine.commands(); len(sent) != 2 || sent[1].Turn != 3 {
		t.Errorf("sent %v, want the prompt after turn 3 to be asked for", sent)
	}
	b.wantNotOnScreen("You write kernels by hand.")
	b.press("P")
	b.wantNotOnScreen("not sent yet")
}

func TestTheFirstPromptIsShownToo(t *testing.T) {
	t.Parallel()
	b := newBench(t, 80, 24, term.Profile{})
	b.openSoftmax(until(1, agent.KindTurnStarted, 1)[:3])
	b.press("P")
	b.hear(drafted(0))
	b.wantOnScreen("You write kernels by hand.", "not sent yet")
}

func TestANewTurnEndsTheShowing(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	before := until(3, agent.KindTurnEnded, 1)
	b.openSoftmax(before)
	b.press("P", "P")
	b.hear(drafted(3))
	b.play(until(4, agent.KindTextDelta, 20)[len(before):], 5)
	b.wantOnScreen("Write a faster kernel for this task.")
	b.wantNotOnScreen("not sent yet")
	b.press("P")
	b.wantNotOnScreen("Write a faster kernel for this task.")
}

func TestAPromptIsEditedAndSent(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(until(4, agent.KindTurnEnded, 1))
	b.press("P", "P")
	b.hear(drafted(4))
	d := b.refine.editing()
	if d == nil {
		t.Fatal("the edit key is not about the prompt")
	}
	msg, _ := b.edit()().(draftMsg)
	defer os.RemoveAll(filepath.Dir(msg.path))
	text, err := os.ReadFile(msg.path)
	if err != nil || string(text) != prompt.Text(d.Prompt.Messages) || filepath.Base(msg.path) != "prompt.txt" {
		t.Fatalf("the editor would get %q in %s, %v", text, msg.path, err)
	}
	after := strings.Replace(string(text), "by hand", "with care", 1)
	b.send(editedMsg{msg, after})
	sent := b.engine.commands()
	last := sent[len(sent)-1]
	if last.Action != agent.ActionSend || last.Turn != 4 || last.Prompt != after {
		t.Errorf("sent %+v", last)
	}
}

func TestEditsOfPromptsThatComeToNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		msg  editedMsg
		want string
	}{
		{"unchanged", editedMsg{draftMsg{prompt: true, before: "a"}, "a"}, "so nothing is sent: n sends it as it is"},
		{"failed", editedMsg{draftMsg{prompt: true, before: "a", err: os.ErrPermission}, "b"}, "the prompt is unchanged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 120, 40, term.Profile{})
			b.openSoftmax(until(4, agent.KindTurnEnded, 1))
			tt.msg.generation = b.refine.generation
			b.send(tt.msg)
			b.wantOnScreen(tt.want)
			if sent := b.engine.commands(); len(sent) != 0 {
				t.Errorf("sent %v", sent)
			}
		})
	}
}

func TestAPromptIsNotAskedForWhereNoneCanBeSent(t *testing.T) {
	t.Parallel()
	stored := newBench(t, 120, 40, term.Profile{})
	stored.run(stored.show("01KB7XQ0A9J4S2V6W8Y0Z1C3E5"))
	running := newBench(t, 120, 40, term.Profile{})
	running.openSoftmax(until(4, agent.KindTextDelta, 20))
	for name, b := range map[string]*bench{"a stored run": stored, "a turn is running": running} {
		b.press("P")
		b.wantOnScreen("Write a faster kernel for this task.")
		b.press("P")
		b.wantNotOnScreen("Write a faster kernel for this task.", "not sent yet")
		if sent := b.engine.commands(); len(sent) != 0 {
			t.Errorf("%s: sent %v", name, sent)
		}
	}
}
