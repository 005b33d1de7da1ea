package rules

import (
	"fmt"
	"strings"
)

// torchRules keep PyTorch and libraries from doing the work.
func torchRules() []Rule {
	return []Rule{
		{Name: "torch-nn", Title: "torch.nn for state only: Module, Parameter, containers, init",
			Why: "A layer of torch.nn runs PyTorch's kernels instead of the answer's.", python: torchNN},
		{Name: "torch-functional", Title: "no torch.nn.functional",
			Why: "Its functions are PyTorch's kernels.", python: torchFunctional},
		{Name: "torch-operator", Title: "no PyTorch operators, methods of tensors among them",
			Why: "Tensors may be made, viewed and copied with PyTorch, but not computed with.", python: torchOperators},
		{Name: "matmul-operator", Title: "no @ on tensors",
			Why: "It calls PyTorch's matrix product.", python: matmulOperators},
		{Name: "cpp-torch-operator", Title: "no operators of at:: or torch:: in C++",
			Why: "They are the same PyTorch kernels, called from C++.", cpp: cppTorch},
		{Name: "library", Title: "no cuBLAS, cuDNN, CUTLASS, Thrust or other libraries",
			Why: "What is asked for is a kernel, not a call of somebody else's.", python: pythonLibraries, cpp: cppLibraries},
	}
}

func torchNN(f Facts) []Violation {
	var found []Violation
	for _, u := range f.Uses {
		rest, ok := strings.CutPrefix(u.Name, "torch.nn.")
		if ok && !u.written() && !isOneOf(root(rest), nnAllowed) {
			found = append(found, Violation{Line: u.Line, Why: fmt.Sprintf(
				"%s is a layer of PyTorch: keep weights in nn.Parameter and compute in your kernel", u.Name)})
		}
	}
	return found
}

func torchFunctional(f Facts) []Violation {
	var found []Violation
	for _, u := range f.Uses {
		if strings.HasPrefix(u.Name, "torch.nn.functional.") && !u.written() ||
			strings.Contains(u.Name, ".nn.functional.") && u.Name[0] == '?' {
			found = append(found, Violation{Line: u.Line, Why: u.Name + " is PyTorch's: compute it in your kernel"})
		}
	}
	return found
}

func torchOperators(f Facts) []Violation {
	var found []Violation
	jitted := f.jitted()
	for _, u := range f.Uses {
		if u.written() || jitted[u.In] {
			continue
		}
		if why := operator(u); why != "" {
			found = append(found, Violation{Line: u.Line, Why: why})
		}
	}
	return found
}

// operator says why a use computes with PyTorch, "" when it does not.
func operator(u Use) string {
	rest, isTorch := strings.CutPrefix(u.Name, "torch.")
	if isTorch {
		parent := last(strings.TrimSuffix(u.Name, "."+last(u.Name)))
		method := strings.HasSuffix(parent, "Tensor") || parent == "Parameter"
		if !isOneOf(root(rest), torchAllowed) || method && computes(last(u.Name)) {
			return u.Name + " is PyTorch's: compute it in your kernel"
		}
		return ""
	}
	if u.Name == "getattr(?)" {
		return "getattr with a computed name may call anything: write the name out"
	}
	if u.Use == "call" && ofTensor(u.Name) && computes(last(u.Name)) {
		return fmt.Sprintf(".%s() is an operator of PyTorch: compute it in your kernel", last(u.Name))
	}
	return ""
}

// ofTensor reports whether a name may be a method of a tensor: an attribute of
// something unknown, or of an attribute of self. What is self's own is a module.
func ofTensor(name string) bool {
	return strings.HasPrefix(name, "?.") || strings.HasPrefix(name, "self.") && strings.Count(name, ".") > 1
}

func computes(method string) bool {
	plain := method
	if !strings.HasSuffix(method, "__") {
		plain = strings.TrimSuffix(method, "_")
	}
	return isOneOf(method, tensorMethods) || isOneOf(plain, tensorMethods)
}

func matmulOperators(f Facts) []Violation {
	var found []Violation
	jitted := f.jitted()
	for _, op := range f.Operators {
		if !jitted[op.In] {
			found = append(found, Violation{Line: op.Line, Why: "@ is PyTorch's matrix product: compute it in your kernel"})
		}
	}
	for _, u := range f.Uses {
		switch name := last(u.Name); {
		case u.Name == "operator.matmul" || u.Name == "operator.imatmul",
			name == "__matmul__" || name == "__rmatmul__" || name == "__imatmul__":
			found = append(found, Violation{Line: u.Line, Why: u.Name + " is PyTorch's matrix product: compute it in your kernel"})
		}
	}
	return found
}

func pythonLibraries(f Facts) []Violation {
	var found []Violation
	for _, u := range f.Uses {
		if foreign(u.Name) && strings.Contains(u.Name, ".") && isOneOf(root(u.Name), libraries) {
			found = append(found, Violation{Line: u.Line, Why: u.Name + " is a library's: compute it in your kernel"})
		}
	}
	return found
}

// bypassRules keep the reference from answering for the answer. Those that
// KernelBench has too come first.
func bypassRules() []Rule {
	return []Rule{
		{Name: "try", Title: "no try",
			Why: "It lets a kernel that fails fall back on PyTorch unseen.", python: tries},
		{Name: "pass", Title: "no pass",
			Why: "An empty body inherits the work from the reference.", python: passes},
		{Name: "reference-model", Title: "no use of the reference's class Model",
			Why: "Inheriting from it or calling it repeats the reference.", python: referenceModel},
	}
}

func tries(f Facts) []Violation {
	found := statements(f, "try", "try hides a kernel that fails: let the error come out")
	for _, u := range f.Uses {
		if u.Name == "contextlib.suppress" {
			found = append(found, Violation{Line: u.Line, Why: "contextlib.suppress hides a kernel that fails: let the error come out"})
		}
	}
	return found
}

func passes(f Facts) []Violation {
	return statements(f, "pass", "pass leaves a body empty: write it out, or leave the definition away")
}

func statements(f Facts, name, why string) []Violation {
	var found []Violation
	for _, s := range f.Statements {
		if s.Name == name {
			found = append(found, Violation{Line: s.Line, Why: why})
		}
	}
	return found
}

func referenceModel(f Facts) []Violation {
	var found []Violation
	for _, c := range f.Classes {
		for _, base := range c.Bases {
			if isReference(base) {
				found = append(found, Violation{Line: c.Line, Why: c.Name + " inherits from the reference: inherit from nn.Module"})
			}
		}
	}
	for _, u := range f.Uses {
		if isReference(u.Name) && !below(u.In, "Model") {
			found = append(found, Violation{Line: u.Line, Why: "Model is the reference: do its work in your kernels"})
		}
	}
	return found
}

// isReference reports whether a name is the class Model, wherever it comes from,
// or something of it.
func isReference(name string) bool {
	own := strings.TrimPrefix(name, ":")
	return below(own, "Model") || foreign(name) && !below(name, "torch") && last(name) == "Model"
}
