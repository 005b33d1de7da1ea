package term

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const resetStyle = "\x1b[0m"

// Wrap breaks s into rows of at most w cells, at spaces where it can. Every row
// carries the styles that hold in it and none that leak out of it. Only a
// character that is itself wider than w makes a row wider.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	var rows []string
	for line := range strings.SplitSeq(s, "\n") {
		rows = append(rows, wrapLine(line, w)...)
	}
	if strings.IndexByte(s, '\x1b') >= 0 {
		closeStyles(rows)
	}
	return rows
}

// wrapper is one line on its way into rows.
type wrapper struct {
	limit      int
	rows       []string
	row        []byte
	width      int  // of row
	words      bool // row is more than indentation
	broken     bool // row continues a line and has no text yet
	breakAt    int  // bytes of row after its last space between words, 0 for none
	breakWidth int
}

func wrapLine(line string, w int) []string {
	if len(line) <= w && strings.IndexByte(line, '\x1b') < 0 {
		return []string{line} // no character takes more cells than bytes
	}
	p := wrapper{limit: w}
	var state byte
	for line != "" {
		sequence, width, n, next := ansi.DecodeSequence(line, state, nil)
		p.add(sequence, width)
		line, state = line[n:], next
	}
	return append(p.rows, string(p.row))
}

func (p *wrapper) add(sequence string, width int) {
	space := sequence == " "
	if space && (p.broken || p.width == p.limit) {
		if !p.broken {
			p.end(len(p.row), p.width)
		}
		return
	}
	for p.width+width > p.limit && p.width > 0 {
		if p.breakAt > 0 {
			p.end(p.breakAt, p.breakWidth)
		} else {
			p.end(len(p.row), p.width)
		}
	}
	p.row = append(p.row, sequence...)
	p.width += width
	switch {
	case !space:
		p.words = p.words || width > 0
		p.broken = p.broken && width == 0
	case p.words:
		p.breakAt, p.breakWidth = len(p.row), p.width
	}
}

// end makes a row of the first n bytes, which are width cells wide.
func (p *wrapper) end(n, width int) {
	p.rows = append(p.rows, strings.TrimRight(string(p.row[:n]), " "))
	p.row = append(p.row[:0], p.row[n:]...)
	p.width -= width
	p.broken = p.width == 0
	p.breakAt, p.breakWidth = 0, 0
}

// closeStyles ends the styles of each row and begins them again on the next.
func closeStyles(rows []string) {
	open := ""
	for i, row := range rows {
		next := openStyles(open, row)
		rows[i] = open + row
		if next != "" {
			rows[i] += resetStyle
		}
		open = next
	}
}

// openStyles returns the style sequences that hold after row, given those that
// held before it.
func openStyles(open, row string) string {
	for {
		start := strings.Index(row, "\x1b[")
		if start < 0 {
			return open
		}
		row = row[start:]
		end := strings.IndexFunc(row[2:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return open
		}
		sequence := row[:end+3]
		row = row[end+3:]
		switch {
		case sequence[len(sequence)-1] != 'm':
		case sequence == resetStyle || sequence == "\x1b[m":
			open = ""
		default:
			open += sequence
		}
	}
}
