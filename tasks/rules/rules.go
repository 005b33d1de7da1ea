package rules

import (
	"fmt"
	"slices"
	"strings"

	"example.com/hone/tasks/spelling"
)

// MostViolations is how many violations one check lists.
const MostViolations = 20

// Answer is what a model wrote, taken apart.
type Answer struct {
	Dialect string   // "torch": a Python file; "cuda": one .cu file
	Facts   Facts    // of the Python file; zero for "cuda"
	CUDA    []Source // the CUDA C++ in it whose text is known
}

// Violation is one break of a rule.
type Violation struct {
	Rule string // its name
	Line int    // of the answer, from 1
	Why  string // what stands there and what to do instead, one sentence
}

// Rule is one thing that an answer must or must not do.
type Rule struct {
	Name  string // "torch-operator"
	Title string // one line: "no PyTorch operators"
	Why   string // one sentence

	python func(Facts) []Violation    // what the syntax tree shows
	cpp    func([]Source) []Violation // what the C++ shows
	whole  func(Answer) []Violation   // what only both together show
}

// Set is a named list of rules.
type Set struct {
	Name  string
	Title string // one line
	Rules []Rule
}

// Sets lists the rule sets, the default first.
func Sets() []Set {
	return []Set{
		{"kevin", "all work is done by kernels of the answer's own, as in Kevin's training", slices.Concat(
			kernelRules(), torchRules(), bypassRules(), harnessRules())},
		{"kernelbench", "what KernelBench's checker refuses: try, pass, patched timers, threads, fake tensors",
			append([]Rule{ownKernel()}, append(bypassRules()[:2], patching(), threads(), fakeTensor())...)},
		{"open", "only what would break the judging; PyTorch and libraries are allowed", harnessRules()},
	}
}

// Find returns the rule set of a name. The error lists the names there are.
func Find(name string) (Set, error) {
	var names []string
	for _, s := range Sets() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Set{}, fmt.Errorf("no rule set %q%s (there are: %s)", name, spelling.DidYouMean(name, names), strings.Join(names, ", "))
}

// Check lists what an answer breaks, by line, at most [MostViolations]; none is
// a pass. It is quick enough for every turn and needs no device.
func (s Set) Check(a Answer) []Violation {
	var all []Violation
	for _, r := range s.Rules {
		if r.python != nil && a.Dialect == "torch" {
			all = append(all, named(r.Name, r.python(a.Facts))...)
		}
		if r.cpp != nil {
			all = append(all, named(r.Name, r.cpp(a.CUDA))...)
		}
		if r.whole != nil {
			all = append(all, named(r.Name, r.whole(a))...)
		}
	}
	return tidy(all)
}

// CheckSources judges CUDA C++ alone: the texts as a build gets them, where the
// answer's Python puts them together while it runs.
func (s Set) CheckSources(sources []Source) []Violation {
	var all []Violation
	for _, r := range s.Rules {
		if r.cpp != nil {
			all = append(all, named(r.Name, r.cpp(sources))...)
		}
	}
	return tidy(all)
}

func named(rule string, found []Violation) []Violation {
	for i := range found {
		found[i].Rule = rule
	}
	return found
}

// tidy keeps one violation of each rule and line, in order of lines.
func tidy(all []Violation) []Violation {
	slices.SortStableFunc(all, func(a, b Violation) int { return a.Line - b.Line })
	var kept []Violation
	for _, v := range all {
		again := func(k Violation) bool { return k.Rule == v.Rule && k.Line == v.Line }
		if len(kept) < MostViolations && !slices.ContainsFunc(kept, again) {
			kept = append(kept, v)
		}
	}
	return kept
}
