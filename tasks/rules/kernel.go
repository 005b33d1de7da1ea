package rules

import (
	"fmt"
	"strings"
)

// kernelRules ask for a kernel that is the answer's own and does the work.
func kernelRules() []Rule {
	return []Rule{
		ownKernel(),
		{Name: "decoy-kernel", Title: "the kernel is launched, and Python calls what launches it",
			Why: "A kernel that never runs is for show.", whole: decoys},
		{Name: "hidden-source", Title: "the text given to load_inline can be read",
			Why: "A source that is put together while running cannot be judged.", python: hiddenSources},
	}
}

func ownKernel() Rule {
	return Rule{Name: "kernel", Title: "a __global__ function, in Python built by load_inline, or a @triton.jit function",
		Why: "What is asked for is a kernel.", whole: hasKernel}
}

func hasKernel(a Answer) []Violation {
	kernel := false
	for _, s := range a.CUDA {
		for _, w := range s.Words {
			kernel = kernel || w.Kind == Identifier && w.Text == "__global__"
		}
	}
	if a.Dialect != "torch" {
		if kernel {
			return nil
		}
		return []Violation{{Line: 1, Why: "there is no kernel: write a __global__ function and launch it from solve"}}
	}
	built := len(a.Facts.Builds) > 0
	switch {
	case len(a.Facts.jitted()) > 0 || built && (kernel || len(hiddenSources(a.Facts)) > 0):
		return nil
	case built:
		return []Violation{{Line: a.Facts.Builds[0].Line, Why: "no source has a kernel: write a __global__ function and launch it"}}
	}
	return []Violation{{Line: 1, Why: "there is no kernel: build a __global__ function with load_inline, or write a @triton.jit function"}}
}

func hiddenSources(f Facts) []Violation {
	var found []Violation
	for _, b := range f.Builds {
		for _, s := range b.Sources {
			if s.Text == nil {
				found = append(found, Violation{Line: b.Line,
					Why: b.Call + " gets a source that cannot be read here: write its text as a string in the file"})
			}
		}
	}
	return found
}

// decoys finds kernels that are there and never run. One that is launched by
// the code that Python calls is enough: unused code beside it is no sin.
func decoys(a Answer) []Violation {
	found := tritonDecoys(a.Facts)
	g := newGraph(a.CUDA)
	if len(g.kernels) == 0 || a.Dialect == "torch" && len(hiddenSources(a.Facts)) > 0 {
		return found
	}
	roots := []string{"solve"}
	if a.Dialect == "torch" {
		called, known := calledFunctions(a.Facts)
		if known && len(called) == 0 {
			return append(found, Violation{Line: a.Facts.Builds[0].Line, Why: "nothing that load_inline builds is called: call it in forward"})
		}
		roots = called
		if !known {
			roots = nil
		}
	}
	if !g.launches(roots) {
		k := g.kernels[0]
		found = append(found, Violation{Line: k.line, Why: fmt.Sprintf(
			"kernel %s is never launched by what is called: launch it, and let it do the work", k.name)})
	}
	return found
}

func tritonDecoys(f Facts) []Violation {
	jitted := f.jitted()
	launched := map[string]bool{}
	for _, u := range f.Uses {
		if name, ok := strings.CutPrefix(u.Name, ":"); ok {
			jit := jitted[name] || jitted[strings.TrimSuffix(name, ".run")]
			// A jitted function may stand in a table or be wrapped: then a load counts.
			if jit && !jitted[u.In] && u.Use != "call" || jit && strings.HasSuffix(name, ".run") {
				launched[name] = true
			}
		}
	}
	if len(jitted) == 0 || len(launched) > 0 {
		return nil
	}
	for _, fn := range f.Functions {
		if jitted[fn.Name] {
			return []Violation{{Line: fn.Line, Why: fn.Name + " is never launched: launch it with [grid], and let it do the work"}}
		}
	}
	return nil
}

// calledFunctions lists the C++ functions that Python uses, and whether that is
// all there can be.
func calledFunctions(f Facts) (names []string, known bool) {
	known = len(f.Builds) > 0
	var offered []string
	for _, b := range f.Builds {
		known = known && b.Functions != nil
		offered = append(offered, b.Functions...)
	}
	for _, u := range f.Uses {
		build := strings.HasPrefix(u.Name, "build:")
		if build && !strings.Contains(u.Name, ".") || strings.HasPrefix(u.Name, "getattr(") {
			known = false // it is handed on: anything may be called
		}
		if build && strings.Contains(u.Name, ".") || strings.Contains(u.Name, ".") && isAny(last(u.Name), offered) {
			names = append(names, last(u.Name))
		}
	}
	return names, known
}

func isAny(name string, names []string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}
