package ui

import (
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/textarea"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"example.com/hone/ui/keys"
	"example.com/hone/ui/theme"
)

// dialog is a question docked above the action bar. With an area it takes text,
// without one a yes or no. It takes every key while it is open.
type dialog struct {
	title   string
	about   []string // what a person should know before answering
	area    *textarea.Model
	opened  time.Time
	done    func(text string) tea.Cmd // the text was sent, or yes was said
	changed func(text string)         // after each key; may be nil
	closed  func()                    // it was left without an answer; may be nil
}

const (
	// grace is how long a new question ignores keys: they were typed before it
	// was seen.
	grace = 300 * time.Millisecond
	// maxText bounds what is typed here; longer text belongs into an editor.
	maxText = 8 << 10
)

// askText opens a text dialog of some rows.
func (m *Model) askText(title, placeholder string, rows int, done func(string) tea.Cmd) *dialog {
	area := textarea.New()
	area.Placeholder, area.ShowLineNumbers, area.CharLimit = placeholder, false, maxText
	area.Prompt, area.EndOfBufferCharacter = "", ' '
	area.Cursor.SetMode(cursor.CursorStatic)
	styleArea(&area, m.Theme)
	area.SetWidth(max(1, m.width-4))
	area.SetHeight(rows)
	area.Focus()
	m.dialog = &dialog{title: title, area: &area, opened: m.Clock(), done: done}
	return m.dialog
}

// askYes opens a question; only an explicit yes does anything.
func (m *Model) askYes(title string, about []string, done func() tea.Cmd) {
	m.dialog = &dialog{title: title, about: about, opened: m.Clock(), done: func(string) tea.Cmd { return done() }}
}

// styleArea gives the widget the theme's colours. The cursor is reversed by
// itself, since lipgloss drops attributes where there is no colour.
func styleArea(area *textarea.Model, th theme.Theme) {
	plain := lipgloss.NewStyle()
	style := textarea.Style{
		Base: plain, CursorLine: plain, CursorLineNumber: plain, EndOfBuffer: plain,
		LineNumber: plain, Prompt: plain, Text: plain, Placeholder: th.Dim.Lipgloss(),
	}
	area.FocusedStyle, area.BlurredStyle = style, style
	reverse := ansi.Style{}.Reverse(true)
	area.Cursor.Style = plain.Transform(func(s string) string { return reverse.Styled(s) })
	area.Cursor.TextStyle = plain
}

func (d *dialog) screen() keys.Screen {
	if d.area != nil {
		return keys.Prompt
	}
	return keys.Confirm
}

// view is the dialog's rows, w cells wide.
func (d *dialog) view(th theme.Theme, w int) []string {
	out := []string{titleRule(th, d.title, true, "", w)}
	for _, line := range d.about {
		out = append(out, th.Fit("  "+line, w))
	}
	if d.area != nil {
		for _, row := range strings.Split(d.area.View(), "\n") {
			out = append(out, th.Fit("  "+row, w))
		}
	}
	return out
}

// dialogKey gives a key to the open dialog.
func (m *Model) dialogKey(k tea.KeyMsg) tea.Cmd {
	d := m.dialog
	if d.area == nil && m.Clock().Sub(d.opened) < grace {
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
		d.area.InsertString("\n")
		return nil
	case d.area == nil:
		return nil
	}
	area, cmd := d.area.Update(k)
	*d.area = area
	if d.changed != nil {
		d.changed(d.text())
	}
	return cmd
}

func (d *dialog) text() string {
	if d.area == nil {
		return ""
	}
	return strings.TrimSpace(d.area.Value())
}
