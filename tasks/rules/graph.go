package rules

import "slices"

// graph is which pieces of C++ mention which, by name. It is a guess from words:
// where it does not know, it takes a kernel as launched.
type graph struct {
	chunks  []chunk
	named   map[string][]int // chunks of a name
	kernels []kernel
	is      map[string]bool // a kernel
}

// chunk is a function, macro or variable with all that it is made of.
type chunk struct {
	name     string
	in       code
	from, to int // its words: [from, to)
}

func (ch chunk) words() []Word { return ch.in.words[ch.from:ch.to] }

type kernel struct {
	name string // "" when a macro makes it up
	line int
}

func newGraph(sources []Source) graph {
	g := graph{named: map[string][]int{}, is: map[string]bool{}}
	for _, c := range read(sources) {
		for i := range c.words {
			if c.is(i, Identifier) && c.text(i) == "__global__" {
				k := c.kernelAt(i)
				g.kernels = append(g.kernels, k)
				g.is[k.name] = true
			}
		}
		g.cut(c)
	}
	for i, ch := range g.chunks {
		g.named[ch.name] = append(g.named[ch.name], i)
	}
	return g
}

// kernelAt names the kernel whose __global__ stands at i.
func (c code) kernelAt(i int) kernel {
	k := kernel{line: c.words[i].Line}
	name := c.functionName(i+1, len(c.words))
	if name > 0 && c.text(name-1) != "##" {
		k.name, k.line = c.text(name), c.words[name].Line
	}
	return k
}

// functionName is the index of the first name in [from, to) that a parameter
// list follows, -1 without one.
func (c code) functionName(from, to int) int {
	for i := from; i < to; i++ {
		if !c.is(i, Identifier) || c.text(i+1) != "(" {
			continue
		}
		if isOneOf(c.text(i), "__launch_bounds__ __attribute__ __cluster_dims__ __block_size__ __maxnreg__ __align__ alignas decltype") {
			i = c.close[i+1]
			continue
		}
		return i
	}
	return -1
}

// cut splits a source into chunks. Namespaces and classes are looked into.
func (g *graph) cut(c code) {
	start := 0
	for i := 0; i < len(c.words); i++ {
		switch w := c.words[i]; {
		case w.Directive > 0:
			end := c.directiveEnd(i)
			g.define(c, i, end)
			if start == i {
				start = end
			}
			i = end - 1
			continue
		case w.Kind != Punctuation:
			continue
		}
		switch c.text(i) {
		case "(":
			i = c.close[i]
		case ";", "}":
			g.add(c, start, i)
			start = i + 1
		case "{":
			if c.opensScope(start, i) {
				start = i + 1
				continue
			}
			i = c.close[i]
			g.add(c, start, i+1)
			start = i + 1
		}
	}
	g.add(c, start, len(c.words))
}

// directiveEnd is the index after the preprocessor line that the word at i is in.
func (c code) directiveEnd(i int) int {
	end := i + 1
	for end < len(c.words) && c.words[end].Directive == c.words[i].Directive {
		end++
	}
	return end
}

// define makes a chunk of a macro's definition.
func (g *graph) define(c code, from, to int) {
	if from+3 < to && c.text(from+1) == "define" {
		g.chunks = append(g.chunks, chunk{c.text(from + 2), c, from + 3, to})
	}
}

// opensScope reports whether the brace after a head holds declarations.
func (c code) opensScope(from, brace int) bool {
	for i := from; i < brace; i++ {
		switch c.text(i) {
		case "namespace", "extern":
			return c.functionName(from, brace) < 0
		case "class", "struct", "union":
			return c.functionName(from, brace) < 0 && c.text(brace-1) != "="
		}
	}
	return false
}

func (g *graph) add(c code, from, to int) {
	name := c.functionName(from, to)
	for i := from; i < to && name < 0; i++ {
		if c.is(i, Identifier) && c.text(i+1) == "=" {
			name = i
		}
	}
	if name >= 0 {
		g.chunks = append(g.chunks, chunk{c.text(name), c, from, to})
	}
}

