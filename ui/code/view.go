package code

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// MarkKind says why a line is marked.
type MarkKind int

// The kinds of mark.
const (
	MarkError MarkKind = iota
	MarkWarning
	MarkNote  // such as the line of the worst mismatch
	MarkFound // holds the text that was searched for
)

// Mark is a sign beside a line, with a message below it where Text is not empty.
type Mark struct {
	Kind MarkKind
	Text string
}

// Options says how a window is drawn.
type Options struct {
	LineNumbers bool
	XOffset     int  // cells that are panned away on the left
	Wrap        bool // long lines continue on the next row; XOffset does not matter then
	Marks       map[int]Mark
}

// maxMessage is the most rows that the message of a mark takes.
const maxMessage = 3

// View draws the lines from top on, counted from 0, in exactly height rows of
// width cells. Marks are found by line number, from 1 as compilers count.
func (b *Buffer) View(top, height, width int, o Options) []string {
	rows := make([]string, 0, max(0, height))
	for i := max(0, top); i < b.Len() && len(rows) < height; i++ {
		rows = append(rows, b.rows(i, height-len(rows), width, o)...)
	}
	for len(rows) < height {
		rows = append(rows, strings.Repeat(" ", max(0, width)))
	}
	return rows[:max(0, height)]
}

// End returns the top from which View shows the last line on its last row.
func (b *Buffer) End(height, width int, o Options) int {
	top := b.Len()
	for left := height; top > 0; top-- {
		left -= b.height(top-1, height, width, o)
		if left < 0 {
			return min(top, b.Len()-1)
		}
	}
	return 0
}

// height is the number of rows of line i.
func (b *Buffer) height(i, limit, width int, o Options) int {
	if _, marked := o.Marks[i+1]; !marked && !o.Wrap {
		return 1
	}
	return len(b.rows(i, limit, width, o))
}

// rows draws line i and its message in at most limit rows.
func (b *Buffer) rows(i, limit, width int, o Options) []string {
	mark, marked := o.Marks[i+1]
	gutter, blank := "", ""
	if o.LineNumbers {
		gutter = b.gutter(i, mark, marked)
		blank = strings.Repeat(" ", b.gutterWidth())
	}
	var rows []string
	for n, part := range b.parts(i, limit, width-len(blank), o) {
		if n == 0 {
			rows = append(rows, b.theme.Fit(gutter+part, width))
			continue
		}
		rows = append(rows, b.theme.Fit(blank+part, width))
	}
	if marked && mark.Text != "" {
		rows = append(rows, b.message(mark, blank, width)...)
	}
	return rows
}

// parts cuts line i to what its rows show.
func (b *Buffer) parts(i, limit, width int, o Options) []string {
	line := b.Line(i)
	cells := max(0, o.XOffset) + width
	if o.Wrap {
		cells = limit * width
	}
	text := line.Styled
	if len(line.Raw) > maxLine {
		text = prefix(line.Raw, cells)
	}
	if !o.Wrap {
		return []string{term.Shift(text, o.XOffset)}
	}
	if term.Width(text) <= width || width <= 0 {
		return []string{text}
	}
	parts := term.Wrap(text, width)
	return parts[:min(len(parts), max(1, limit))]
}

// prefix cuts a huge line, which has no colours, before it is measured: more
// than these bytes a window of so many cells does not show.
func prefix(s string, cells int) string {
	n := 16*max(0, cells) + 64
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func (b *Buffer) digits() int { return max(3, len(fmt.Sprint(b.Len()))) }

// gutterWidth is a sign, the number and two spaces.
func (b *Buffer) gutterWidth() int { return 1 + b.digits() + 2 }

func (b *Buffer) gutter(i int, mark Mark, marked bool) string {
	number := fmt.Sprintf("%*d", b.digits(), i+1)
	if !marked {
		return b.theme.Dim.Render(" "+number) + "  "
	}
	sign, style := b.sign(mark.Kind)
	return style.Render(sign+number) + "  "
}

func (b *Buffer) sign(kind MarkKind) (string, theme.Style) {
	switch kind {
	case MarkError:
		return b.theme.Glyphs.Fail, b.theme.Bad
	case MarkWarning:
		return "!", b.theme.Warn
	case MarkNote:
		return b.theme.Glyphs.Arrow, b.theme.Warn
	}
	return b.theme.Glyphs.Pointer, b.theme.Accent
}

func (b *Buffer) message(mark Mark, blank string, width int) []string {
	_, style := b.sign(mark.Kind)
	lead := b.theme.Glyphs.LastBranch + " "
	room := max(1, width-term.Width(blank)-term.Width(lead))
	var rows []string
	for _, part := range term.Wrap(term.Clean(mark.Text), room) {
		if len(rows) == maxMessage {
			break
		}
		rows = append(rows, b.theme.Fit(blank+style.Render(lead+part), width))
		lead = strings.Repeat(" ", term.Width(lead))
	}
	return rows
}
