package compile

import (
	"sort"
	"strings"
)

// File is what a lexer can tell of one .cu file. Names in comments, in strings
// and in text disabled by "#if 0" never count.
type File struct {
	Name        string
	Text        string
	Kernels     []Kernel
	Launches    []Launch
	Shared      []Shared
	Unsupported []Construct // what the CPU emulation cannot run, by line

	source    source
	functions []function
	bodies    []function // those with a body, in order
	shared    []sharedDeclaration
	byName    map[string][]Kernel // overloads and specialisations share a name
}

// Kernel is a __global__ function with a body.
type Kernel struct {
	Name       string
	Line       int
	Template   bool
	Parameters string // text between the parentheses

	arity int // template parameters, -1 when their number is open
}

// Launch is one k<<<...>>>(...).
type Launch struct {
	Kernel string   // the expression before <<<, on one line
	Config []string // grid, block, shared bytes, stream: as many as are given
	Line   int
	Column int

	site launchSite
}

// Shared is one __shared__ variable.
type Shared struct {
	Name    string
	Dynamic bool // extern: its size comes with the launch
	Line    int
}

// Construct is something in the text that a backend cannot run.
type Construct struct {
	Name string // as a CUDA programmer calls it: "inline PTX (asm)"
	Line int    // where it first occurs
}

// Parse reads one .cu file. It accepts any text: what it does not recognise is
// left to the compiler.
func Parse(name, src string) File {
	f := File{Name: name, Text: src, source: read(src), byName: map[string][]Kernel{}}
	f.functions = findFunctions(f.source)
	for _, fn := range f.functions {
		if fn.body {
			f.bodies = append(f.bodies, fn)
		}
		if fn.body && fn.kernel {
			k := Kernel{fn.name, fn.line, fn.template, fn.parameters, fn.arity}
			f.Kernels = append(f.Kernels, k)
			f.byName[k.Name] = append(f.byName[k.Name], k)
		}
	}
	for _, site := range findLaunches(f.source) {
		f.Launches = append(f.Launches, site.launch())
	}
	f.shared = findShared(f.source)
	for _, d := range f.shared {
		f.Shared = append(f.Shared, d.variables()...)
	}
	f.Unsupported = findUnsupported(f)
	return f
}

// Defines reports whether the text has a function of that name with a body.
func (f File) Defines(name string) bool {
	for _, fn := range f.bodies {
		if fn.name == name {
			return true
		}
	}
	return false
}

// enclosing is the function body that a token of the code lies in, nil outside.
func (f File) enclosing(index int) *function {
	i := sort.Search(len(f.bodies), func(i int) bool { return f.bodies[i].last > index })
	if i < len(f.bodies) && f.bodies[i].contains(index) {
		return &f.bodies[i]
	}
	return nil
}

// oneLine writes tokens on one line, with a blank where the text had any gap.
func oneLine(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && tokens[i-1].end() != t.offset {
			b.WriteByte(' ')
		}
		b.WriteString(strings.ReplaceAll(t.text, "\n", " "))
	}
	return b.String()
}
