package ui

import (
	"strings"

	"example.com/hone/ui/term"
)

// paper is plain text that grows at its end, wrapped to a width. Only its last
// line is wrapped again when text arrives. Text is cleaned as it comes in.
type paper struct {
	cleaner term.Cleaner
	width   int
	done    []string // finished lines, not wrapped
	rows    []string // done, wrapped
	open    string   // the line that still grows
	tail    []string // open, wrapped
}

func (p *paper) write(s string) {
	s = p.cleaner.Write(s)
	for {
		line, rest, ended := strings.Cut(s, "\n")
		p.open += line
		if !ended {
			break
		}
		p.done = append(p.done, p.open)
		p.rows = append(p.rows, wrapLine(p.open, p.width)...)
		p.open, s = "", rest
	}
	p.tail = wrapLine(p.open, p.width)
}

// fit wraps everything to a new width.
func (p *paper) fit(width int) {
	if width == p.width {
		return
	}
	p.width, p.rows = width, p.rows[:0]
	for _, line := range p.done {
		p.rows = append(p.rows, wrapLine(line, width)...)
	}
	p.tail = wrapLine(p.open, width)
}

func (p *paper) empty() bool { return len(p.done) == 0 && p.open == "" }

func (p *paper) text() string {
	return strings.Join(append(p.done[:len(p.done):len(p.done)], p.open), "\n")
}

func (p *paper) size() int {
	if p.open == "" {
		return len(p.rows)
	}
	return len(p.rows) + len(p.tail)
}

func (p *paper) last(height int) int { return max(0, p.size()-height) }

func (p *paper) draw(top, height int) []string {
	end := min(p.size(), top+height)
	out := make([]string, 0, max(0, end-top))
	for i := top; i < end; i++ {
		if i < len(p.rows) {
			out = append(out, p.rows[i])
		} else {
			out = append(out, p.tail[i-len(p.rows)])
		}
	}
	return out
}

// wrapLine wraps one line; an empty line is one empty row.
func wrapLine(line string, width int) []string {
	if line == "" || width <= 0 {
		return []string{""}
	}
	return term.Wrap(line, width)
}

// lastRows is the last n rows of the text, wrapped to a width of its own. It looks
// at no more of the text than that takes.
func (p *paper) lastRows(n, width int) []string {
	const longest = 8 << 10 // bytes of one line that can matter
	var out []string
	for i := len(p.done); i >= 0 && len(out) < n; i-- {
		line := p.open
		if i < len(p.done) {
			line = p.done[i]
		}
		if line == "" && len(out) == 0 {
			continue
		}
		if len(line) > longest {
			line = strings.ToValidUTF8(line[len(line)-longest:], "")
		}
		out = append(wrapLine(line, width), out...)
	}
	return out[max(0, len(out)-n):]
}

// sequence is several bodies, one below the other.
type sequence []body

func (q sequence) size() int {
	total := 0
	for _, b := range q {
		total += b.size()
	}
	return total
}

func (q sequence) last(height int) int { return max(0, q.size()-height) }

func (q sequence) draw(top, height int) []string {
	var out []string
	for _, b := range q {
		n := b.size()
		if top < n && height > len(out) {
			out = append(out, b.draw(top, height-len(out))...)
		}
		top = max(0, top-n)
	}
	return out
}
