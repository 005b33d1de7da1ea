package compile

import (
	"debug/elf"
	"strconv"
	"strings"

	"example.com/hone/gpu"
)

// exports lists the symbols that a program offers to what it loads, nil when
// that cannot be read.
func exports(path string) map[string]bool {
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil
	}
	known := map[string]bool{}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			known[s.Name] = true
		}
	}
	return known
}

// unresolved lists the symbols that an object needs and that neither its
// libraries nor the emulator define. A shared object links without them and
// would fail only when it is loaded.
func unresolved(object string, known map[string]bool) []string {
	f, err := elf.Open(object)
	if err != nil || known == nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil
	}
	var names []string
	for _, s := range symbols {
		strong := elf.ST_BIND(s.Info) == elf.STB_GLOBAL
		if strong && s.Section == elf.SHN_UNDEF && s.Library == "" && !known[s.Name] {
			names = append(names, s.Name)
		}
	}
	return names
}

// undefined explains what an object lacks.
func (e explainer) undefined(object string, known map[string]bool) []gpu.Diagnostic {
	var list []gpu.Diagnostic
	for _, symbol := range unresolved(object, known) {
		d := gpu.Diagnostic{Tool: tool, File: userFile, Severity: "error"}
		name := sourceName(symbol)
		switch {
		case name == "solve":
			d = e.noSolve(d)
		default:
			d.Message = name + " is declared but not defined"
			d.Line, d.Column = e.firstUse(name)
		}
		list = append(list, d)
	}
	return list
}

// noSolve explains why the task's call of solve leads nowhere.
func (e explainer) noSolve(d gpu.Diagnostic) gpu.Diagnostic {
	d.Message = "no function named solve: define " + e.wanted()
	for _, fn := range e.job.file.bodies {
		switch {
		case fn.name != "solve":
		case fn.nested:
			d.Line, d.Message = fn.line, "solve must stand outside of every namespace and class"
		default:
			d.Line = fn.line
			d.Message = e.signature("solve(" + strings.Join(strings.Fields(fn.parameters), " ") + ")")
		}
	}
	return d
}

// firstUse finds a name in the bodies of functions.
func (e explainer) firstUse(name string) (line, column int) {
	last := name[strings.LastIndexByte(name, ':')+1:]
	for _, fn := range e.job.file.bodies {
		for i := fn.first; i < fn.last; i++ {
			if t := e.job.file.source.code[i]; t.is(last) {
				return t.line, t.column
			}
		}
	}
	return 0, 0
}

// sourceName reads the qualified name out of a mangled one: _ZN2ns3fooEi is
// ns::foo. Anything it does not understand stays as it is.
func sourceName(symbol string) string {
	rest, mangled := strings.CutPrefix(symbol, "_Z")
	if !mangled {
		return symbol
	}
	nested, isNested := strings.CutPrefix(rest, "N")
	if isNested {
		rest = strings.TrimLeft(nested, "KVr")
	}
	var parts []string
	for len(rest) > 0 && isDigit(rest[0]) {
		digits := 0
		for digits < len(rest) && isDigit(rest[digits]) {
			digits++
		}
		size, err := strconv.Atoi(rest[:digits])
		if err != nil || size == 0 || digits+size > len(rest) {
			return symbol
		}
		parts = append(parts, rest[digits:digits+size])
		rest = rest[digits+size:]
		if !isNested {
			break
		}
	}
	if len(parts) == 0 {
		return symbol
	}
	return strings.Join(parts, "::")
}

// wanted is the declaration that the task asks for.
func (e explainer) wanted() string {
	return strings.TrimSuffix(e.job.source.Declaration, ";")
}
