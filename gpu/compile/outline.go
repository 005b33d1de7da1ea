package compile

import "strings"

// item is one declaration at namespace or class scope, from its first token to
// the ";" or "}" that ends it.
type item struct {
	declarationHead
	kind        itemKind
	first, last int             // tokens [first, last)
	open        int             // the "{" of its body, 0 when there is none
	words       map[string]bool // of the head, with macros spelled out
	path        string          // the namespaces around it: "a::b"
	parent      int             // index of the class that it is a member of, -1 outside
}

// itemKind is what an item declares.
type itemKind uint8

const (
	otherItem     itemKind = iota // using, typedef, static_assert, friend, forward declarations of classes, ...
	functionItem                  // with or without a body
	classItem                     // with a body
	variableItem                  // at namespace scope
	instanceItem                  // an explicit instance of a template
	namespaceItem                 // one without a name: [first, open] only
)

// outline lists the declarations of a text, outer ones before their members.
type outline struct {
	source
	functionMacros map[string]bool
	expansions     map[string][]token // of macros without parameters
	depth          int
	items          []item
}

// unnamed takes the place of a namespace without a name, so that both parts of a
// text agree on the symbols in it.
const unnamed = "hone_unnamed"

func outlineOf(s source) []item {
	o := outline{source: s, functionMacros: map[string]bool{}, expansions: map[string][]token{}}
	for _, m := range s.macros {
		if len(m.params) > 0 {
			o.functionMacros[m.name] = true
		} else if len(o.expansions[m.name]) < longSpecifiers {
			o.expansions[m.name] = append(o.expansions[m.name], m.body...)
		}
	}
	o.scope(0, len(s.code), "", -1)
	return o.items
}

// scope reads the declarations in [from, to).
func (o *outline) scope(from, to int, path string, parent int) {
	o.depth++
	defer func() { o.depth-- }()
	start := from
	for i := from; i < to && o.depth < deepest; i++ {
		if i == start {
			start = o.skipMacros(start, to)
			i = max(i, min(start, to-1))
		}
		switch t := o.code[i]; {
		case t.is(";"):
			o.statement(start, i+1, path, parent)
			start = i + 1
		case t.is("}"), t.is(":") && i == start+1 && parent >= 0:
			start = i + 1 // stray, or the label of an access specifier
		case t.is("("), t.is("["):
			i = min(o.close[i], to-1)
		case t.is("{"):
			next, ended := o.braces(start, i, to, path, parent)
			if ended {
				start = next
			}
			i = max(i, next-1)
		}
	}
}

// skipMacros steps over uses of macros with arguments that stand where a
// declaration may begin: what follows is not part of them.
func (o *outline) skipMacros(start, to int) int {
	for start+1 < to && o.functionMacros[o.code[start].text] && o.code[start+1].is("(") && o.close[start+1] < to {
		start = o.close[start+1] + 1
	}
	return start
}

// braces reads "head {...}" in a scope that ends at to. It returns the index to
// go on at and whether the declaration ends there.
func (o *outline) braces(start, open, to int, path string, parent int) (next int, ended bool) {
	end := min(o.close[open], to-1)
	it := item{first: start, last: end + 1, open: open, path: path, parent: parent}
	d := declarations{source: o.source}
	it.declarationHead = d.head(start, open)
	o.spell(&it)
	switch {
	case it.has["namespace"]:
		o.namespace(it, end)
	case it.linkage && it.parameters == 0:
		o.scope(open+1, end, path, parent)
	case it.has["="] && !it.operator, it.has["enum"]:
		return end + 1, false
	case it.parameters > 0:
		it.kind = functionItem
		it.open = o.bodyOf(it, open)
		it.last = min(o.close[it.open]+1, to)
		o.items = append(o.items, it)
	case it.has["struct"], it.has["class"], it.has["union"]:
		return o.class(it, end, to), true
	default:
		return end + 1, false
	}
	return it.last, true
}

