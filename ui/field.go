package ui

import (
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// field is a text field of a few rows. Its cursor is a reversed cell that does
// not blink, so that nothing moves while a person thinks.
type field struct {
	theme       theme.Theme
	placeholder string
	text        []rune
	at          int // of the cursor in text
	width, rows int
}

// maxField bounds what is typed here; longer text belongs into an editor.
const maxField = 8 << 10

// press handles a key of the field and leaves others alone.
func (f *field) press(k tea.KeyMsg) {
	switch k.String() {
	case "left":
		f.at = max(0, f.at-1)
	case "right":
		f.at = min(len(f.text), f.at+1)
	case "alt+left":
		f.at = f.wordStart()
	case "alt+right":
		f.at = f.wordEnd()
	case "home":
		f.at = f.lineStart()
	case "end", "ctrl+e":
		f.at = f.lineEnd()
	case "up":
		f.climb(-1)
	case "down":
		f.climb(1)
	case "backspace":
		f.cut(f.at-1, f.at)
	case "delete":
		f.cut(f.at, f.at+1)
	case "ctrl+w", "alt+backspace":
		f.cut(f.wordStart(), f.at)
	case "ctrl+u":
		f.cut(f.lineStart(), f.at)
	case "ctrl+k":
		f.cut(f.at, f.lineEnd())
	default:
		if (k.Type == tea.KeyRunes || k.Type == tea.KeySpace) && !k.Alt {
			f.insert(string(k.Runes))
		}
	}
}

// insert adds text at the cursor, as much as there is room for.
func (f *field) insert(s string) {
	add := []rune(term.Clean(strings.ReplaceAll(s, "\r", "\n")))
	add = add[:min(len(add), max(0, maxField-len(f.text)))]
	f.text = append(f.text[:f.at:f.at], append(add, f.text[f.at:]...)...)
	f.at += len(add)
}

func (f *field) cut(from, to int) {
	from, to = max(0, from), min(len(f.text), to)
	f.text = append(f.text[:from:from], f.text[to:]...)
	f.at = from
}

func (f *field) set(s string) {
	f.text, f.at = nil, 0
	f.insert(s)
}

func (f *field) lineStart() int {
	at := f.at
	for at > 0 && f.text[at-1] != '\n' {
		at--
	}
	return at
}

func (f *field) lineEnd() int {
	at := f.at
	for at < len(f.text) && f.text[at] != '\n' {
		at++
	}
	return at
}

func (f *field) wordStart() int {
	at := f.at
	for at > 0 && unicode.IsSpace(f.text[at-1]) {
		at--
	}
	for at > 0 && !unicode.IsSpace(f.text[at-1]) {
		at--
	}
	return at
}

func (f *field) wordEnd() int {
	at := f.at
	for at < len(f.text) && unicode.IsSpace(f.text[at]) {
		at++
	}
	for at < len(f.text) && !unicode.IsSpace(f.text[at]) {
		at++
	}
	return at
}

// climb moves the cursor to the row above or below.
func (f *field) climb(step int) {
	all := f.layout()
	row := f.cursorRow(all)
	to := row + step
	if to < 0 || to >= len(all) {
		return
	}
	f.at = min(all[to].from+f.at-all[row].from, all[to].to)
}

// span is one row of the field: text[from:to].
type span struct{ from, to int }

// layout wraps the text, at spaces where it can.
func (f *field) layout() []span {
	var out []span
	start, space, width := 0, -1, 0
	emit := func(to, next int) {
		out = append(out, span{start, to})
		start, space, width = next, -1, 0
	}
	for i, r := range f.text {
		if r == '\n' {
			emit(i, i+1)
			continue
		}
		if cells := term.Width(string(r)); width+cells > f.width-1 {
			next := pick(space >= start, space+1, i)
			emit(next, next)
			width = term.Width(string(f.text[start:i]))
		}
		width += term.Width(string(r))
		if r == ' ' {
			space = i
		}
	}
	return append(out, span{start, len(f.text)})
}

func (f *field) cursorRow(all []span) int {
	row := 0
	for i, s := range all {
		if s.from <= f.at {
			row = i
		}
	}
	return row
}

// view is exactly f.rows rows, those around the cursor.
func (f *field) view() []string {
	all := f.layout()
	row := f.cursorRow(all)
	top := max(0, row-f.rows+1)
	out := make([]string, f.rows)
	for i := range out {
		if top+i < len(all) {
			out[i] = f.row(all[top+i], top+i == row)
		}
	}
	return out
}

func (f *field) row(s span, cursor bool) string {
	text := f.text[s.from:s.to]
	if !cursor {
		return string(text)
	}
	at := min(f.at-s.from, len(text))
	under, after := " ", ""
	if at < len(text) {
		under, after = string(text[at]), string(text[at+1:])
	}
	row := string(text[:at]) + ansi.Style{}.Reverse(true).Styled(under) + after
	if len(f.text) == 0 {
		row += f.theme.Dim.Render(f.placeholder)
	}
	return row
}
