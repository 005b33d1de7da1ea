package tasks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// FromReference makes a task of a PyTorch reference alone. It is given all that
// the task is to hold but SHA256. The reference is checked as far as its text
// tells: well formed, with Model, get_inputs and get_init_inputs. Of problems the
// path is the task's.
func FromReference(t Task) (Task, []Problem) {
	problems := checkText(t.Reference)
	if len(problems) == 0 {
		problems = checkModel(t.Reference)
	}
	for i := range problems {
		problems[i].Path = t.Path
	}
	t.SHA256 = t.hash()
	return t, problems
}

// checkText refuses what no person reads.
func checkText(text string) []Problem {
	if len(text) > MaxFile {
		return []Problem{tooLong(len(text))}
	}
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		if r == 0 || r == utf8.RuneError && n == 1 {
			return []Problem{{Line: strings.Count(text[:at], "\n") + 1, Text: "is no text in UTF-8"}}
		}
		at += n
	}
	return nil
}

// checkModel is checkReference for a file that nothing else is known of.
func checkModel(text string) []Problem {
	tokens, problem := lexPython(text)
	if problem != nil {
		return []Problem{*problem}
	}
	if missing := missing(topLevel(tokens)); len(missing) > 0 {
		return []Problem{{Text: fmt.Sprintf("no %s at the top level", strings.Join(missing, ", no "))}}
	}
	return nil
}

// checkReference checks the outline of a reference.py: it is well formed, has
// what KernelBench's format asks for, and its constants are the task's full size.
func checkReference(text string, t Task) []Problem {
	tokens, problem := lexPython(text)
	if problem != nil {
		return []Problem{*problem}
	}
	outline := topLevel(tokens)
	var problems []Problem
	for _, what := range missing(outline) {
		problems = append(problems, Problem{Text: fmt.Sprintf("no %s at the top level", what)})
	}
	return append(problems, checkConstants(outline, t)...)
}

// missing lists what KernelBench's format asks for and a file does not define.
func missing(outline map[string]definition) []string {
	var missing []string
	for _, want := range []struct{ keyword, name string }{
		{"class", "Model"}, {"def", "get_inputs"}, {"def", "get_init_inputs"},
	} {
		if outline[want.name].keyword != want.keyword {
			missing = append(missing, want.keyword+" "+want.name)
		}
	}
	return missing
}

// definition is what a name stands for at the top level of a Python file.
type definition struct {
	keyword string // "class", "def", or "=" for an assignment
	value   string // of an assignment of one number
	line    int
}

// topLevel finds the classes, functions and assigned names of a Python file.
func topLevel(tokens []pyToken) map[string]definition {
	outline := map[string]definition{}
	depth, fresh := 0, true // fresh: at the start of a logical line
	for i, tok := range tokens {
		switch tok.kind {
		case pyIndent:
			depth++
		case pyDedent:
			depth--
		case pyNewline:
			fresh = true
		default:
			if depth == 0 && fresh {
				define(outline, tokens[i:])
			}
			fresh = false
		}
	}
	return outline
}

// define adds what the logical line that the tokens start with defines.
func define(outline map[string]definition, line []pyToken) {
	if len(line) < 3 || line[0].kind != pyName {
		return
	}
	switch {
	case line[0].text == "class" || line[0].text == "def":
		outline[line[1].text] = definition{keyword: line[0].text, line: line[0].line}
	case line[1].text == "=" && line[2].text != "=":
		d := definition{keyword: "=", line: line[0].line}
		if line[2].kind == pyNumber && (len(line) == 3 || line[3].kind == pyNewline) {
			d.value = strings.ReplaceAll(line[2].text, "_", "")
		}
		outline[line[0].text] = d
	}
}

// checkConstants compares the constants named like dimensions with the full
// size: what the model reads must be what is measured.
func checkConstants(outline map[string]definition, t Task) []Problem {
	full, err := t.Size("full")
	if err != nil {
		return nil // reported with the manifest
	}
	var problems []Problem
	for _, dim := range t.Signature.Dims {
		d, want := outline[dim], full.Values[dim]
		switch got, err := strconv.ParseInt(d.value, 0, 64); {
		case d.keyword != "=":
			problems = append(problems, Problem{Text: fmt.Sprintf("no constant %s: want %s = %d, as at size full", dim, dim, want)})
		case err != nil || got != want:
			problems = append(problems, Problem{Line: d.line, Text: fmt.Sprintf("constant %s differs from size full: want %d", dim, want)})
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	return problems
}
