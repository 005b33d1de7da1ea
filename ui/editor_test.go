package ui

import (
	"strings"
	"testing"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/agent/prompt"
	"example.com/hone/ui/term"
)

func TestEditingOnScreen(t *testing.T) {
	t.Parallel()
	kernel := agenttest.Kernel(4)
	for name, c := range map[string]struct {
		keys []string
		sent string // the kernel, "" for none
		has  string
	}{
		"a line on top":      {[]string{"E", "/", "/", "enter", "ctrl+x"}, "//\n" + kernel, ""},
		"a tab":              {[]string{"E", "tab", "ctrl+x"}, "    " + kernel, ""},
		"nothing":            {[]string{"E", "ctrl+x"}, "", "nothing was changed"},
		"left untouched":     {[]string{"E", "esc"}, "", "n next"},
		"left with changes":  {[]string{"E", "x", "esc"}, "", "drop the edit?"},
		"dropped":            {[]string{"E", "x", "esc", "wait", "y"}, "", "n next"},
		"kept, then done":    {[]string{"E", "x", "esc", "wait", "n", "ctrl+x"}, "x" + kernel, ""},
		"enter keeps it too": {[]string{"E", "x", "esc", "wait", "enter", "ctrl+x"}, "x" + kernel, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 120, 40, term.Profile{})
			b.openSoftmax(until(4, agent.KindTurnEnded, 1))
			for _, key := range c.keys {
				if key == "wait" {
					b.now = b.now.Add(2 * grace)
					continue
				}
				b.press(key)
			}
			sent := b.engine.commands()
			switch {
			case c.sent == "" && len(sent) > 0:
				t.Errorf("sent %+v", sent)
			case c.sent != "" && (len(sent) != 1 || sent[0].Action != agent.ActionEdit || sent[0].Turn != 4 || sent[0].Kernel != c.sent):
				t.Errorf("sent %+v, want %q", sent, c.sent)
			}
			b.wantOnScreen(c.has)
		})
	}
}

func TestWithoutAnEditorTheKeyEditsOnScreen(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.Editor = nil
	b.openSoftmax(until(4, agent.KindTurnEnded, 1))
	b.press("e")
	b.wantOnScreen("edit the kernel of turn 4", "ctrl+x done")
}

func TestEditingThePromptOnScreen(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(until(4, agent.KindTurnEnded, 1))
	b.press("P", "P")
	draft := drafted(4)
	b.hear(draft)
	asked := len(b.engine.commands())
	b.press("E")
	b.wantOnScreen("edit the prompt to be sent")
	b.press("down", "A", "ctrl+x")
	sent := b.engine.commands()[asked:]
	if len(sent) != 1 || sent[0].Action != agent.ActionSend || sent[0].Turn != 4 {
		t.Fatalf("sent %+v", sent)
	}
	if _, err := prompt.Parse(sent[0].Prompt); err != nil || !strings.Contains(sent[0].Prompt, "\nA") {
		t.Errorf("sent %q, %v", sent[0].Prompt, err)
	}
}

func TestUntouchedLinesKeepTheirBytes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, shown, after, want string }{
		"nothing was lost": {"a\nb", "a\nb", "a\nc", "a\nc"},
		"tabs stay":        {"\ta\n\tb", "    a\n    b", "    a\n    c", "\ta\n    c"},
		"a line more":      {"\ta\nb", "    a\nb", "x\n    a\nb", "x\n\ta\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := untouched(c.before, c.shown, c.after); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAKernelIsWrittenWhereThereIsNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dialect   string
		reference string
		want      string // what is in the editor
	}{
		"CUDA C++": {"cuda", "", "#include <cuda_runtime.h>\n#include <cstdint>\n\n" +
			`extern "C" void solve(const float* x, float* y, int64_t n)` + "\n{\n}\n"},
		"Python": {
			"torch", "class Model(nn.Module):\n    \"\"\"A Model.\"\"\"\n    def __init__(self):\n        super(Model, self).__init__()\n",
			"class ModelNew(nn.Module):\n    \"\"\"A Model.\"\"\"\n    def __init__(self):\n        super(ModelNew, self).__init__()\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 120, 40, term.Profile{})
			b.openSoftmax(agenttest.Story()[:3])
			b.refine.state.Session.Dialect = c.dialect
			b.refine.state.Task.Signature = `extern "C" void solve(const float* x, float* y, int64_t n);`
			b.refine.state.Task.Reference = c.reference
			b.press("E")
			if got := b.dialog.text(); got != c.want {
				t.Fatalf("the editor holds %q, want %q", got, c.want)
			}
			b.wantOnScreen("write a kernel; esc drops it")
			b.write("// mine\n")
			b.press("ctrl+x")
			sent := b.engine.commands()
			if len(sent) != 1 || sent[0].Action != agent.ActionEdit || !strings.Contains(sent[0].Kernel, "// mine") {
				t.Errorf("sent %+v", sent)
			}
		})
	}
}

func TestNothingIsWrittenBeforeTheSignatureIsKnown(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"e", "E"} {
		b := newBench(t, 120, 40, term.Profile{})
		b.openSoftmax(agenttest.Story()[:3])
		b.refine.state.Task.Signature = ""
		b.press(key)
		b.wantOnScreen("the signature of a kernel is not known yet")
	}
}

func TestALongTextIsForAnEditor(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(until(4, agent.KindTurnEnded, 1))
	b.editHere(draftMsg{before: strings.Repeat("x\n", maxEdited)})
	b.wantOnScreen("longer than 5000 lines: set EDITOR")
}

func TestTheEditorFitsEveryScreen(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(until(4, agent.KindTurnEnded, 1))
	b.press("E", "end")
	for _, at := range []size{{60, 15}, {80, 24}, {200, 60}} {
		b.resize(at.w, at.h)
		checkFrame(t, b.View(), at.w, at.h)
	}
}
