package compile

import "strings"

// source is a text cut up: what the compiler proper sees, and the preprocessor
// lines beside it.
type source struct {
	text     string
	code     []token // without trivia, preprocessor lines and disabled text
	close    []int   // for an opening bracket of code, the index of its closing one
	macros   []macro
	includes []include
	branches []branch
}

// macro is one #define; body is empty for a plain flag.
type macro struct {
	name   string
	params map[string]bool
	body   []token
}

// include is one #include, without its quotes or angle brackets.
type include struct {
	name        string
	at          token
	conditional bool // it stands inside an #if
}

// read cuts a text up. Text disabled by "#if 0" is dropped; of other
// conditions every branch is kept, since which one holds is not known here.
func read(src string) source {
	r := reader{source: source{text: src}}
	tokens := lex(src)
	for i := 0; i < len(tokens); {
		if tokens[i].directive == 0 {
			if r.off == 0 && !tokens[i].trivia() {
				r.code = append(r.code, tokens[i])
			}
			i++
			continue
		}
		line := i
		for i < len(tokens) && tokens[i].directive == tokens[line].directive {
			i++
		}
		r.directive(withoutTrivia(tokens[line:i]))
	}
	r.close = matchBrackets(r.code, r.branches)
	return r.source
}

func withoutTrivia(tokens []token) []token {
	var kept []token
	for _, t := range tokens {
		if !t.trivia() {
			kept = append(kept, t)
		}
	}
	return kept
}

// reader is the state of read.
type reader struct {
	source
	off   int // depth of conditions inside disabled text, 0 when enabled
	depth int // of conditions that have not ended
}

// branch is a conditional line: where in the code it stands and what it does.
type branch struct {
	at   int
	verb string // "if", "else" or "endif"
}

// directive takes one preprocessor line, "#" first.
func (r *reader) directive(line []token) {
	if len(line) < 2 {
		return
	}
	verb, rest := line[1].text, line[2:]
	if r.off > 0 {
		r.disabled(verb)
		return
	}
	switch verb {
	case "if", "ifdef", "ifndef":
		if verb == "if" && len(rest) == 1 && (rest[0].text == "0" || rest[0].text == "false") {
			r.off = 1
		}
		r.branch("if")
	case "else", "elif":
		r.branch("else")
	case "endif":
		r.branch("endif")
	case "define":
		r.define(rest)
	case "include", "include_next", "import":
		if len(rest) > 0 {
			r.includes = append(r.includes, include{strings.Trim(rest[0].text, `<>"`), rest[0], r.depth > 0})
		}
	}
}

// disabled follows the conditions inside disabled text.
func (r *reader) disabled(verb string) {
	switch verb {
	case "if", "ifdef", "ifndef":
		r.off++
	case "endif":
		r.off--
		if r.off == 0 {
			r.branch("endif")
		}
	case "else", "elif":
		if r.off == 1 {
			r.off = 0
			r.branch("else")
		}
	}
}

func (r *reader) branch(verb string) {
	switch verb {
	case "if":
		r.depth++
	case "endif":
		r.depth--
	}
	r.branches = append(r.branches, branch{len(r.code), verb})
}

func (r *reader) define(rest []token) {
	if len(rest) == 0 {
		return
	}
	m := macro{name: rest[0].text, params: map[string]bool{}, body: rest[1:]}
	if len(m.body) > 0 && m.body[0].text == "(" && m.body[0].offset == rest[0].end() {
		end := 0
		for end < len(m.body) && m.body[end].text != ")" {
			if m.body[end].kind == ident {
				m.params[m.body[end].text] = true
			}
			end++
		}
		m.body = m.body[min(end+1, len(m.body)):]
	}
	r.macros = append(r.macros, m)
}
