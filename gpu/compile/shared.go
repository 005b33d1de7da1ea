package compile

// sharedDeclaration is one statement that declares __shared__ variables.
type sharedDeclaration struct {
	word        token        // __shared__
	first       token        // start of the statement
	drop        []tokenRange // specifiers that a typedef cannot carry
	alignment   string       // the alignment specifiers among drop
	declarators []declarator
	end         token // the ";", or the last token of a macro body without one
	semicolon   bool
	dynamic     bool   // extern
	index       int    // of __shared__ in the code, -1 in a macro
	visible     int    // index of the "}" up to which its names are known
	macro       *macro // whose body it is in, nil in the code
}

// tokenRange is a part of the text.
type tokenRange struct{ start, end int }

// declarator is one declared variable.
type declarator struct {
	name  token
	open  *tokenRange // the empty brackets of extern __shared__ T x[]
	given bool        // has an initial value
}

// findShared lists the __shared__ declarations of a file, those in macros last.
func findShared(s source) []sharedDeclaration {
	aligning := map[string]bool{}
	for _, m := range s.macros {
		for _, t := range m.body {
			aligning[m.name] = aligning[m.name] || t.is("__align__") || t.is("alignas") || t.is("aligned")
		}
	}
	found := sharedIn(s.code, s.close, aligning, nil)
	for i := range s.macros {
		m := &s.macros[i]
		found = append(found, sharedIn(m.body, matchBrackets(m.body, nil), aligning, m)...)
	}
	return found
}

// sharedIn finds the declarations in some tokens; aligning names macros that set
// an alignment.
func sharedIn(code []token, closing []int, aligning map[string]bool, m *macro) []sharedDeclaration {
	var found []sharedDeclaration
	for i := 0; i < len(code); i++ {
		if !code[i].is("__shared__") {
			continue
		}
		p := sharedParser{
			code: code[:min(len(code), i+reach)], close: closing, aligning: aligning, pos: statementStart(code, i),
		}
		p.declaration.word, p.declaration.index, p.declaration.macro = code[i], i, m
		if m != nil {
			p.declaration.index = -1
		}
		if p.parse() {
			p.declaration.visible = blockEnd(code, closing, i)
			found = append(found, p.declaration)
		}
		i = max(i, min(p.pos, i+longSpecifiers)-1)
	}
	return found
}

// blockEnd is the end of the innermost block that a token lies in, or how far it
// is looked for.
func blockEnd(code []token, closing []int, index int) int {
	last := min(len(code), index+4*reach)
	for i := index; i < last; i++ {
		if code[i].is("}") {
			return i
		}
		i = max(i, min(closing[i], last))
	}
	return last
}

// variables is what others see of a declaration.
func (d sharedDeclaration) variables() []Shared {
	var all []Shared
	for _, v := range d.declarators {
		all = append(all, Shared{Name: v.name.text, Dynamic: d.dynamic, Line: v.name.line})
	}
	return all
}

// longSpecifiers bounds in tokens what may stand around __shared__ in one
// declaration.
const longSpecifiers = 64

// statementStart walks back from __shared__ over specifiers that stand before it.
func statementStart(code []token, i int) int {
	for first := max(0, i-longSpecifiers); i > first; {
		t := code[i-1]
		switch {
		case t.is(")") || t.is("]"):
			start := bracketStart(code, i-1)
			if start < 0 || t.is(")") && (start == 0 || !takesArguments(code[start-1].text)) {
				return i
			}
			i = start
		case t.kind == ident && !startsStatement(t.text), t.is("::"), t.kind == stringLiteral:
			i--
		case t.is(">"):
			start := angleStart(code, i-1)
			if start < 0 {
				return i
			}
			i = start
		default:
			return i
		}
	}
	return i
}

// sharedParser reads one declaration from pos on.
type sharedParser struct {
	code        []token
	close       []int
	aligning    map[string]bool
	pos         int
	declaration sharedDeclaration
}

