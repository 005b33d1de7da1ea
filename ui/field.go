package ui

import (
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/textarea"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// field is a text field of a few rows. Its cursor does not blink, so that
// nothing moves while a person thinks.
type field struct {
	area textarea.Model
}

// maxField bounds what is typed here; longer text belongs into an editor.
const maxField = 8 << 10

func newField(th theme.Theme, placeholder string, width, rows int) *field {
	f := &field{textarea.New()}
	f.area.Prompt, f.area.EndOfBufferCharacter, f.area.ShowLineNumbers = "", ' ', false
	f.area.Placeholder, f.area.CharLimit = placeholder, maxField
	f.area.Cursor.SetMode(cursor.CursorStatic)
	f.paint(th)
	f.area.SetWidth(width)
	f.area.SetHeight(rows)
	f.area.Focus()
	return f
}

// paint gives the widget the theme's colours. The cursor is reversed here, since
// lipgloss drops attributes where there is no colour.
func (f *field) paint(th theme.Theme) {
	plain := lipgloss.NewStyle()
	style := textarea.Style{
		Base: plain, CursorLine: plain, CursorLineNumber: plain, EndOfBuffer: plain,
		LineNumber: plain, Prompt: plain, Text: plain, Placeholder: th.Dim.Lipgloss(),
	}
	f.area.FocusedStyle, f.area.BlurredStyle = style, style
	f.area.Cursor.TextStyle = plain
	f.area.Cursor.Style = plain.Transform(func(s string) string { return ansi.Style{}.Reverse(true).Styled(s) })
}

// press gives the field a key, or text that was pasted.
func (f *field) press(k tea.KeyMsg) {
	if k.Type == tea.KeyRunes {
		k.Runes = []rune(term.Clean(strings.ReplaceAll(string(k.Runes), "\r", "\n")))
	}
	f.area, _ = f.area.Update(k)
	f.reveal()
}

func (f *field) insert(s string) {
	f.area.InsertString(s)
	f.reveal()
}

func (f *field) set(s string) {
	f.area.SetValue(s)
	f.reveal()
}

func (f *field) setWidth(cells int) {
	f.area.SetWidth(cells)
	f.reveal()
}

// reveal scrolls to the cursor. The widget does that in its Update alone, and
// only as far as the text that it has drawn.
func (f *field) reveal() {
	f.area.View()
	f.area, _ = f.area.Update(nil)
}

func (f *field) value() string { return f.area.Value() }

func (f *field) view() []string { return strings.Split(f.area.View(), "\n") }
