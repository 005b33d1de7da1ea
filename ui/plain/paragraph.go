package plain

import (
	"strings"
	"unicode/utf8"

	"example.com/hone/ui/term"
)

// paragraph makes lines of text that arrives in pieces. Where it breaks a line
// depends on the text alone, never on the pieces.
type paragraph struct {
	limit int // characters of a line, broken at a space; 0: only where the text breaks

	cleaner term.Cleaner
	open    []byte // the line that is not complete
	count   int    // characters in it
	space   int    // bytes up to and with its last space that follows a word, 0 for none
}

// write takes a piece and returns the lines it completes.
func (p *paragraph) write(s string) []string { return p.add(p.cleaner.Write(s)) }

// flush ends the text and returns what is left of it.
func (p *paragraph) flush() []string {
	lines := p.add(p.cleaner.Flush())
	if len(p.open) > 0 {
		lines = append(lines, p.cut(len(p.open)))
	}
	return lines
}

func (p *paragraph) add(s string) []string {
	var lines []string
	for _, r := range s {
		if r == '\n' {
			lines = append(lines, p.cut(len(p.open)))
			continue
		}
		if p.limit > 0 && p.count >= p.limit && p.space > 0 {
			lines = append(lines, p.cut(p.space))
		}
		word := p.count > 0 && p.open[len(p.open)-1] != ' '
		p.open = utf8.AppendRune(p.open, r)
		p.count++
		if r == ' ' && word {
			p.space = len(p.open)
		}
	}
	return lines
}

// cut takes the first n bytes of the open line as a line.
func (p *paragraph) cut(n int) string {
	line := strings.TrimRight(string(p.open[:n]), " ")
	p.open = append(p.open[:0], p.open[n:]...)
	p.count, p.space = utf8.RuneCount(p.open), 0
	return line
}
