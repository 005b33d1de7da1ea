package compile

// function is a named piece of code that may mention others: a function with a
// body, a class, a variable with an initialiser, an alias or a macro. Together
// they are the call graph, by name.
type function struct {
	name       string
	class      string // the class it is a member of
	nested     bool   // in a class or namespace
	line       int
	body       bool // a function with a body
	kernel     bool // __global__
	device     bool // __global__ or __device__: its launches are dynamic parallelism
	template   bool
	arity      int // template parameters, -1 when their number is open
	parameters string
	first      int // range of tokens in the code, [first, last); empty for a macro
	last       int
	macro      []token // body of a macro
}

// mentions lists the tokens a function is made of.
func (fn function) mentions(s source) []token {
	if fn.macro != nil {
		return fn.macro
	}
	return s.code[fn.first:fn.last]
}

// contains reports whether a token of the code lies in the function.
func (fn function) contains(index int) bool { return fn.first <= index && index < fn.last }

// findFunctions lists everything with a name at namespace or class scope.
func findFunctions(s source) []function {
	d := declarations{source: s}
	d.scope(0, len(s.code), "")
	for _, m := range s.macros {
		if len(m.body) > 0 {
			d.found = append(d.found, function{name: m.name, line: m.body[0].line, macro: m.body})
		}
	}
	return d.found
}

// deepest is how many scopes are read inside one another; nobody nests more.
const deepest = 16

// declarations walks the code outside of function bodies.
type declarations struct {
	source
	namespaces int // around what is being read
	depth      int // of scopes
	found      []function
}

// scope reads the declarations in [from, to), members of class if it has a name.
func (d *declarations) scope(from, to int, class string) {
	start := from
	d.depth++
	defer func() { d.depth-- }()
	for i := from; i < to && d.depth < deepest; i++ {
		switch d.code[i].text {
		case ";":
			d.alias(start, i)
			start = i + 1
		case "(", "[":
			i = min(d.close[i], to-1)
		case "{":
			end := min(d.close[i], to)
			d.braces(start, i, end, class)
			start, i = end+1, end
		case "}":
			start = i + 1
		}
	}
}

// braces reads "head { ... }".
func (d *declarations) braces(start, open, end int, class string) {
	h := d.head(start, open)
	fn := function{
		name: h.name, class: class, nested: class != "" || d.namespaces > 0,
		line: d.code[open].line, first: start, last: min(end+1, len(d.code)),
		kernel: h.has["__global__"], device: h.has["__global__"] || h.has["__device__"],
		template: h.template, arity: h.arity,
	}
	if h.nameAt >= 0 {
		fn.line = d.code[h.nameAt].line
	}
	switch {
	case h.has["namespace"]:
		d.namespaces++
		d.scope(open+1, end, "")
		d.namespaces--
	case h.linkage && h.parameters == 0:
		d.scope(open+1, end, class)
	case h.has["="] && !h.operator:
		fn.name = h.assigned
		d.found = append(d.found, fn)
	case h.parameters > 0:
		fn.body = true
		fn.parameters = d.between(h.parameters)
		d.found = append(d.found, fn)
	case h.class != "":
		fn.name = h.class
		d.found = append(d.found, fn)
		d.scope(open+1, end, h.class)
	}
}

// between is the text inside the bracket that opens at a token.
func (d *declarations) between(open int) string {
	end := d.close[open]
	if end >= len(d.code) {
		return ""
	}
	return d.text[d.code[open].end():d.code[end].offset]
}

// alias records "using A = ...;" and "namespace a = ...;".
func (d *declarations) alias(start, end int) {
	for start < end && d.code[start].is("template") {
		start = skipAngles(d.code, d.close, start+1)
	}
	if start+2 >= end || d.code[start+2].text != "=" {
		return
	}
	if d.code[start].is("using") || d.code[start].is("namespace") {
		fn := function{name: d.code[start+1].text, line: d.code[start].line, first: start, last: end}
		d.found = append(d.found, fn)
	}
}

// declarationHead is what stands before the braces of a declaration.
type declarationHead struct {
	name       string // of a function
	nameAt     int
	parameters int // index of the "(" of a function, 0 when there is none
	class      string
	assigned   string // the name before a top-level "="
	template   bool
	arity      int
	linkage    bool // extern "C"
	operator   bool
	has        map[string]bool // words at the top level
}

// head reads the tokens in [start, end).
func (d *declarations) head(start, end int) declarationHead {
	h := declarationHead{nameAt: -1, has: map[string]bool{}}
	lastIdent := ""
	for i := start; i < end; {
		t := d.code[i]
		switch {
		case h.parameters > 0 && (t.is(":") || t.is("->")):
			return h
		case t.is("template"):
			end := skipAngles(d.code, d.close, i+1)
			h.templated(d, i+2, end-1)
			i = end
			continue
		case t.kind == ident && takesArguments(t.text):
			i = d.skipParens(i + 1)
			continue
		case t.is("operator"):
			h.operator = true
			h.name, h.nameAt, h.parameters = t.text, i, d.parametersFrom(i+1, end)
			i = max(h.parameters, i+1)
			continue
		case t.kind == ident:
			h.word(d, i, end)
			lastIdent = t.text
		case t.kind == stringLiteral:
			h.linkage = true
		case t.is("=") && h.assigned == "":
			h.has["="] = true
			h.assigned = lastIdent
		case d.close[i] > i:
			i = d.close[i]
		}
		i++
	}
	return h
}

// templated takes the template parameters in [from, to).
func (h *declarationHead) templated(d *declarations, from, to int) {
	h.template = true
	h.arity = 0
	if from < to {
		h.arity = len(split(d.code, d.close, from, to))
	}
	for i := from; i < to; i++ {
		if d.code[i].is("...") {
			h.arity = -1
			return
		}
	}
}

// word takes an identifier of the head. Of several that could be calls the last
// is the function: those before it are macros.
func (h *declarationHead) word(d *declarations, i, end int) {
	t := d.code[i]
	h.has[t.text] = true
	after := skipAngles(d.code, d.close, i+1)
	if after < end && d.code[after].text == "(" {
		h.name, h.nameAt, h.parameters = t.text, i, after
	}
	if h.class == "" && !isClassKey(t.text) && (h.has["struct"] || h.has["class"] || h.has["union"]) {
		h.class = t.text
	}
}

// parametersFrom finds the parameters of an operator: its first "(", or the
// second for operator().
func (d *declarations) parametersFrom(i, end int) int {
	if i+2 < end && d.code[i].text == "(" && d.code[i+1].text == ")" {
		i += 2
	}
	for i < end && d.code[i].text != "(" {
		i++
	}
	if i >= end {
		return 0
	}
	return i
}

func (d *declarations) skipParens(i int) int {
	if i < len(d.code) && d.code[i].text == "(" {
		return d.close[i] + 1
	}
	return i
}

func isClassKey(word string) bool {
	return word == "struct" || word == "class" || word == "union" || word == "final"
}

// takesArguments lists the specifiers that look like calls.
func takesArguments(word string) bool {
	switch word {
	case "__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__attribute__", "__align__", "__declspec",
		"alignas", "decltype", "noexcept", "requires", "explicit", "throw":
		return true
	}
	return false
}
