package compile

import "strings"

// captureEdits lets lambdas reach shared variables. On a GPU these have static
// storage and are never captured; rewritten they are local references, which a
// lambda that captures by copy would copy, and one that captures nothing could
// not name.
func captureEdits(s source, declarations []sharedDeclaration) []edit {
	if len(declarations) == 0 || len(declarations) > manyDeclarations {
		return nil
	}
	var edits []edit
	for _, l := range lambdasIn(s) {
		var missing []string
		for _, d := range declarations {
			if d.macro == nil && d.index < l.opening && l.opening < d.visible {
				missing = append(missing, l.missing(s, d)...)
			}
		}
		if len(missing) == 0 {
			continue
		}
		list := strings.Join(missing, ", ")
		if l.closing > l.opening+1 {
			list = ", " + list
		}
		at := s.code[l.closing].offset
		edits = append(edits, edit{at, at, []piece{made(list)}})
	}
	return edits
}

// Beyond these sizes, which no person writes, lambdas are left as they are.
const (
	manyDeclarations = 256
	manyLambdas      = 256
)

// lambda is a lambda expression, as indices of tokens.
type lambda struct {
	opening, closing int // "[" and "]"
	body, end        int // "{" and "}"
}

// lambdasIn lists the lambdas of a file.
func lambdasIn(s source) []lambda {
	var found []lambda
	for i := 1; i < len(s.code) && len(found) < manyLambdas; i++ {
		if !s.code[i].is("[") || s.close[i] == len(s.code) || s.code[i-1].is("[") || !startsExpression(s.code[i-1]) {
			continue
		}
		l := lambda{opening: i, closing: s.close[i]}
		if l.body = lambdaBody(s, l.closing+1); l.body > 0 {
			l.end = s.close[l.body]
			found = append(found, l)
		}
	}
	return found
}

// startsExpression reports whether an expression, not a subscript, follows t.
func startsExpression(t token) bool {
	if t.kind == ident {
		return t.is("return")
	}
	return t.kind == punct && !t.is(")") && !t.is("]") && !t.is(">")
}

// lambdaBody finds the "{" behind a capture list, 0 when there is none.
func lambdaBody(s source, from int) int {
	for i := from; i < min(len(s.code), from+longSpecifiers); i++ {
		t := s.code[i]
		switch {
		case t.is("{"):
			return i
		case t.is("("):
			i = s.close[i]
		case t.kind == punct && !t.is("->") && !t.is("::") && !t.is("<") && !t.is(">") && !t.is("*") && !t.is("&"):
			return 0
		}
	}
	return 0
}

// missing lists the captures that a lambda needs for the variables of a
// declaration.
func (l lambda) missing(s source, d sharedDeclaration) []string {
	var list []string
	for _, v := range d.declarators {
		if l.mentions(s, v.name.text) && !l.captures(s, v.name.text) {
			list = append(list, "&"+v.name.text)
		}
	}
	return list
}

func (l lambda) mentions(s source, name string) bool {
	for i := l.body; i < l.end; i++ {
		if s.code[i].is(name) {
			return true
		}
	}
	return false
}

// captures reports whether the capture list reaches a variable by itself.
func (l lambda) captures(s source, name string) bool {
	list := s.code[l.opening+1 : l.closing]
	if len(list) > 0 && list[0].is("&") && (len(list) == 1 || list[1].is(",")) {
		return true
	}
	for _, t := range list {
		if t.is(name) {
			return true
		}
	}
	return false
}