func (p *sharedParser) parse() bool {
	p.declaration.first = p.code[p.pos]
	p.specifiers()
	for p.declarator() {
		if !p.more() || !p.code[p.pos].is(",") {
			break
		}
		p.pos++
	}
	if len(p.declaration.declarators) == 0 {
		return false
	}
	p.declaration.semicolon = p.more() && p.code[p.pos].is(";")
	if !p.declaration.semicolon && (p.declaration.macro == nil || p.more()) {
		return false
	}
	p.declaration.end = p.code[min(p.pos, len(p.code)-1)]
	return true
}

func (p *sharedParser) more() bool { return p.pos < len(p.code) }

// specifiers reads up to the first declarator.
func (p *sharedParser) specifiers() {
	for p.more() {
		t := p.code[p.pos]
		switch {
		case t.is("__shared__") || t.is("extern") || t.is("static") || t.kind == stringLiteral:
			p.declaration.dynamic = p.declaration.dynamic || t.is("extern")
			p.dropTo(p.pos + 1)
		case t.kind == ident && (p.aligning[t.text] || takesArguments(t.text) && t.text != "decltype"):
			p.attribute()
		case t.is("[") && p.pos+1 < len(p.code) && p.code[p.pos+1].is("["):
			p.dropTo(min(p.close[p.pos]+1, len(p.code)))
		case t.is("::"), t.is("{"):
			p.pos = min(p.close[p.pos]+1, len(p.code))
		case t.kind == ident && p.typeWord():
		default:
			return
		}
	}
}

// attribute drops a specifier with arguments and keeps it as an alignment.
func (p *sharedParser) attribute() {
	end := p.pos + 1
	if end < len(p.code) && p.code[end].is("(") {
		end = min(p.close[end]+1, len(p.code))
	}
	p.declaration.alignment += oneLine(p.code[p.pos:end]) + " "
	p.dropTo(end)
}

func (p *sharedParser) dropTo(end int) {
	p.declaration.drop = append(p.declaration.drop, tokenRange{p.code[p.pos].offset, p.code[end-1].end()})
	p.pos = end
}

// typeWord steps over a word of the type and its arguments. The declared name is
// the word that none of what continues a declaration stands behind.
func (p *sharedParser) typeWord() bool {
	next := skipAngles(p.code, p.close, p.pos+1)
	if next < len(p.code) && p.code[next].is("(") && !p.startsDeclarator(next) {
		next = min(p.close[next]+1, len(p.code))
	}
	if next >= len(p.code) {
		return false
	}
	t := p.code[next]
	if t.kind == ident || t.is("::") || t.is("*") || t.is("&") || t.is("(") || t.is("{") && p.namesClass() {
		p.pos = next
		return true
	}
	return false
}

// startsDeclarator reports whether the "(" at i begins (*name) or (&name).
func (p *sharedParser) startsDeclarator(i int) bool {
	return i+1 < len(p.code) && (p.code[i+1].is("*") || p.code[i+1].is("&"))
}

// namesClass reports whether the word at pos is a class key or follows one.
func (p *sharedParser) namesClass() bool {
	return isClassKey(p.code[p.pos].text) || p.pos > 0 && isClassKey(p.code[p.pos-1].text)
}

// declarator reads "*name[3][4]" up to the comma or semicolon behind it.
func (p *sharedParser) declarator() bool {
	for p.more() && (p.code[p.pos].kind != ident || p.code[p.pos].is("const") || p.code[p.pos].is("volatile")) {
		if t := p.code[p.pos]; !t.is("*") && !t.is("&") && !t.is("(") && t.kind != ident {
			return false
		}
		p.pos++
	}
	if !p.more() {
		return false
	}
	d := declarator{name: p.code[p.pos]}
	p.pos++
	for p.more() && !p.code[p.pos].is(",") && !p.code[p.pos].is(";") {
		p.suffix(&d)
	}
	p.declaration.declarators = append(p.declaration.declarators, d)
	return true
}

// suffix reads one token or bracket behind a declared name.
func (p *sharedParser) suffix(d *declarator) {
	t := p.code[p.pos]
	end := min(p.close[p.pos], len(p.code)-1)
	switch {
	case t.kind == ident && takesArguments(t.text):
		p.attribute()
		return
	case t.is("[") && end == p.pos+1 && d.open == nil:
		d.open = &tokenRange{t.offset, p.code[end].end()}
	case t.is("="), t.is("{"):
		d.given = true
	}
	p.pos = end + 1
}
