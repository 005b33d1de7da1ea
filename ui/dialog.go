package ui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/ui/keys"
	"example.com/hone/ui/theme"
)

// dialog is a question docked above the action bar. With a field it takes text,
// without one a yes or no. It takes every key while it is open.
type dialog struct {
	title   string
	about   []string // what a person should know before answering
	field   *field
	choice  *choice // the field narrows it; nil: it is just a text
	editor  bool    // the field holds a whole text: enter is a line, spaces count
	opened  time.Time
	done    func(text string) tea.Cmd // the text was sent, or yes was said
	changed func(text string)         // after each key; may be nil
	closed  func()                    // it was left without an answer; may be nil
}

// grace is how long a new question ignores keys: they were typed before it was
// seen.
const grace = 300 * time.Millisecond

// askText opens a text dialog of some rows.
func (m *Model) askText(title, placeholder string, rows int, done func(string) tea.Cmd) *dialog {
	f := newField(m.Theme, placeholder, fieldWidth(m.width), rows)
	m.dialog = &dialog{title: title, field: f, opened: m.Clock(), done: done}
	return m.dialog
}

func fieldWidth(w int) int { return max(2, w-4) }

// askChoice opens a list that typing narrows; done takes the name of the marked row.
func (m *Model) askChoice(title string, c *choice, done func(name string) tea.Cmd) {
	d := m.askText(title, "up and down move, typing narrows the list", 1, func(string) tea.Cmd { return done(c.marked()) })
	d.choice, d.changed = c, c.narrow
}

// askYes opens a question; only an explicit yes does anything.
func (m *Model) askYes(title string, about []string, done func() tea.Cmd) {
	m.dialog = &dialog{title: title, about: about, opened: m.Clock(), done: func(string) tea.Cmd { return done() }}
}

func (d *dialog) screen() keys.Screen {
	if d.editor {
		return keys.Editor
	}
	if d.choice != nil {
		return keys.Choice
	}
	if d.field != nil {
		return keys.Prompt
	}
	return keys.Confirm
}

// view is the dialog's rows, w cells wide.
func (d *dialog) view(th theme.Theme, w int) []string {
	out := []string{titleRule(th, d.title+d.where(), true, w)}
	for _, line := range d.about {
		out = append(out, th.Fit("  "+line, w))
	}
	if d.choice != nil {
		for _, row := range d.choice.view(th) {
			out = append(out, th.Fit("  "+row, w))
		}
	}
	if d.field != nil {
		for _, row := range d.field.view() {
			out = append(out, th.Fit("  "+row, w))
		}
	}
	return out
}

// dialogKey gives a key to the open dialog.
func (m *Model) dialogKey(k tea.KeyMsg) tea.Cmd {
	d := m.dialog
	if d.field == nil && m.Clock().Sub(d.opened) < grace {
		return nil
	}
	action, known := keys.Lookup(d.screen(), k.String())
	if k.Paste {
		known = false
	}
	switch {
	case known && (action == keys.Close || action == keys.No || action == keys.Interrupt):
		m.dialog = nil
		if d.closed != nil {
			d.closed()
		}
		return nil
	case known && (action == keys.Submit || action == keys.Yes):
		m.dialog = nil
		return d.done(d.text())
	case known && action == keys.NewLine:
		d.field.insert("\n")
		return nil
	case known && action == keys.Down:
		d.choice.move(1)
		return nil
	case known && action == keys.Up:
		d.choice.move(-1)
		return nil
	case d.field == nil:
		return nil
	case d.editor && k.Type == tea.KeyTab:
		d.field.insert("    ")
		return nil
	}
	d.field.press(k)
	if d.changed != nil {
		d.changed(d.text())
	}
	return nil
}

func (d *dialog) text() string {
	if d.field == nil {
		return ""
	}
	if d.editor {
		return d.field.value()
	}
	return strings.TrimSpace(d.field.value())
}
