package code

import (
	"strings"

	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
	"github.com/charmbracelet/x/ansi"
)

// maxFlush is the most text of one piece that is coloured as it arrives. A
// stream brings a few lines; a whole text at once waits for the pass at its end.
const maxFlush = 8 << 10

// Line is one line of source text, without its line break.
type Line struct {
	Raw    string // as it would be copied
	Styled string // Raw with colours
}

// Buffer is source text that grows. Its invariants: Text is all that was fed,
// cleaned; Styled without its colours is Raw; a line is coloured when it is
// complete and not again, until Recolour replaces the colours of all.
//
// One goroutine owns a Buffer.
type Buffer struct {
	theme   theme.Theme
	lang    Language
	styler  styler
	cleaner term.Cleaner
	lines   []Line          // the complete ones
	open    strings.Builder // the last line, still growing
	at      context         // that the open line begins in
	size    int             // bytes in lines
}

// NewBuffer returns an empty buffer for text of one language.
func NewBuffer(lang Language, th theme.Theme) *Buffer {
	return &Buffer{theme: th, lang: lang, styler: newStyler(lang, th)}
}

// NewBufferOf returns a buffer that holds text, plain until it is recoloured.
func NewBufferOf(text string, lang Language, th theme.Theme) *Buffer {
	b := NewBuffer(Plain, th)
	b.Feed(text)
	b.Close()
	b.lang, b.styler = lang, newStyler(lang, th)
	return b
}

// Feed adds the next piece of the stream, raw as it came.
func (b *Buffer) Feed(piece string) { b.add(b.cleaner.Write(piece)) }

// Close ends the stream: a character that was cut short is replaced, and the
// last line counts as complete.
func (b *Buffer) Close() { b.add(b.cleaner.Flush()) }

func (b *Buffer) add(text string) {
	first := len(b.lines)
	for {
		line, rest, found := strings.Cut(text, "\n")
		b.open.WriteString(line)
		if !found {
			break
		}
		raw := b.open.String()
		b.lines = append(b.lines, Line{Raw: raw, Styled: raw})
		b.size += len(raw) + 1
		b.open.Reset()
		text = rest
	}
	if first < len(b.lines) {
		b.colour(first)
	}
}

// colour styles the complete lines from first on.
func (b *Buffer) colour(first int) {
	fresh := b.lines[first:]
	at := b.at
	var text strings.Builder
	for _, line := range fresh {
		b.at = b.at.after(line.Raw, b.lang)
		text.WriteString(line.Raw)
		text.WriteByte('\n')
	}
	if text.Len() > maxFlush || b.size > maxText || b.styler.lexer == nil {
		return
	}
	for i, row := range b.styler.after(at, text.String())[:len(fresh)] {
		fresh[i].Styled = row
	}
}

// Recolour takes the lines of a [Highlight] of Text. It refuses, and returns
// false, when the text has changed since.
func (b *Buffer) Recolour(rows []string) bool {
	if len(rows) != len(b.lines)+1 || ansi.Strip(rows[len(b.lines)]) != b.open.String() {
		return false
	}
	for i, line := range b.lines {
		if ansi.Strip(rows[i]) != line.Raw {
			return false
		}
	}
	for i := range b.lines {
		b.lines[i].Styled = rows[i]
	}
	return true
}

// Text is all the text, as it would be copied.
func (b *Buffer) Text() string {
	var out strings.Builder
	out.Grow(b.size + b.open.Len())
	for _, line := range b.lines {
		out.WriteString(line.Raw)
		out.WriteByte('\n')
	}
	out.WriteString(b.open.String())
	return out.String()
}

// Language is what the text is written in, for [Highlight].
func (b *Buffer) Language() Language { return b.lang }

// Len is the number of lines, a last one without a line break included.
func (b *Buffer) Len() int {
	if b.open.Len() > 0 {
		return len(b.lines) + 1
	}
	return len(b.lines)
}

// Line returns line i, from 0.
func (b *Buffer) Line(i int) Line {
	if i < len(b.lines) {
		return b.lines[i]
	}
	return Line{Raw: b.open.String(), Styled: b.open.String()}
}