// bodyOf finds the "{" of a function's body from the first "{" behind its head,
// which may belong to an initialiser of a member.
func (o *outline) bodyOf(it item, open int) int {
	colon := 0
	for i := o.close[it.parameters] + 1; i < open; i++ {
		if o.code[i].is(":") {
			colon = i
			break
		}
		i = max(i, min(o.close[i], open))
	}
	if colon == 0 {
		return open
	}
	for i := colon + 1; i < min(len(o.code), colon+reach); i++ {
		t := o.code[i]
		switch {
		case t.is("<"):
			i = max(i, skipAngles(o.code, o.close, i)-1)
		case t.is("("), t.is("{"):
			if i = o.close[i]; i+1 < len(o.code) && o.code[i+1].is("...") {
				i++
			}
			if i+1 >= len(o.code) || !o.code[i+1].is(",") {
				return min(i+1, len(o.code)-1)
			}
		case t.is(";"):
			return open
		}
	}
	return open
}

func (o *outline) namespace(it item, end int) {
	open := it.open
	path := it.path
	name := unnamed
	for i := open - 1; i >= it.first && !o.code[i].is("namespace"); i-- {
		if o.code[i].kind == ident {
			name = oneLine(o.code[i:open])
		}
	}
	if name == unnamed {
		it.kind, it.open, it.last = namespaceItem, open, open+1
		o.items = append(o.items, it)
	} else if path != "" {
		path += "::"
	}
	if name != unnamed && !it.has["inline"] {
		path += name
	}
	o.scope(open+1, end, strings.TrimSuffix(path, "::"), -1)
}

// class records a class and its members, and returns the index behind it: what
// follows up to the ";" is part of it.
func (o *outline) class(it item, end, to int) int {
	it.kind = classItem
	for it.last < to && !o.code[it.last-1].is(";") {
		it.last++
	}
	o.items = append(o.items, it)
	o.scope(it.open+1, end, it.path, len(o.items)-1)
	return it.last
}

// statement records a declaration that ends in ";".
func (o *outline) statement(start, end int, path string, parent int) {
	if end-start < 2 {
		return
	}
	it := item{first: start, last: end, path: path, parent: parent}
	d := declarations{source: o.source}
	it.declarationHead = d.head(start, end-1)
	o.spell(&it)
	first := o.code[start]
	switch {
	case first.is("template") && !o.code[start+1].is("<"), first.is("extern") && o.code[start+1].is("template"):
		it.kind = instanceItem
	case first.is("using"), first.is("typedef"), first.is("static_assert"), first.is("friend"), first.is("namespace"),
		it.has["using"], it.has["enum"], it.has["concept"]:
	case it.has["="] && !it.operator:
		it.kind = variableItem
		if parent >= 0 || it.parameters > 0 && it.assignedFunction(o.code, end) {
			it.kind = otherItem
		}
	case it.parameters > 0:
		it.kind = functionItem
	case end-start == 3 && isClassKey(first.text), it.template && isClassKey(o.code[end-3].text):
	case parent < 0:
		it.kind = variableItem
	}
	o.items = append(o.items, it)
}

// assignedFunction reports whether "= default", "= delete" or "= 0" ends it.
func (it item) assignedFunction(code []token, end int) bool {
	t := code[end-2]
	return t.is("default") || t.is("delete") || t.text == "0"
}

// spell collects the words of an item's head, those of macros included.
func (o *outline) spell(it *item) {
	it.words = map[string]bool{}
	for w := range it.has {
		it.words[w] = true
		o.expand(it.words, w, 0)
	}
}

func (o *outline) expand(words map[string]bool, name string, depth int) {
	const deep = 4
	if depth == deep {
		return
	}
	for _, t := range o.expansions[name] {
		if t.kind == ident && !words[t.text] {
			words[t.text] = true
			o.expand(words, t.text, depth+1)
		}
	}
}

// The sides of a function or variable, by its qualifiers.
func (it item) kernel() bool { return it.words["__global__"] }

func (it item) onDevice() bool {
	return it.kernel() || it.words["__device__"] || it.words["__constant__"] || it.words["__managed__"] ||
		it.words["__shared__"]
}

func (it item) onHost() bool {
	return it.words["__host__"] || !it.onDevice() || it.constant()
}

func (it item) constant() bool { return it.words["constexpr"] || it.words["consteval"] }
