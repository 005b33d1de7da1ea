package compile

import (
	"strconv"
	"strings"
)

// Prototype is the head of a function at global scope, with a body or without.
type Prototype struct {
	Name       string
	Result     string // its type as written, on one line
	Parameters []Parameter
	Line       int
	Template   bool
	Device     bool // __global__ or __device__: the host cannot call it
	Body       bool
}

// Parameter is one parameter of a Prototype.
type Parameter struct {
	Type string // as written, on one line
	Name string // may be empty
}

// Prototypes lists the functions that a text declares or defines at global scope, in
// order. A parameter that it cannot read leaves the rest of its list out: such a
// function has one parameter of the type "...".
func Prototypes(text string) []Prototype {
	s := read(text)
	var list []Prototype
	for _, it := range outlineOf(s) {
		if it.kind != functionItem || it.parent >= 0 || it.path != "" || it.operator || it.nameAt < 0 {
			continue
		}
		list = append(list, Prototype{
			Name: it.name, Result: resultType(s, it), Parameters: parametersOf(s, it), Line: s.code[it.nameAt].line,
			Template: it.template, Device: it.kernel() || it.words["__device__"] && !it.words["__host__"], Body: it.open > 0,
		})
	}
	return list
}

// resultType is what stands before a function's name, without its specifiers.
func resultType(s source, it item) string {
	var kept []token
	for _, t := range s.code[it.first:it.nameAt] {
		switch {
		case t.kind == stringLiteral, t.is("extern"), t.is("static"), t.is("inline"), t.is("__host__"), t.is("__forceinline__"):
		default:
			kept = append(kept, t)
		}
	}
	return oneLine(kept)
}

func parametersOf(s source, it item) []Parameter {
	from, to := it.parameters+1, s.close[it.parameters]
	if from >= to || to >= len(s.code) || to-from == 1 && s.code[from].is("void") {
		return nil
	}
	var list []Parameter
	for start := from; start < to; {
		end := argumentEnd(s, start, to)
		p, ok := readParameter(s, start, end)
		if !ok || p.pack {
			return []Parameter{{Type: "..."}}
		}
		list = append(list, Parameter{Type: typeOf(s, start, end, p.name), Name: p.name})
		start = end + 1
	}
	return list
}

// typeOf is a parameter without its name and default.
func typeOf(s source, start, end int, name string) string {
	var kept []token
	for i := start; i < end && !s.code[i].is("="); i++ {
		if t := s.code[i]; name == "" || !t.is(name) || i > start && s.code[i-1].is("::") {
			kept = append(kept, t)
		}
	}
	return oneLine(kept)
}

// Binding is what a text gives Python by itself: m.def("name", &function).
type Binding struct {
	Name, Function string
	Line           int
}

// Bindings lists what a PYBIND11_MODULE of a text binds, and returns the text with
// blanks in its place. It binds nothing where it does more than bind functions by
// their name: complete is false then.
func Bindings(text string) (list []Binding, rest string, complete bool) {
	s := read(text)
	for i, t := range s.code {
		if !t.is("PYBIND11_MODULE") || i+1 == len(s.code) || !s.code[i+1].is("(") {
			continue
		}
		open := s.close[i+1] + 1
		if open >= len(s.code) || !s.code[open].is("{") || s.close[open] >= len(s.code) {
			return nil, text, false
		}
		end := s.close[open]
		list, complete = bindingsIn(s, open+1, end)
		start, stop := t.offset, s.code[end].end()
		return list, text[:start] + blanks(text[start:stop]) + text[stop:], complete
	}
	return nil, text, true
}

// bindingsIn reads m.def("name", &function, ...); and nothing else.
func bindingsIn(s source, from, to int) (list []Binding, complete bool) {
	for i := from; i < to; {
		if i+7 >= to || !s.code[i+1].is(".") || !s.code[i+2].is("def") || !s.code[i+3].is("(") {
			return nil, false
		}
		name, err := strconv.Unquote(s.code[i+4].text)
		first, close := i+6, s.close[i+3]
		if first < close && s.code[first].is("&") {
			first++
		}
		next := close + 1
		if err != nil || next >= len(s.code) || !s.code[next].is(";") || first >= close || s.code[first].kind != ident ||
			!s.code[first+1].is(",") && first+1 != close || !plainText(s, first+1, close) {
			return nil, false
		}
		list = append(list, Binding{Name: name, Function: s.code[first].text, Line: s.code[i].line})
		i = next + 1
	}
	return list, true
}

// plainText reports whether only documentation follows in a call: named arguments
// and defaults change how a function is called.
func plainText(s source, from, to int) bool {
	for _, t := range s.code[from:to] {
		if !t.is(",") && t.kind != stringLiteral {
			return false
		}
	}
	return true
}

// QualifiedName is a name of a text with the qualifier before it.
type QualifiedName struct {
	Qualifier, Name string
}

// QualifiedNames lists the names in the code of a text that follow "::", outside of
// strings, comments and preprocessor lines.
func QualifiedNames(text string) []QualifiedName {
	s := read(text)
	var list []QualifiedName
	for i, t := range s.code {
		if t.kind == ident && i >= 2 && s.code[i-1].is("::") && s.code[i-2].kind == ident {
			list = append(list, QualifiedName{s.code[i-2].text, t.text})
		}
	}
	return list
}

// PlainType spells a type without const, references, blanks and the usual namespaces:
// "const torch::Tensor&" is "Tensor".
func PlainType(spelled string) string {
	var b strings.Builder
	tokens := withoutTrivia(lex(spelled))
	for i, t := range tokens {
		qualified := i+1 < len(tokens) && tokens[i+1].is("::")
		switch {
		case t.is("const"), t.is("&"), t.is("&&"), t.is("::"):
		case qualified && (t.is("torch") || t.is("at") || t.is("c10") || t.is("std")):
		case b.Len() > 0 && t.kind == ident && i > 0 && tokens[i-1].kind == ident && !tokens[i-1].is("const"):
			b.WriteString(" " + t.text)
		default:
			b.WriteString(t.text)
		}
	}
	return b.String()
}
