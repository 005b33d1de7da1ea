package term

import (
	"strings"
	"unicode/utf8"
)

const (
	tabStop = 4
	// maxTail bounds the text a Cleaner keeps to know its column.
	maxTail = 4096
)

// Clean makes untrusted text safe to show: it removes escape sequences, control
// characters except line breaks, and characters that reorder what is read;
// expands tabs to columns of four; and replaces invalid UTF-8. A sequence that
// is never ended is taken to end with its line, so that it hides no more.
func Clean(s string) string {
	var c Cleaner
	return c.Write(s) + c.Flush()
}

// Cleaner is [Clean] for text that arrives in pieces cut anywhere. All that
// Write and Flush return, joined, is what Clean returns for the whole. The zero
// value is ready to use.
type Cleaner struct {
	state   cleanState
	partial string          // the first bytes of a character cut by the piece's end
	out     strings.Builder // of the current call
	column  int             // cells of the line that are no longer in tail
	tail    []byte          // the line's text since its last tab
}

type cleanState int

const (
	plainText cleanState = iota
	afterEscape
	escapeIntermediate // ESC, then a character such as '(' that announces one more
	controlSequence    // CSI: parameters, then one final character
	controlString      // OSC, DCS, SOS, PM, APC: until ST or BEL
	stringEscape       // an ESC inside of a string, perhaps the first half of ST
)

// Write cleans the next piece.
func (c *Cleaner) Write(s string) string {
	if c.partial != "" {
		s, c.partial = c.partial+s, ""
	}
	if c.state == plainText && isPlain(s) {
		c.advance(s)
		return s
	}
	for s != "" {
		if !utf8.FullRuneInString(s) {
			c.partial = s
			break
		}
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		c.rune(r)
	}
	return c.take()
}

// Flush ends the text: a character that was cut short is replaced.
func (c *Cleaner) Flush() string {
	for range len(c.partial) {
		c.rune(utf8.RuneError)
	}
	c.partial, c.state = "", plainText
	return c.take()
}

func (c *Cleaner) take() string {
	s := c.out.String()
	c.out.Reset()
	return s
}

// isPlain says that s needs no cleaning: the usual case, and a fast one.
func isPlain(s string) bool {
	for i := range len(s) {
		if b := s[i]; (b < ' ' && b != '\n') || b > '~' {
			return false
		}
	}
	return true
}

func (c *Cleaner) rune(r rune) {
	if r == '\n' {
		c.state = plainText
		c.emit(r)
		return
	}
	switch c.state {
	case plainText:
		c.plain(r)
	case afterEscape:
		c.escaped(r)
	case escapeIntermediate:
		if r < ' ' || r > '/' {
			c.leave(r, r >= '0' && r <= '~')
		}
	case controlSequence:
		if r < ' ' || r > '?' {
			c.leave(r, r >= '@' && r <= '~')
		}
	case controlString:
		c.inString(r)
	case stringEscape:
		c.state = afterEscape
		if r == '\\' {
			c.state = plainText
			return
		}
		c.escaped(r)
	}
}

// leave ends a sequence at r, which is its last character, or else the first
// one after a broken sequence.
func (c *Cleaner) leave(r rune, last bool) {
	c.state = plainText
	if !last {
		c.plain(r)
	}
}

func (c *Cleaner) plain(r rune) {
	switch {
	case r == '\x1b':
		c.state = afterEscape
	case r == '\t':
		c.tab()
	case r == '\u009b':
		c.state = controlSequence
	case r == '\u0090' || r == '\u0098' || r >= '\u009d' && r <= '\u009f':
		c.state = controlString
	case r < ' ' || r >= '\x7f' && r <= '\u009f' || reorders(r):
	default:
		c.emit(r)
	}
}

// reorders tells characters that make text read otherwise than it is stored:
// bidirectional controls, and the separators that terminals treat in their own
// ways.
func reorders(r rune) bool {
	switch {
	case r == '\u061c', r == '\u200e', r == '\u200f',
		r >= '\u2028' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return false
}

func (c *Cleaner) escaped(r rune) {
	switch {
	case r == '[':
		c.state = controlSequence
	case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
		c.state = controlString
	case r >= ' ' && r <= '/':
		c.state = escapeIntermediate
	default:
		c.leave(r, r >= '0' && r <= '~')
	}
}

func (c *Cleaner) inString(r rune) {
	switch r {
	case '\x1b':
		c.state = stringEscape
	case '\a', '\x18', '\x1a', '\u009c':
		c.state = plainText
	}
}

func (c *Cleaner) emit(r rune) {
	c.out.WriteRune(r)
	if r == '\n' {
		c.column, c.tail = 0, c.tail[:0]
		return
	}
	c.fold()
	c.tail = utf8.AppendRune(c.tail, r)
}

// advance keeps the column after s, which is ASCII, was passed through.
func (c *Cleaner) advance(s string) {
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		c.column, c.tail = 0, c.tail[:0]
		s = s[i+1:]
	}
	for len(s) > 0 {
		c.fold()
		n := min(len(s), maxTail-len(c.tail))
		c.tail = append(c.tail, s[:n]...)
		s = s[n:]
	}
}

// fold turns a tail at its bound into columns.
func (c *Cleaner) fold() {
	if len(c.tail) >= maxTail {
		c.column, c.tail = c.column+Width(string(c.tail)), c.tail[:0]
	}
}

func (c *Cleaner) tab() {
	column := c.column + Width(string(c.tail))
	n := tabStop - column%tabStop
	c.out.WriteString("    "[:n])
	c.column, c.tail = column+n, c.tail[:0]
}