// launches reports whether a kernel is launched from one of the roots; without
// roots, or where one has no body here, from anywhere.
func (g graph) launches(roots []string) bool {
	indirect, mentioned := false, false
	for _, i := range g.reachable(roots) {
		direct, other, value := g.launchesIn(g.chunks[i])
		if direct {
			return true
		}
		indirect, mentioned = indirect || other, mentioned || value
	}
	return indirect && (mentioned || g.is[""])
}

func (g graph) reachable(roots []string) []int {
	seen := map[int]bool{}
	var queue []int
	visit := func(name string) {
		for _, i := range g.named[name] {
			if !seen[i] {
				seen[i] = true
				queue = append(queue, i)
			}
		}
	}
	everything := len(roots) == 0
	for _, r := range roots {
		everything = everything || !slices.ContainsFunc(g.named[r], g.defined)
		visit(r)
	}
	if everything {
		for name := range g.named {
			visit(name)
		}
	}
	for at := 0; at < len(queue); at++ {
		for _, w := range g.chunks[queue[at]].words() {
			visit(w.Text)
		}
	}
	return queue
}

// defined reports whether a chunk has a body: without one it is a declaration.
func (g graph) defined(i int) bool {
	for _, w := range g.chunks[i].words() {
		if w.Kind == Punctuation && w.Text == "{" {
			return true
		}
	}
	return false
}

// launchesIn looks for launches in a chunk: of a kernel by its name, of
// something else, and for kernels mentioned as values.
func (g graph) launchesIn(ch chunk) (direct, indirect, mentioned bool) {
	c := ch.in
	for i := ch.from; i < ch.to; i++ {
		switch w := c.text(i); {
		case w == "<<<" && c.is(i, Punctuation):
			target := c.text(c.launched(i))
			direct, indirect = direct || g.is[target], indirect || !g.is[target]
		case !c.is(i, Identifier):
		case isLaunch(w) && isOneOf(c.text(i+1), "( <"):
			kernel := g.amongArguments(c, i)
			direct, indirect = direct || kernel, indirect || !kernel
		case g.is[w] && c.text(i+1) != "(" && !c.inquired(i):
			mentioned = true
		}
	}
	return direct, indirect, mentioned
}

// window is how many words of a launch are looked at: a hostile text may nest
// as many launches as it has words.
const window = 500

// launched is the index of the name before a "<<<" and its template arguments.
func (c code) launched(i int) int {
	i--
	last := i - window
	if c.text(i) != ">" {
		return i
	}
	for depth := 0; i >= max(0, last); i-- {
		switch c.text(i) {
		case ">":
			depth++
		case "<":
			depth--
		}
		if depth == 0 {
			return i - 1
		}
	}
	return -1
}

// isLaunch reports whether a function launches a kernel that it is given.
func isLaunch(name string) bool {
	if isOneOf(name, "__launch_bounds__ cudaLaunchHostFunc") {
		return false
	}
	for i := 0; i+6 <= len(name); i++ {
		if part := name[i : i+6]; part == "Launch" || part == "launch" {
			return true
		}
	}
	return isOneOf(name, "cudaGraphAddKernelNode cuGraphAddKernelNode")
}

// amongArguments reports whether a call that starts at i is given a kernel,
// among its template arguments or the others.
func (g graph) amongArguments(c code, i int) bool {
	open := i + 1
	for open < min(len(c.words), i+window) && c.text(open) != "(" {
		open++
	}
	if open >= len(c.words) || c.text(open) != "(" {
		return false
	}
	for j := i; j < min(c.close[open], open+window); j++ {
		if c.is(j, Identifier) && g.is[c.text(j)] {
			return true
		}
	}
	return false
}

// inquired reports whether a kernel stands where it is only asked about:
// an attribute or an occupancy, just after the opening of such a call.
func (c code) inquired(i int) bool {
	for j := i - 1; j >= 0 && j > i-12; j-- {
		w := c.text(j)
		if isOneOf(w, "; { }") {
			return false
		}
		for _, prefix := range []string{"cudaFunc", "cudaOccupancy", "cuFunc", "cuOccupancy"} {
			if len(w) > len(prefix) && w[:len(prefix)] == prefix {
				return true
			}
		}
	}
	return false
}
