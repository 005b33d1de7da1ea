package inline

import (
	"fmt"
	"strings"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
)

// symbolPrefix begins the symbols that the binder calls.
const symbolPrefix = "hone_call_"

// bound is one function that Python calls, before its types are read.
type bound struct {
	name     string // in Python
	function string // in C++
}

// exports is what Python calls of a module.
type exports struct {
	functions []Function
	glue      string           // C++ that defines their symbols
	problems  []gpu.Diagnostic // why load_inline would refuse them, in lines of the text
	foreign   string           // what the binder cannot pass, empty when it can pass all
}

// export finds the functions that a request names. They must be declared in the C++
// sources, as load_inline has it: it writes its bindings behind these.
func export(r Request, w wholeText, names []bound) exports {
	var e exports
	declared := compile.Prototypes(strings.Join(r.CPP, "\n"))
	anywhere := compile.Prototypes(w.text)
	var glue strings.Builder
	for i, n := range names {
		p, ok := prototype(declared, n.function)
		at, known := prototype(anywhere, n.function)
		switch {
		case !ok && known:
			e.refuse(at.Line, "load_inline cannot bind %s: declare it in cpp_sources, it is only in cuda_sources", n.function)
		case !ok:
			e.refuse(w.line(r.Line), "load_inline cannot bind %s: no such function in cpp_sources", n.function)
		default:
			spec, unknown := specOf(p)
			if unknown != "" && e.foreign == "" {
				e.foreign = fmt.Sprintf("the function %s has the type %s", n.function, unknown)
			}
			f := Function{Name: n.name, Symbol: fmt.Sprintf("%s%d_%s", symbolPrefix, i, n.function), Spec: spec}
			e.functions = append(e.functions, f)
			glue.WriteString(wrapper(f, p))
		}
	}
	if glue.Len() > 0 {
		e.glue = resultsType + glue.String()
	}
	return e
}

func (e *exports) refuse(line int, format, name string) {
	e.problems = append(e.problems, gpu.Diagnostic{
		Tool: "hone", Line: line, Severity: "error", Message: fmt.Sprintf(format, name),
	})
}

// line is a line of the answer in the text, 0 where they do not agree.
func (w wholeText) line(answer int) int {
	if w.placed {
		return answer
	}
	return 0
}

func prototype(list []compile.Prototype, name string) (compile.Prototype, bool) {
	for _, p := range list {
		if p.Name == name && !p.Template && !p.Device {
			return p, true
		}
	}
	return compile.Prototype{}, false
}

// resultsType is the struct of the same name in binder/binder.cpp.
const resultsType = `namespace { struct HoneResults { std::vector<at::Tensor> tensors; int64_t integer; double real; }; }
`

// specOf spells a function for the binder, and names the first type that it cannot pass.
func specOf(p compile.Prototype) (spec, unknown string) {
	var b strings.Builder
	for _, q := range p.Parameters {
		letter, ok := parameterLetter(q.Type)
		if !ok {
			return "", q.Type
		}
		b.WriteByte(letter)
	}
	results, ok := resultLetters(compile.PlainType(p.Result))
	if !ok {
		return "", p.Result
	}
	return b.String() + ">" + results, ""
}

// parameterLetter is the spec of a parameter's type. A number by reference that is
// no constant would be a result.
func parameterLetter(spelled string) (byte, bool) {
	plain := compile.PlainType(spelled)
	changes := strings.Contains(spelled, "&") && !strings.Contains(spelled, "const") && !strings.Contains(spelled, "&&")
	switch plain {
	case "Tensor":
		return 'T', true
	case "optional<Tensor>":
		return 'O', true
	case "vector<Tensor>", "TensorList", "ArrayRef<Tensor>":
		return 'V', true
	case "vector<int64_t>", "IntArrayRef", "ArrayRef<int64_t>":
		return 'I', true
	case "int", "int32_t":
		return 'n', !changes
	case "int64_t", "long", "long long", "long int", "long long int", "ssize_t", "ptrdiff_t":
		return 'i', !changes
	case "size_t", "uint64_t", "unsigned long", "unsigned long long", "unsigned", "unsigned int", "uint32_t":
		return 'u', !changes
	case "bool":
		return 'b', !changes
	case "float", "double":
		return 'f', !changes
	case "string", "string_view":
		return 's', !changes
	}
	return 0, false
}

func resultLetters(plain string) (string, bool) {
	switch plain {
	case "Tensor":
		return "T", true
	case "vector<Tensor>":
		return "V", true
	case "void":
		return "v", true
	case "int", "int32_t", "int64_t", "long", "long long", "size_t", "unsigned", "unsigned int", "uint32_t", "uint64_t":
		return "i", true
	case "bool":
		return "b", true
	case "float", "double":
		return "f", true
	}
	items, ok := strings.CutPrefix(plain, "tuple<")
	if !ok {
		if items, ok = strings.CutPrefix(plain, "pair<"); !ok {
			return "", false
		}
	}
	names := strings.Split(strings.TrimSuffix(items, ">"), ",")
	for _, name := range names {
		if name != "Tensor" {
			return "", false
		}
	}
	return strings.Repeat("T", len(names)), len(names) > 1
}

// wrapper is the C++ that calls one function with the binder's arguments.
func wrapper(f Function, p compile.Prototype) string {
	var args []string
	letters, results, _ := strings.Cut(f.Spec, ">")
	for i := range len(letters) {
		args = append(args, argument(letters[i], p.Parameters[i].Type, i))
	}
	call := fmt.Sprintf("::%s(%s)", p.Name, strings.Join(args, ", "))
	return fmt.Sprintf("extern \"C\" __attribute__((visibility(\"default\"))) void %s([[maybe_unused]] void** a, void* r) {\n"+
		"    [[maybe_unused]] auto& out = *static_cast<HoneResults*>(r);\n%s}\n", f.Symbol, deliver(call, results))
}

// argument reads one argument as the function's own parameter type.
func argument(letter byte, spelled string, i int) string {
	at := func(ctype string) string { return fmt.Sprintf("*static_cast<%s*>(a[%d])", ctype, i) }
	switch letter {
	case 'T':
		return at("at::Tensor")
	case 'O':
		tensor := at("at::Tensor")
		return fmt.Sprintf("(%s).defined() ? %s(%s) : %s()", tensor, optionalType(spelled), tensor, optionalType(spelled))
	case 'V':
		return at("std::vector<at::Tensor>")
	case 'I':
		return at("std::vector<int64_t>")
	case 'b':
		return at("bool")
	case 'f':
		return at("double")
	case 's':
		return at("std::string")
	}
	return at("int64_t")
}

// optionalType is a parameter's type as one that can be made.
func optionalType(spelled string) string {
	return strings.TrimSpace(strings.NewReplacer("const ", "", " const", "", "&", "").Replace(spelled))
}

// deliver runs a call and puts its result where the binder looks.
func deliver(call, results string) string {
	switch {
	case results == "v":
		return "    " + call + ";\n"
	case results == "V":
		return "    out.tensors = " + call + ";\n"
	case results == "i" || results == "b":
		return "    out.integer = static_cast<int64_t>(" + call + ");\n"
	case results == "f":
		return "    out.real = " + call + ";\n"
	case results == "T":
		return "    out.tensors.push_back(" + call + ");\n"
	}
	text := "    auto all = " + call + ";\n"
	for i := range len(results) {
		text += fmt.Sprintf("    out.tensors.push_back(std::get<%d>(all));\n", i)
	}
	return text
}
