package tasks

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pyKind is the kind of a Python token.
type pyKind int

const (
	pyName pyKind = iota
	pyNumber
	pyString
	pyOperator // brackets included
	pyNewline  // the end of a logical line
	pyIndent
	pyDedent
)

// pyToken is one token of a Python file.
type pyToken struct {
	kind pyKind
	text string
	line int
}

// pyLexer splits a Python file into tokens as far as a check of its outline
// needs. It stops at the first problem.
type pyLexer struct {
	text    string
	pos     int
	line    int
	tokens  []pyToken
	open    []pyToken // brackets not yet closed
	indents []int     // columns of the blocks around, the outermost 0
	problem *Problem
}

// lexPython tokenizes a Python file. The problem is nil when it is well formed:
// brackets and strings closed, blocks indented consistently.
func lexPython(text string) ([]pyToken, *Problem) {
	x := &pyLexer{text: text, line: 1, indents: []int{0}}
	for x.problem == nil && x.pos < len(x.text) {
		x.logicalLine()
	}
	if x.problem == nil && len(x.open) > 0 {
		first := x.open[len(x.open)-1]
		x.fail(first.line, "%q is never closed", first.text)
	}
	for len(x.indents) > 1 {
		x.indents = x.indents[:len(x.indents)-1]
		x.emit(pyDedent, "")
	}
	return x.tokens, x.problem
}

func (x *pyLexer) fail(line int, format string, args ...any) {
	if x.problem == nil {
		x.problem = &Problem{Line: line, Text: fmt.Sprintf(format, args...)}
	}
}

func (x *pyLexer) emit(kind pyKind, text string) {
	x.tokens = append(x.tokens, pyToken{kind: kind, text: text, line: x.line})
}

// logicalLine reads one line with all the lines that it continues on.
func (x *pyLexer) logicalLine() {
	column := x.indentation()
	if x.blank() {
		x.skipLine()
		return
	}
	x.block(column)
	for x.problem == nil && x.pos < len(x.text) {
		if x.text[x.pos] == '\n' {
			x.pos++
			if len(x.open) == 0 {
				x.emit(pyNewline, "")
				x.line++
				return
			}
			x.line++
			continue
		}
		x.token()
	}
}

// indentation skips the white space before a line and measures it; a tab counts
// to the next multiple of eight, as in Python.
func (x *pyLexer) indentation() int {
	column := 0
	for ; x.pos < len(x.text); x.pos++ {
		switch x.text[x.pos] {
		case ' ':
			column++
		case '\t':
			column = column/8*8 + 8
		case '\f', '\r':
		default:
			return column
		}
	}
	return column
}

// blank reports whether the rest of the line is empty or a comment.
func (x *pyLexer) blank() bool {
	return x.pos >= len(x.text) || x.text[x.pos] == '\n' || x.text[x.pos] == '#'
}

func (x *pyLexer) skipLine() {
	if end := strings.IndexByte(x.text[x.pos:], '\n'); end >= 0 {
		x.pos += end + 1
		x.line++
		return
	}
	x.pos = len(x.text)
}

// block compares a line's indentation with the blocks around it.
func (x *pyLexer) block(column int) {
	inner := x.indents[len(x.indents)-1]
	if column > inner {
		if !x.afterColon() {
			x.fail(x.line, "unexpected indentation")
		}
		x.indents = append(x.indents, column)
		x.emit(pyIndent, "")
		return
	}
	if x.afterColon() {
		x.fail(x.line, "expected an indented block after line %d", x.tokens[len(x.tokens)-1].line)
	}
	for column < x.indents[len(x.indents)-1] {
		x.indents = x.indents[:len(x.indents)-1]
		x.emit(pyDedent, "")
	}
	if column != x.indents[len(x.indents)-1] {
		x.fail(x.line, "indentation matches no block around this line")
	}
}

// afterColon reports whether the logical line before ended in a colon.
func (x *pyLexer) afterColon() bool {
	n := len(x.tokens)
	return n >= 2 && x.tokens[n-1].kind == pyNewline && x.tokens[n-2].text == ":"
}

// token reads one token, or white space, a comment or a line continuation.
func (x *pyLexer) token() {
	rest := x.text[x.pos:]
	switch c := rest[0]; {
	case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		x.pos++
	case c == '#':
		x.pos += lengthUntil(rest, "\n")
	case strings.HasPrefix(rest, "\\\n"), strings.HasPrefix(rest, "\\\r\n"):
		x.pos += strings.IndexByte(rest, '\n') + 1
		x.line++
	case stringPrefix(rest) >= 0:
		x.str(stringPrefix(rest))
	case c >= '0' && c <= '9':
		x.take(pyNumber, wordLength(rest, "."))
	case wordLength(rest, "") > 0:
		x.take(pyName, wordLength(rest, ""))
	case strings.IndexByte("([{", c) >= 0:
		x.open = append(x.open, pyToken{text: rest[:1], line: x.line})
		x.take(pyOperator, 1)
	case strings.IndexByte(")]}", c) >= 0:
		x.closing(rest[:1])
	case strings.IndexByte("+-*/%@&|^~<>=!.,:;", c) >= 0:
		x.take(pyOperator, 1)
	default:
		r, _ := utf8.DecodeRuneInString(rest)
		x.fail(x.line, "unexpected character %q", r)
	}
}

func (x *pyLexer) take(kind pyKind, length int) {
	x.emit(kind, x.text[x.pos:x.pos+length])
	x.pos += length
}

func (x *pyLexer) closing(bracket string) {
	pairs := map[string]string{")": "(", "]": "[", "}": "{"}
	if len(x.open) == 0 {
		x.fail(x.line, "%q closes nothing", bracket)
		return
	}
	last := x.open[len(x.open)-1]
	if last.text != pairs[bracket] {
		x.fail(x.line, "%q does not close %q of line %d", bracket, last.text, last.line)
		return
	}
	x.open = x.open[:len(x.open)-1]
	x.take(pyOperator, 1)
}

// stringPrefix is the number of letters (r, b, f, u) before the opening quote of
// a string, -1 if no string starts here.
func stringPrefix(s string) int {
	n := 0
	for n < len(s) && n < 2 && strings.IndexByte("rRbBfFuU", s[n]) >= 0 {
		n++
	}
	if n < len(s) && (s[n] == '"' || s[n] == '\'') {
		return n
	}
	return -1
}

// str reads a string literal, single or triple quoted.
func (x *pyLexer) str(prefix int) {
	start, line := x.pos, x.line
	at := x.pos + prefix
	quote := x.text[at : at+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(x.text[at:], triple) {
		quote = triple
	}
	for at += len(quote); at < len(x.text); at++ {
		switch {
		case strings.HasPrefix(x.text[at:], quote):
			x.pos = at + len(quote)
			x.tokens = append(x.tokens, pyToken{kind: pyString, text: x.text[start:x.pos], line: line})
			return
		case x.text[at] == '\n' && len(quote) == 1:
			x.fail(line, "string is never closed")
			return
		case x.text[at] == '\\' && at+1 < len(x.text):
			at++
		}
		if x.text[at] == '\n' {
			x.line++
		}
	}
	x.fail(line, "string is never closed")
}

// wordLength is the length of the letters, digits, underscores and extra
// characters that a text starts with.
func wordLength(s, extra string) int {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(extra, r) {
			return i
		}
	}
	return len(s)
}

func lengthUntil(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i
	}
	return len(s)
}
