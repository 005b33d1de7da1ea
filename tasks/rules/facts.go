package rules

import (
	"slices"
	"strings"
)

// Facts are what a Python file's syntax tree shows. Names look like this:
//
//	torch.relu      imported: aliases, assignments and getattr are followed
//	exec            a builtin, or bound nowhere
//	:Model.forward  defined in the file
//	build:0.add     an attribute of what the first of Builds returns
//	self.weight     an attribute of self of unknown value
//	?.relu          an attribute of any other value
//	getattr(torch)  an attribute whose name is computed; torch.* where one is stored
//
// The struct tags are the form in which the helper program prints them.
type Facts struct {
	Imports    []Fact     `json:"imports"` // Name in full
	Uses       []Use      `json:"uses"`
	Operators  []Fact     `json:"operators"`  // "@"
	Statements []Fact     `json:"statements"` // "try", "pass"
	Classes    []Class    `json:"classes"`
	Functions  []Function `json:"functions"`
	Builds     []Build    `json:"builds"`
}

// Place is where something stands: line and column from 1, the column in bytes.
type Place struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Fact is something by its name.
type Fact struct {
	Name string `json:"name"`
	In   string `json:"in"` // the function around it, "ModelNew.forward"; "" for the module
	Place
}

// Use is a name in an expression.
type Use struct {
	Name string `json:"name"`
	Use  string `json:"use"` // "call", "launch" (of Triton: f[grid](...)), "load", "store" or "delete"
	In   string `json:"in"`
	Place
}

// Class is a class definition.
type Class struct {
	Name  string   `json:"name"`
	Bases []string `json:"bases"`
	Place
}

// Function is a function or method; a method has its class in front.
type Function struct {
	Name       string   `json:"name"`
	Decorators []string `json:"decorators"`
	Place
}

// Build is one call of torch.utils.cpp_extension.load_inline or load.
type Build struct {
	Call      string   `json:"call"`      // "load_inline" or "load"
	Functions []string `json:"functions"` // that Python may call; nil when unknown
	Sources   []Text   `json:"sources"`
	Place
}

// Text is a source given to a build.
type Text struct {
	Kind  string  `json:"kind"` // "cpp" or "cuda"
	Text  *string `json:"text"` // nil when it cannot be told without running the file
	Exact bool    `json:"exact"`
	Runs  []Run   `json:"runs"`
}

// Run says where lines of a text stand in the file: line From of the text and
// those after it at Line and after, or all at Line.
type Run struct {
	From  int  `json:"from"`
	Line  int  `json:"line"`
	Fixed bool `json:"fixed"`
}

// LineOf is the line of the file on which a line of the text stands, 1 when unknown.
func (t Text) LineOf(line int) int {
	at := 1
	for _, r := range t.Runs {
		if r.From > line {
			break
		}
		at = r.Line
		if !r.Fixed {
			at += line - r.From
		}
	}
	return at
}

// Source is CUDA C++ as words.
type Source struct {
	Words []Word
}

// Word is one token. A macro's definition is part of the text; what "#if 0"
// disables is not.
type Word struct {
	Text string
	Line int // of the answer
	Kind WordKind

	Directive int // number of the preprocessor line it belongs to, 0 for ordinary code
}

// WordKind is the class of a word.
type WordKind uint8

// The classes of words. ">" stands alone, "<<<" only opens a launch.
const (
	Punctuation WordKind = iota
	Identifier
	Number
	Literal // a string, a character, or the <name> of an #include
)

// root is the first part of a name, last its last.
func root(name string) string {
	first, _, _ := strings.Cut(name, ".")
	return first
}

func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// below reports whether a name is a module or something in it.
func below(name, module string) bool {
	return name == module || strings.HasPrefix(name, module) && name[len(module)] == '.'
}

// foreign reports whether a name is imported or a builtin, not the file's own.
func foreign(name string) bool {
	switch first := root(name); {
	case name == "" || name[0] == '?' || name[0] == ':':
		return false
	default:
		return first != "self" && first != "super()" && !strings.HasPrefix(first, "build:")
	}
}

// written reports whether a use changes what it names.
func (u Use) written() bool { return u.Use == "store" || u.Use == "delete" }

// Imported reports whether a module is imported, or something in it.
func (f Facts) Imported(module string) bool {
	return slices.ContainsFunc(f.Imports, func(i Fact) bool {
		return i.Name == module || strings.HasPrefix(i.Name, module+".")
	})
}

// jitted lists the functions that Triton compiles.
func (f Facts) jitted() map[string]bool {
	found := map[string]bool{}
	for _, fn := range f.Functions {
		for _, d := range fn.Decorators {
			if d == "triton.jit" || d == "triton.runtime.jit.jit" {
				found[fn.Name] = true
			}
		}
	}
	return found
}
