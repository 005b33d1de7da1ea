package extract

import "strings"

// Bounds on a parameter list, so that the search stays linear.
const (
	maxParameters = 8 << 10 // bytes
	maxNesting    = 4       // parentheses
)

// wanted is what the kernel's block must define.
func (s *Stream) wanted() string {
	if s.Torch {
		return "ModelNew"
	}
	return "solve"
}

// defines reports whether code defines what is wanted.
func (s *Stream) defines(code string) bool {
	if s.Torch {
		return definesModelNew(code)
	}
	return definesSolve(code)
}

// definesModelNew reports whether code has a line that begins a class ModelNew.
func definesModelNew(code string) bool {
	for line := range strings.Lines(code) {
		rest, isClass := strings.CutPrefix(line, "class ")
		name, after, _ := strings.Cut(strings.TrimSpace(rest), "ModelNew")
		after = strings.TrimSpace(after)
		if isClass && name == "" && (strings.HasPrefix(after, "(") || strings.HasPrefix(after, ":")) {
			return true
		}
	}
	return false
}

// definesSolve reports whether code holds a definition of a function solve: the
// word, a parameter list and a body. Comments and strings are not looked into;
// a wrong answer only changes which of several blocks is taken.
func definesSolve(code string) bool {
	for {
		at := strings.Index(code, "solve")
		if at < 0 {
			return false
		}
		before, after := code[:at], code[at+len("solve"):]
		if (before == "" || !identifier(before[len(before)-1])) && definition(after) {
			return true
		}
		code = after
	}
}

func identifier(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// definition reports whether text is a parameter list and the start of a body.
func definition(text string) bool {
	text = strings.TrimLeft(text[:min(len(text), maxParameters)], " \t\r\n")
	if !strings.HasPrefix(text, "(") {
		return false
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth > maxNesting {
			return false
		}
		if depth == 0 {
			return strings.HasPrefix(strings.TrimLeft(text[i+1:], " \t\r\n"), "{")
		}
	}
	return false
}
