package compile

// launchSite is where a launch stands. Launches in macro bodies are found too:
// there the kernel may be the macro's parameter.
type launchSite struct {
	kernel    []token  // the expression before <<<
	explicit  int      // template arguments of it
	open      token    // <<<
	config    []string // expressions between <<< and >>>
	close     token    // the last ">" of >>>
	arguments []token  // between the parentheses
	index     int      // of <<< in the code, -1 in a macro
	macro     *macro   // whose body it is in, nil in the code
}

// reach bounds in tokens how far a bracket is searched for, so that hostile text
// costs little.
const reach = 4096

// findLaunches lists the launches of a file, those in macros last.
func findLaunches(s source) []launchSite {
	found := launchesIn(s.code, s.close)
	for i := range s.macros {
		m := &s.macros[i]
		for _, site := range launchesIn(m.body, matchBrackets(m.body, nil)) {
			site.macro, site.index = m, -1
			found = append(found, site)
		}
	}
	return found
}

func launchesIn(code []token, closing []int) []launchSite {
	var found []launchSite
	for i, t := range code {
		if t.kind != punct || t.text != "<<<" {
			continue
		}
		start, end := kernelStart(code, i), configEnd(code, closing, i)
		if start == i || end < 0 {
			continue
		}
		last := closing[end+1]
		if last == len(code) {
			continue // never closed: for the compiler to tell
		}
		found = append(found, launchSite{
			kernel: code[start:i], open: t, close: code[end], index: i,
			explicit:  templateArguments(code, closing, i),
			config:    split(code, closing, i+1, end-2),
			arguments: code[end+2 : last],
		})
	}
	return found
}

// templateArguments counts those of the kernel before <<<.
func templateArguments(code []token, closing []int, open int) int {
	if !code[open-1].is(">") {
		return 0
	}
	return len(split(code, closing, angleStart(code, open-1)+1, open-1))
}

// launch is what others see of a site.
func (l launchSite) launch() Launch {
	first := l.kernel[0]
	return Launch{Kernel: oneLine(l.kernel), Config: l.config, Line: first.line, Column: first.column, site: l}
}

// kernelStart walks back from <<< over the kernel expression: a name with its
// qualifiers and template arguments, members, subscripts and calls, or anything
// in parentheses. It returns open when there is none.
func kernelStart(code []token, open int) int {
	pos := open
	for pos > 0 {
		t := code[pos-1]
		switch {
		case t.is(">"):
			start := angleStart(code, pos-1)
			if start <= 0 || code[start-1].kind != ident {
				return open
			}
			pos = start
		case t.is(")") || t.is("]"):
			start := bracketStart(code, pos-1)
			if start < 0 {
				return open
			}
			pos = start
			if pos == 0 || !callable(code[pos-1]) {
				return pos
			}
		case t.kind == ident && !startsStatement(t.text):
			pos--
			next := qualifierStart(code, pos)
			if next == pos || next == 0 || !callable(code[next-1]) {
				return next
			}
			pos = next
		default:
			return pos
		}
	}
	return pos
}

// qualifierStart steps back over what joins a name to what stands before it.
func qualifierStart(code []token, pos int) int {
	i := pos
	if i > 0 && code[i-1].is("template") {
		i--
	}
	if i > 0 && (code[i-1].is("::") || code[i-1].is(".") || code[i-1].is("->")) {
		return i - 1
	}
	return pos
}

// callable reports whether an expression that ends in t can be continued by a
// call, a subscript or a member. A ")" is left out: it ends an if far more often.
func callable(t token) bool {
	return t.kind == ident && !startsStatement(t.text) || t.is("]") || t.is(">")
}

func startsStatement(word string) bool {
	switch word {
	case "if", "else", "for", "while", "do", "switch", "return", "case", "default", "goto", "throw", "constexpr":
		return true
	}
	return false
}

// angleStart finds the "<" that pairs with the ">" at index end, -1 if none.
func angleStart(code []token, end int) int {
	depth := 0
	for i := end; i >= max(0, end-reach); i-- {
		switch t := code[i]; {
		case t.is(">"):
			depth++
		case t.is("<"):
			depth--
			if depth == 0 {
				return i
			}
		case t.is(")") || t.is("]"):
			if i = bracketStart(code, i); i < 0 {
				return -1
			}
		case t.is(";") || t.is("{") || t.is("}") || t.is("("):
			return -1
		}
	}
	return -1
}

// bracketStart finds the bracket that pairs with the one at index end, -1 if
// none.
func bracketStart(code []token, end int) int {
	depth := 0
	for i := end; i >= max(0, end-reach); i-- {
		switch t := code[i]; {
		case t.is(")") || t.is("]") || t.is("}"):
			depth++
		case t.is("(") || t.is("[") || t.is("{"):
			depth--
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// configEnd finds the last ">" of the >>> that pairs with <<<, -1 if none. In a
// longer run of ">" the first ones close templates.
func configEnd(code []token, closing []int, open int) int {
	for i := open + 1; i < min(len(code), open+reach); i++ {
		switch t := code[i]; {
		case closing[i] > i:
			i = closing[i]
		case t.is(";") || t.is("}") || t.is(")") || t.is("]") || t.is("<<<"):
			return -1
		case t.is(">"):
			first := i
			for i+1 < len(code) && code[i+1].is(">") && code[i+1].offset == code[i].end() {
				i++
			}
			if i-first >= 2 && i+1 < len(code) && code[i+1].is("(") {
				return i
			}
		}
	}
	return -1
}

// split cuts the tokens in [from, to) at the commas between arguments.
func split(code []token, closing []int, from, to int) []string {
	var parts []string
	start := from
	for i := from; i < to; i++ {
		switch t := code[i]; {
		case closing[i] > i:
			i = closing[i]
		case t.is("<"):
			i = templateEnd(code, closing, i, to)
		case t.is(","):
			parts = append(parts, oneLine(code[start:i]))
			start = i + 1
		}
	}
	return append(parts, oneLine(code[start:max(start, to)]))
}

// templateEnd returns the ">" of a template argument list that opens at i, or i
// when "<" compares: a list is followed by a call, a qualifier or the end.
func templateEnd(code []token, closing []int, i, to int) int {
	end := skipAngles(code, closing, i)
	switch {
	case end == i || end > to:
		return i
	case end == to:
		return end - 1
	}
	switch code[end].text {
	case "(", "{", "::", ",", ">":
		return end - 1
	}
	return i
}

// skipAngles returns the index after a balanced <...> that starts at i, or i
// when none does.
func skipAngles(code []token, closing []int, i int) int {
	if i >= len(code) || !code[i].is("<") {
		return i
	}
	depth := 0
	for j := i; j < min(len(code), i+reach/4); j++ {
		switch t := code[j]; {
		case t.is("<"):
			depth++
		case t.is(">"):
			depth--
			if depth == 0 {
				return j + 1
			}
		case closing[j] > j:
			j = closing[j]
		case t.is(";") || t.is("}") || t.is(")") || t.is("]"):
			return i
		}
	}
	return i
}
