package ui

import (
	"fmt"
	"regexp"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
	"example.com/hone/agent/prompt"
	"example.com/hone/ui/code"
	"example.com/hone/ui/theme"
)

// maxEdited is the most lines that are edited here; an editor takes longer texts.
const maxEdited = 5000

// toEdit is what the edit keys are about: the prompt to be sent where that is on
// screen, else the kernel.
func (r *refine) toEdit() draftMsg {
	if d := r.editing(); d != nil {
		return draftMsg{generation: r.generation, turn: d.Parent, prompt: true, before: prompt.Text(d.Prompt.Messages)}
	}
	t := r.turn()
	if t == nil || t.Kernel() == "" {
		return draftMsg{generation: r.generation, turn: r.number(), fresh: true, before: r.blank()}
	}
	return draftMsg{generation: r.generation, turn: t.Number, line: firstError(t), before: t.Kernel()}
}

// declares says whether it is known what an answer has to define.
func (r *refine) declares() bool {
	return r.state.Task.Signature != "" || r.language() == code.Python && r.state.Task.Reference != ""
}

// blank is what a kernel begins with where there is none to edit: the signature
// to be filled in, or the reference under the name of an answer.
func (r *refine) blank() string {
	if r.language() == code.Python {
		return answerClass.ReplaceAllString(r.state.Task.Reference, "${1}ModelNew")
	}
	declared := strings.TrimSuffix(strings.TrimSpace(r.state.Task.Signature), ";")
	return "#include <cuda_runtime.h>\n#include <cstdint>\n\n" + declared + "\n{\n}\n"
}

// answerClass is where a reference names its module.
var answerClass = regexp.MustCompile(`(\bclass |\bsuper\()Model\b`)

// edit opens the person's editor, or a text field where none is known.
func (m *Model) edit() tea.Cmd {
	draft := m.refine.toEdit()
	if len(m.Editor) == 0 {
		return m.editHere(draft)
	}
	return draftCmd(draft, pick(draft.prompt, "prompt.txt", m.refine.kernelFile()))
}

// editHere edits a text on this screen. What is done with it is the same as if an
// editor had been left.
func (m *Model) editHere(draft draftMsg) tea.Cmd {
	if strings.Count(draft.before, "\n") >= maxEdited {
		m.say(agent.LevelWarn, fmt.Sprintf("the %s is longer than %d lines: set EDITOR and edit it there", draft.what(), maxEdited))
		return nil
	}
	f := newEditor(m.Theme, draft.before, fieldWidth(m.width), editorHeight(m.height), draft.line)
	shown := f.value()
	d := &dialog{title: editTitle(draft), field: f, editor: true, opened: m.Clock()}
	d.done = func(text string) tea.Cmd {
		return m.edited(editedMsg{draftMsg: draft, after: untouched(draft.before, shown, text)})
	}
	d.closed = func() {
		if f.value() != shown {
			m.askDrop(d)
		}
	}
	m.dialog = d
	return nil
}

func editTitle(draft draftMsg) string {
	if draft.prompt {
		return "edit the prompt to be sent; esc leaves it as it was"
	}
	if draft.fresh {
		return "write a kernel; esc drops it"
	}
	return fmt.Sprintf("edit the kernel of turn %d; esc leaves it as it was", draft.turn)
}

// askDrop asks before an edit is lost.
func (m *Model) askDrop(d *dialog) {
	m.askYes("drop the edit?", []string{"What you changed is lost."}, func() tea.Cmd { return nil })
	m.dialog.closed = func() { m.dialog = d }
}

// editorHeight leaves a few rows of what is below the editor in sight.
func editorHeight(h int) int { return max(3, h-9) }

// where is the line of the cursor. The widget's own line numbers cut long lines.
func (d *dialog) where() string {
	if !d.editor {
		return ""
	}
	return fmt.Sprintf("; line %d of %d", d.field.area.Line()+1, d.field.area.LineCount())
}

// newEditor is a field for a whole text, at a line of it.
func newEditor(th theme.Theme, text string, width, rows, line int) *field {
	f := newField(th, "", width, rows)
	f.area.CharLimit, f.area.MaxHeight = 0, 2*maxEdited
	f.area.SetHeight(rows)
	f.set(text)
	for f.area.Line() > max(0, line-1) || f.area.LineInfo().RowOffset > 0 {
		f.area.CursorUp()
	}
	f.area.CursorStart()
	f.reveal()
	return f
}

// untouched gives every line that was not changed its old bytes: a text field
// shows tabs as spaces and drops control codes.
func untouched(before, shown, after string) string {
	if before == shown {
		return after
	}
	was := map[string]string{}
	old := strings.Split(before, "\n")
	for i, line := range strings.Split(shown, "\n") {
		if i < len(old) {
			was[line] = old[i]
		}
	}
	lines := strings.Split(after, "\n")
	for i, line := range lines {
		if original, ok := was[line]; ok {
			lines[i] = original
		}
	}
	return strings.Join(lines, "\n")
}
