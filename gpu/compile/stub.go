package compile

import (
	"fmt"
	"strings"
)

// parameter is one parameter of a kernel.
type parameter struct {
	name  string
	pack  bool
	unset int // where a name must be written because it has none, -1 otherwise
}

// parameterNames lists the parameters of a kernel and the edits that name those
// without a name; false when one cannot be named.
func parameterNames(s source, it item) ([]parameter, []edit, bool) {
	from, to := it.parameters+1, s.close[it.parameters]
	if from >= to || to-from == 1 && s.code[from].is("void") || to >= len(s.code) {
		return nil, nil, to < len(s.code)
	}
	var list []parameter
	var edits []edit
	for start := from; start < to; {
		end := argumentEnd(s, start, to)
		p, ok := readParameter(s, start, end)
		if !ok {
			return nil, nil, false
		}
		if p.name == "" {
			p.name = fmt.Sprintf("hone_%d", len(list))
			edits = append(edits, edit{p.unset, p.unset, []piece{made(" " + p.name)}})
		}
		list = append(list, p)
		start = end + 1
	}
	return list, edits, true
}

// argumentEnd is the index of the "," behind the argument at start, or to.
func argumentEnd(s source, start, to int) int {
	for i := start; i < to; i++ {
		switch t := s.code[i]; {
		case s.close[i] > i:
			i = s.close[i]
		case t.is("<"):
			i = max(i, skipAngles(s.code, s.close, i)-1)
		case t.is(","):
			return i
		}
	}
	return to
}

// readParameter finds the name in [start, end): the last word behind the first,
// unless it belongs to a built-in type or to a qualified name.
func readParameter(s source, start, end int) (parameter, bool) {
	p := parameter{}
	words, last := 0, ""
	for i := start; i < end; i++ {
		t := s.code[i]
		switch {
		case t.is("="):
			end = i
		case t.is("..."):
			p.pack = true
		case t.is("(") && !takesArguments(s.code[i-1].text), t.is("[") && words < 2:
			return p, false // a pointer to a function or array, or an array without a name
		case t.is("("), t.is("["):
			i = s.close[i]
		case t.is("<"):
			i = max(i, skipAngles(s.code, s.close, i)-1)
		case t.kind == ident && s.code[i-1].is("::"):
			last = ""
		case t.kind == ident && !qualifier(t.text):
			words++
			last = t.text
		}
	}
	if words > 1 && !typeWord(last) {
		p.name = last
	}
	if p.name == "" && end > start {
		p.unset = s.code[end-1].end()
	}
	return p, end > start
}

// qualifier lists words of a parameter that are neither type nor name.
func qualifier(word string) bool {
	switch word {
	case "const", "volatile", "__restrict__", "__restrict", "restrict", "typename", "struct", "class", "enum", "union",
		"__grid_constant__", "alignas", "__align__", "register":
		return true
	}
	return false
}

// typeWord lists the words of built-in types.
func typeWord(word string) bool {
	switch word {
	case "void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "auto":
		return true
	}
	return false
}

// stubBody is what a kernel does on the host.
func stubBody(parameters []parameter) string {
	names := []string{"hone_id"}
	for _, p := range parameters {
		name := p.name
		if p.pack {
			name += "..."
		}
		names = append(names, name)
	}
	return fmt.Sprintf("{ static hone_kernel hone_id; ::hone::stub(%s); }", strings.Join(names, ", "))
}
