package rules

import (
	"fmt"
	"strings"
)

// harnessRules keep an answer from working on the judging instead of the task.
func harnessRules() []Rule {
	return []Rule{
		patching(),
		{Name: "dynamic-code", Title: "no code from strings, no look into other frames or modules",
			Why: "What an answer does must be readable in it.", python: dynamicCode},
		threads(),
		{Name: "processes", Title: "no other processes", Why: "Work in them escapes the clock.", python: processes},
		{Name: "host-call", Title: "no system calls, processes or loaded libraries from C++",
			Why: "A kernel needs none of them.", cpp: hostCallsInCPP},
		{Name: "network", Title: "no network", Why: "The judging has none.", python: network},
		fakeTensor(),
		{Name: "current-stream", Title: "the current stream stays as it is",
			Why: "Work on a stream that nobody waits for is not timed.", python: currentStream, cpp: currentStreamInCPP},
		{Name: "precision-flag", Title: "PyTorch's precision stays as the run has it",
			Why: "A flag is no kernel, and baselines run without it.", python: precisionFlags},
	}
}

func patching() Rule {
	return Rule{Name: "patching", Title: "nothing that is imported is changed",
		Why: "Changed timers and comparisons measure nothing.", python: patches}
}

func threads() Rule {
	return Rule{Name: "threads", Title: "no threads or worker processes",
		Why: "Work that goes on behind a call is not timed.", python: threadsInPython, cpp: threadsInCPP}
}

func fakeTensor() Rule {
	return Rule{Name: "fake-tensor", Title: "no classes that pose as tensors",
		Why: "Their values may come into being after the clock has stopped.", python: fakeTensors}
}

func patches(f Facts) []Violation {
	var found []Violation
	for _, u := range f.Uses {
		flag := below(u.Name, "torch.backends") || u.Name == "os.environ[]"
		if u.written() && foreign(u.Name) && !flag {
			name := strings.TrimSuffix(u.Name, "[]")
			found = append(found, Violation{Line: u.Line, Why: name + " is not the answer's to change: remove the assignment"})
		}
		if below(u.Name, "unittest.mock") || below(u.Name, "torch.overrides") || below(u.Name, "torch.utils._python_dispatch") {
			found = append(found, Violation{Line: u.Line, Why: u.Name + " changes how PyTorch works: remove it"})
		}
	}
	return found
}

func dynamicCode(f Facts) []Violation {
	var found []Violation
	for _, u := range f.Uses {
		name := strings.TrimSuffix(strings.TrimPrefix(u.Name, "builtins."), "[]")
		computed, isGetattr := strings.CutPrefix(u.Name, "getattr(")
		switch {
		case isOneOf(name, dynamicNames) || underOneOf(name, dynamicNames), inModules(name, dynamicModules),
			isOneOf(last(name), dynamicAttributes), name == "__builtins__",
			last(name) == "__dict__" && foreign(name),
			isGetattr && foreign(strings.TrimSuffix(computed, ")")):
			found = append(found, Violation{Line: u.Line, Why: strings.TrimSuffix(u.Name, ")") + " can run what nobody sees: write the code out"})
		}
	}
	return append(found, imports(f, dynamicModules, "%s runs what nobody sees: remove it")...)
}

// underOneOf reports whether a name is an attribute of one of the names.
func underOneOf(name, list string) bool {
	i := strings.LastIndexByte(name, '.')
	return i > 0 && strings.Contains(name[:i], ".") && inModules(name[:i], list)
}

func threadsInPython(f Facts) []Violation {
	const why = "%s lets work go on behind a call: do it on the current stream"
	return append(imports(f, threadModules, why), uses(f, threadModules, why)...)
}

func processes(f Facts) []Violation {
	const why = "%s starts or ends processes: an answer needs none"
	found := append(imports(f, processModules, why), uses(f, processModules, why)...)
	for _, u := range f.Uses {
		if isOneOf(u.Name, processCalls) || strings.HasPrefix(u.Name, "os.exec") || strings.HasPrefix(u.Name, "os.spawn") {
			found = append(found, Violation{Line: u.Line, Why: fmt.Sprintf(why, u.Name)})
		}
	}
	return found
}

func network(f Facts) []Violation {
	const why = "%s needs a network: there is none"
	return append(imports(f, networkModules, why), uses(f, networkModules, why)...)
}

// imports lists imports of modules that have no other use.
func imports(f Facts, modules, why string) []Violation {
	var found []Violation
	for _, i := range f.Imports {
		if inModules(i.Name, modules) {
			found = append(found, Violation{Line: i.Line, Why: fmt.Sprintf(why, i.Name)})
		}
	}
	return found
}

func uses(f Facts, modules, why string) []Violation {
	var found []Violation
	for _, u := range f.Uses {
		if foreign(u.Name) && strings.Contains(u.Name, ".") && inModules(u.Name, modules) {
			found = append(found, Violation{Line: u.Line, Why: fmt.Sprintf(why, u.Name)})
		}
	}
	return found
}

func fakeTensors(f Facts) []Violation {
	const why = " poses as a tensor: return a plain one"
	var found []Violation
	for _, c := range f.Classes {
		for _, base := range c.Bases {
			if base == "torch.Tensor" || base == "torch.nn.Parameter" || base == "torch.nn.parameter.Parameter" {
				found = append(found, Violation{Line: c.Line, Why: c.Name + why})
			}
		}
	}
	for _, fn := range f.Functions {
		if name := last(fn.Name); name == "__torch_function__" || name == "__torch_dispatch__" {
			found = append(found, Violation{Line: fn.Line, Why: "a class with " + name + why})
		}
	}
	for _, u := range f.Uses {
		name := last(u.Name)
		if isOneOf(name, "_make_subclass _make_wrapper_subclass as_subclass") || u.Name == "torch.Tensor.__new__" {
			found = append(found, Violation{Line: u.Line, Why: "what " + name + " makes" + why})
		}
	}
	return found
}

func currentStream(f Facts) []Violation {
	var found []Violation
	for _, u := range f.Uses {
		if u.Name == "torch.cuda.set_stream" || u.Name == "torch._C._cuda_setStream" {
			found = append(found, Violation{Line: u.Line, Why: u.Name + " leaves the stream that is timed: remove it"})
		}
	}
	return found
}

func precisionFlags(f Facts) []Violation {
	var found []Violation
	for _, u := range f.Uses {
		flag := u.written() && below(u.Name, "torch.backends") && last(u.Name) != "benchmark"
		call := strings.HasPrefix(u.Name, "torch.backends.") && strings.HasPrefix(last(u.Name), "set_") ||
			u.Name == "torch.set_float32_matmul_precision" || u.Name == "torch.set_default_dtype"
		if flag || call {
			found = append(found, Violation{Line: u.Line, Why: u.Name + " changes what PyTorch computes: remove it"})
		}
	}
	return found
}
