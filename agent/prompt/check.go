package prompt

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong with a prompt set.
type Problem struct {
	File    string // of the folder; "" for the folder itself
	Line    int    // 0: the whole file
	Warning bool   // the set can be used all the same
	Text    string
}

func (p Problem) String() string {
	text := p.Text
	if p.Warning {
		text = "warning: " + text
	}
	switch {
	case p.File == "":
		return text
	case p.Line == 0:
		return p.File + ": " + text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, text)
}

// sorted orders problems by place and names each once.
func sorted(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return slices.Compact(problems)
}

// check finds what is wrong with a prompt that can be parsed: first in its text,
// then by writing it out for every kind of turn.
func check(w writer, dialect string) []Problem {
	if problems := w.inspect(); len(problems) > 0 {
		return problems
	}
	return append(w.trial(dialect), w.halves()...)
}

// halves finds a chat of which one side is missing.
func (w writer) halves() []Problem {
	if w.has(partAssistant) == w.has(partResult) {
		return nil
	}
	there, missing := partAssistant, partResult
	if w.has(partResult) {
		there, missing = missing, there
	}
	return []Problem{{File: w.body, Text: fmt.Sprintf("%q is defined and %q is not: a chat needs both", there, missing)}}
}

// part is something that a prompt must not leave out.
type part struct {
	marker  string // that stands for it in a trial
	name    string // the variable
	warning bool
}

// Markers of a trial: texts that no template holds by itself.
const (
	markReference   = "class Model(nn.Module): # trial 4f1c"
	markDeclaration = "void solve(trial 9ab2)"
	markShapes      = "trial shapes 77d0"
	markDevice      = "trial device 31e8"
	markKernel      = "trial kernel 5c60"
	markSummary     = "trial summary 8e21"
	markFeedback    = "trial feedback b4d3"
	markHint        = "trial hint c95a"
	markOldHint     = "trial hint before 2f7e"
)

// trial writes the prompt out for sample turns and looks for what must be there.
func (w writer) trial(dialect string) []Problem {
	task := Task{
		Reference: markReference, Declaration: markDeclaration, Shapes: markShapes, Device: markDevice, Dialect: dialect,
	}
	old := Attempt{Number: 2, Kernel: markKernel, Summary: markSummary, Feedback: markFeedback, Hint: markOldHint}
	none := Attempt{Number: 3, Feedback: "nothing"}

	var problems []Problem
	write := func(in Input, dropped int) string {
		messages, err := w.messages(in, dropped)
		if err != nil {
			problems = append(problems, problemOf(err, w.body))
		}
		return joined(messages)
	}
	first := write(Input{Task: task, Hint: markHint}, 0)
	later := write(Input{Task: task, Hint: markHint, Turns: []Attempt{old, none}}, 0)
	fewer := write(Input{Task: task, Hint: markHint, Turns: []Attempt{old, none}}, 1)
	write(Input{Task: task}, 0)
	write(Input{Task: task, Turns: []Attempt{none}}, 0)
	if len(problems) > 0 {
		return problems
	}
	problems = append(problems, w.missing("on the first turn", first, always(dialect))...)
	problems = append(problems, w.missing("on later turns", later, append(always(dialect), history()...))...)
	if later == fewer {
		problems = append(problems, Problem{File: w.body, Warning: true,
			Text: "nothing tells the model that old attempts were left out: say so where .Dropped is not 0"})
	}
	return problems
}

func always(dialect string) []part {
	parts := []part{
		{marker: markReference, name: ".Task.Reference"},
		{marker: markHint, name: ".Hint"},
		{marker: markDevice, name: ".Task.Device", warning: true},
	}
	if dialect == "cuda" {
		parts = append(parts,
			part{marker: markDeclaration, name: ".Task.Declaration"},
			part{marker: markShapes, name: ".Task.Shapes", warning: true})
	}
	return parts
}

func history() []part {
	return []part{
		{marker: markKernel, name: ".Kernel of an earlier attempt"},
		{marker: markFeedback, name: ".Feedback of an earlier attempt"},
		{marker: markSummary, name: ".Summary of an earlier attempt", warning: true},
		{marker: markOldHint, name: ".Hint of an earlier attempt", warning: true},
	}
}

func (w writer) missing(when, text string, parts []part) []Problem {
	var problems []Problem
	for _, p := range parts {
		if !strings.Contains(text, p.marker) {
			problems = append(problems, Problem{File: w.body, Warning: p.warning, Text: fmt.Sprintf("%s is not shown %s", p.name, when)})
		}
	}
	return problems
}

func joined(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Content + "\n")
	}
	return b.String()
}

// place is how text/template begins its messages, maybe behind words of ours.
var place = regexp.MustCompile(`template: ([^:\s]+):(\d+)(?::\d+)?: (?:executing "[^"]*" at )?(?s)(.*)`)

// problemOf takes a message of text/template apart.
func problemOf(err error, file string) Problem {
	found := place.FindStringSubmatch(err.Error())
	if found == nil {
		return Problem{File: file, Text: err.Error()}
	}
	line, _ := strconv.Atoi(found[2]) // the pattern has digits alone
	return Problem{File: found[1], Line: line, Text: found[3]}
}
