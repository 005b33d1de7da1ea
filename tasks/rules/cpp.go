package rules

import (
	"fmt"
	"strings"
)

// code is the words of one source and what it takes to read them.
type code struct {
	words    []Word
	close    []int           // for an opening bracket, the index of its closing one
	declared map[string]bool // functions and lambdas of all sources together
}

func read(sources []Source) []code {
	declared := map[string]bool{}
	var all []code
	for _, s := range sources {
		c := code{words: s.Words, close: brackets(s.Words), declared: declared}
		for i := range s.Words {
			if c.declares(i) {
				declared[s.Words[i].Text] = true
			}
		}
		all = append(all, c)
	}
	return all
}

// text is the word at i, "" outside; a literal is quoted, so it equals no name.
func (c code) text(i int) string {
	if i < 0 || i >= len(c.words) {
		return ""
	}
	return c.words[i].Text
}

func (c code) is(i int, k WordKind) bool { return i >= 0 && i < len(c.words) && c.words[i].Kind == k }

// declares reports whether the word is the name in a declaration of a function,
// a macro or a lambda.
func (c code) declares(i int) bool {
	if !c.is(i, Identifier) {
		return false
	}
	before := c.text(i - 1)
	typed := c.is(i-1, Identifier) && !isOneOf(before, "return else do case throw co_return co_yield new goto and or not")
	switch c.text(i + 1) {
	case "=":
		return typed && c.text(i+2) == "["
	case "(":
		return typed || isOneOf(before, "* & >") && c.text(c.close[i+1]+1) == "{"
	}
	return false
}

// brackets finds the closing bracket of every opening one, the last word where
// none closes it.
func brackets(words []Word) []int {
	closing := make([]int, len(words))
	var open []int
	for i, w := range words {
		if w.Kind != Punctuation {
			continue
		}
		switch w.Text {
		case "(", "[", "{":
			closing[i] = len(words) - 1
			open = append(open, i)
		case ")", "]", "}":
			if len(open) > 0 {
				closing[open[len(open)-1]] = i
				open = open[:len(open)-1]
			}
		}
	}
	return closing
}

// calls reports whether the word is a function that is called by its name alone.
func (c code) calls(i int) bool {
	return c.is(i, Identifier) && c.text(i+1) == "(" && !isOneOf(c.text(i-1), ". ->") && !c.declared[c.text(i)]
}

// path joins a qualified name that starts at i, as far as it matters.
func (c code) path(i int) string {
	const longest = 8
	name := c.text(i)
	for n := 1; n < longest && c.text(i+1) == "::" && c.is(i+2, Identifier); n++ {
		i += 2
		name += "::" + c.text(i)
	}
	return name
}

// each calls judge for every word of every source and collects what it finds.
func each(sources []Source, judge func(c code, i int) string) []Violation {
	var found []Violation
	for _, c := range read(sources) {
		for i, w := range c.words {
			if why := judge(c, i); why != "" {
				found = append(found, Violation{Line: w.Line, Why: why})
			}
		}
	}
	return found
}

func cppTorch(sources []Source) []Violation {
	spaces := torchNamespaces(sources)
	return each(sources, func(c code, i int) string {
		switch w := c.text(i); {
		case !c.is(i, Identifier):
			return ""
		case spaces[w] && c.text(i+1) == "::" && !isOneOf(c.text(i-1), ". ->") && operatorPath(c.path(i)):
			return c.path(i) + " is PyTorch's: compute it in a kernel"
		case isOneOf(w, cppOperators) && c.calls(i) && c.text(i-1) != "::":
			return w + " is PyTorch's, found by its arguments: compute it in a kernel"
		case c.text(i+1) == "(" && isOneOf(c.text(i-1), ". ->") && computes(w) && !c.declared[w]:
			return "." + w + "() is an operator of PyTorch: compute it in a kernel"
		}
		return ""
	})
}

// torchNamespaces lists at, torch and what the text makes stand for them.
func torchNamespaces(sources []Source) map[string]bool {
	spaces := map[string]bool{"at": true, "torch": true}
	for _, s := range sources {
		c := code{words: s.Words}
		for i := range s.Words {
			to := i + 2
			if c.text(to) == "=" {
				to++
			}
			if c.text(to) == "::" {
				to++
			}
			alias := isOneOf(c.text(i), "namespace define") && isOneOf(c.text(to), "at torch") && c.text(to+1) != "::"
			if alias && c.is(i+1, Identifier) && to > i+1 {
				spaces[c.text(i+1)] = true
			}
		}
	}
	return spaces
}

// operatorPath reports whether a name below at or torch computes.
func operatorPath(path string) bool {
	parts := strings.Split(path, "::")[1:]
	if len(parts) == 0 {
		return false
	}
	first := parts[0]
	if first == "cuda" && len(parts) > 1 {
		return isOneOf(parts[1], "blas solver sparse jit getCurrentCUDABlasHandle getCurrentCUDASparseHandle")
	}
	if first == "Tensor" && len(parts) > 1 {
		return computes(parts[1])
	}
	constant := len(first) > 1 && first[0] == 'k' && isCapital(first[1])
	return !isCapital(first[0]) && !constant && !isOneOf(first, cppAllowed)
}

func isCapital(b byte) bool { return 'A' <= b && b <= 'Z' }

func cppLibraries(sources []Source) []Violation {
	return each(sources, func(c code, i int) string {
		if c.is(i, Identifier) && ofLibrary(c, i) {
			return c.path(i) + " is a library's: write the kernel yourself"
		}
		return ""
	})
}

// ofLibrary reports whether a name belongs to a library that computes. The
// parts of CUB that work within a block or warp are tools for a kernel.
func ofLibrary(c code, i int) bool {
	w := c.text(i)
	for _, prefix := range strings.Fields("cublas cudnn cusparse cusolver cufft cutensor nvjitlink") {
		rest, ok := strings.CutPrefix(w, prefix)
		if ok && (rest != "" && isCapital(rest[0]) || rest == "" && c.text(i+1) == "##") {
			return true
		}
	}
	if w == "getCurrentCUDABlasHandle" {
		return true
	}
	if c.text(i+1) != "::" {
		return false
	}
	return isOneOf(w, "cutlass cute thrust cublasdx cufftdx nvmath") || w == "cub" && strings.HasPrefix(c.text(i+2), "Device")
}

func hostCallsInCPP(sources []Source) []Violation {
	return each(sources, func(c code, i int) string {
		if isOneOf(c.text(i), hostCalls) && c.calls(i) {
			return fmt.Sprintf("%s reaches out of the process: a kernel needs no such call", c.text(i))
		}
		return ""
	})
}

func threadsInCPP(sources []Source) []Violation {
	return each(sources, func(c code, i int) string {
		w := c.text(i)
		standard := c.text(i) == "std" && c.text(i+1) == "::" && isOneOf(c.text(i+2), "thread jthread async") && c.text(i+3) != "::"
		if standard || isOneOf(w, "pthread_create thrd_create clone3 cudaLaunchHostFunc") && c.calls(i) {
			return c.path(i) + " lets work go on behind a call: launch on the current stream"
		}
		return ""
	})
}

func currentStreamInCPP(sources []Source) []Violation {
	return each(sources, func(c code, i int) string {
		if c.text(i) == "setCurrentCUDAStream" {
			return "setCurrentCUDAStream leaves the stream that is timed: remove it"
		}
		return ""
	})
}
