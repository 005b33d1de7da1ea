package tasks

import (
	"fmt"
	"strings"
)

// checkNative checks the outline of a reference.cu: brackets balance, and a
// template called reference is there. The compiler says the rest.
func checkNative(text string) []Problem {
	x := &cScanner{text: text, line: 1}
	for x.problem == nil && x.pos < len(text) {
		x.step()
	}
	switch {
	case x.problem != nil:
		return []Problem{*x.problem}
	case len(x.open) > 0:
		last := x.open[len(x.open)-1]
		return []Problem{{Line: last.line, Text: fmt.Sprintf("\"%c\" is never closed", last.bracket)}}
	case !x.defines:
		return []Problem{{Text: "no function reference: want template <typename real> void reference(...)"}}
	}
	return nil
}

// cScanner walks over C++ text, past comments and literals.
type cScanner struct {
	text    string
	pos     int
	line    int
	open    []cBracket
	words   []string // the last two words or brackets seen
	defines bool     // "void reference (" was seen
	problem *Problem
}

type cBracket struct {
	bracket byte
	line    int
}

func (x *cScanner) step() {
	rest := x.text[x.pos:]
	switch c := rest[0]; {
	case c == '\n':
		x.pos++
		x.line++
	case strings.HasPrefix(rest, "//"):
		x.skip(lengthUntil(rest, "\n"), "")
	case strings.HasPrefix(rest, "/*"):
		x.skipPast("/*", "*/", "comment")
	case strings.HasPrefix(rest, `R"`) && strings.Contains(rest, "("):
		delimiter := rest[2:strings.Index(rest, "(")]
		x.skipPast(`R"`+delimiter+"(", ")"+delimiter+`"`, "raw string")
	case c == '"' || c == '\'':
		x.literal(c)
	case wordLength(rest, "") > 0:
		x.word(rest)
	case strings.IndexByte("([{", c) >= 0:
		x.open = append(x.open, cBracket{c, x.line})
		x.skip(1, rest[:1])
	case strings.IndexByte(")]}", c) >= 0:
		x.closing(c)
	default:
		x.pos++
	}
}

// skip moves on and remembers the word it passes, if any.
func (x *cScanner) skip(length int, word string) {
	x.pos += length
	if word == "" {
		return
	}
	if n := len(x.words); n >= 2 && x.words[n-2] == "void" && x.words[n-1] == "reference" && word == "(" {
		x.defines = true
	}
	if x.words = append(x.words, word); len(x.words) > 2 {
		x.words = x.words[len(x.words)-2:]
	}
}

func (x *cScanner) skipPast(start, end, what string) {
	rest := x.text[x.pos+len(start):]
	length := strings.Index(rest, end)
	if length < 0 {
		x.problem = &Problem{Line: x.line, Text: what + " is never closed"}
		return
	}
	length += len(start) + len(end)
	x.line += strings.Count(x.text[x.pos:x.pos+length], "\n")
	x.pos += length
}

func (x *cScanner) word(rest string) {
	length := wordLength(rest, "")
	if rest[0] >= '0' && rest[0] <= '9' {
		length = wordLength(rest, "'.") // digit separators
	}
	x.skip(length, rest[:length])
}

// literal passes a string or a character.
func (x *cScanner) literal(quote byte) {
	for at := x.pos + 1; at < len(x.text) && x.text[at] != '\n'; at++ {
		switch x.text[at] {
		case quote:
			x.line += strings.Count(x.text[x.pos:at], "\n")
			x.pos = at + 1
			return
		case '\\':
			at++
		}
	}
	x.problem = &Problem{Line: x.line, Text: fmt.Sprintf("%c is never closed", quote)}
}

func (x *cScanner) closing(c byte) {
	partner := map[byte]byte{')': '(', ']': '[', '}': '{'}[c]
	if len(x.open) == 0 {
		x.problem = &Problem{Line: x.line, Text: fmt.Sprintf("\"%c\" closes nothing", c)}
		return
	}
	if last := x.open[len(x.open)-1]; last.bracket != partner {
		x.problem = &Problem{Line: x.line, Text: fmt.Sprintf("\"%c\" does not close \"%c\" of line %d", c, last.bracket, last.line)}
		return
	}
	x.open = x.open[:len(x.open)-1]
	x.skip(1, string(c))
}
