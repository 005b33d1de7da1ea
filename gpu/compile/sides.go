package compile

import "strings"

// side is one of the two parts of a split text.
type side int

const (
	deviceSide side = iota
	hostSide
)

// sides decides which declarations each part keeps.
//
// A part drops the functions of the other side, then whatever cannot be declared
// there because it names something that the part lacks: a class with a member of
// a host type, an alias of a type for device code.
type sides struct {
	source
	items   []item
	kernels map[string][]Kernel
	dropped [2][]bool          // by item
	hidden  [2][]bool          // by token: part of something dropped
	foreign [2]map[string]bool // names of what was dropped for naming something foreign
	hostFns map[string]bool
	std     bool // "using namespace std"
}

func findSides(f File, items []item) *sides {
	s := &sides{source: f.source, items: items, kernels: f.byName, hostFns: map[string]bool{}}
	for p := range s.dropped {
		s.dropped[p] = make([]bool, len(items))
		s.hidden[p] = make([]bool, len(f.source.code))
		s.foreign[p] = map[string]bool{}
	}
	s.std = usesStd(f.source.code)
	for i, it := range items {
		if !s.belongs(it, deviceSide) {
			s.drop(i, deviceSide)
			if it.kind == functionItem {
				s.hostFns[it.name] = true
			}
		}
		if !s.belongs(it, hostSide) {
			s.drop(i, hostSide)
		}
	}
	const rounds = 8 // how long a chain of names is followed
	for range rounds {
		if !s.dropForeign(deviceSide) && !s.dropForeign(hostSide) {
			break
		}
	}
	return s
}

func usesStd(code []token) bool {
	for i := range code {
		if i+2 < len(code) && code[i].is("using") && code[i+1].is("namespace") && code[i+2].is("std") {
			return true
		}
	}
	return false
}

// belongs reports whether an item's own qualifiers put it into a part.
func (s *sides) belongs(it item, p side) bool {
	switch it.kind {
	case functionItem:
		return p == deviceSide && (it.onDevice() || it.constant()) || p == hostSide && (it.kernel() || it.onHost())
	case variableItem:
		return p == hostSide || it.onDevice() || it.constant() || it.words["const"]
	case instanceItem:
		return s.ofKernel(it) == (p == deviceSide)
	}
	return true
}

// ofKernel reports whether an explicit instance is one of a kernel.
func (s *sides) ofKernel(it item) bool {
	for _, t := range s.code[it.first:it.last] {
		if t.kind == ident && len(s.kernels[t.text]) > 0 {
			return true
		}
	}
	return false
}

func (s *sides) drop(i int, p side) {
	s.dropped[p][i] = true
	for t := s.items[i].first; t < s.items[i].last; t++ {
		s.hidden[p][t] = true
	}
}

// dropForeign drops what names something foreign, once; false when nothing does.
func (s *sides) dropForeign(p side) bool {
	changed := false
	for i, it := range s.items {
		if s.dropped[p][i] || it.kind == namespaceItem || it.kind == functionItem && it.parent < 0 && s.defines(it, p) {
			continue
		}
		if _, found := s.foreignIn(it, p); found {
			s.drop(i, p)
			if name := declaredName(s.source, it); name != "" {
				s.foreign[p][name] = true
			}
			changed = true
		}
	}
	return changed
}

// defines reports whether an item is a function that a part must have: dropping
// it would only hide what keeps it from compiling.
func (s *sides) defines(it item, p side) bool {
	return it.open > 0 && (p == hostSide && !it.kernel() && !it.onDevice() || p == deviceSide && it.onDevice())
}

// foreignIn finds the first name in an item that a part lacks. Of a kernel the
// host has the head alone.
func (s *sides) foreignIn(it item, p side) (token, bool) {
	last := it.last
	if p == hostSide && it.kernel() && it.open > 0 {
		last = it.open
	}
	for i := it.first; i < last; i++ {
		if s.code[i].kind == ident && !s.hidden[p][i] && s.isForeign(it, i, p) {
			return s.code[i], true
		}
	}
	return token{}, false
}

func (s *sides) isForeign(it item, i int, p side) bool {
	word := s.code[i].text
	qualifies := i+1 < len(s.code) && s.code[i+1].is("::")
	member := i > 0 && (s.code[i-1].is(".") || s.code[i-1].is("->"))
	switch {
	case member:
		return false
	case s.foreign[p][word]:
		return word != declaredName(s.source, it)
	case p == hostSide && word == "cuda" && i > 0 && s.code[i-1].is("::"):
		return false // torch's own namespaces of that name
	case p == hostSide:
		return deviceNamespace(word, qualifies || i > 0 && s.code[i-1].is("namespace") || i > 0 && s.code[i-1].is("="))
	case i > 1 && s.code[i-1].is("::") && s.code[i-2].is("std"), s.std && hostType(word):
		return !preludeWords()[word]
	case it.kind == variableItem && s.hostFns[word]:
		return i+1 < len(s.code) && s.code[i+1].is("(")
	}
	return hostName(word) || torchNamespace(word) && (qualifies || i > 0 && s.code[i-1].is("namespace"))
}

// torchNamespace reports whether a word names a namespace of torch, which device code
// has nothing of.
func torchNamespace(word string) bool {
	switch word {
	case "torch", "at", "c10", "pybind11", "py":
		return true
	}
	return false
}

// deviceNamespace reports whether a word names a namespace of device code.
func deviceNamespace(word string, names bool) bool {
	switch word {
	case "nvcuda", "wmma", "cooperative_groups", "cuda", "cub":
		return names
	}
	return false
}

// hostName reports whether a word is one of the host's API.
func hostName(word string) bool {
	switch word {
	case "cudaStream_t", "cudaEvent_t", "cudaError_t", "cudaError", "cudaSuccess":
		return false
	case "FILE":
		return true
	}
	return runtimeCall(word)
}

// runtimeCall reports whether a word is a name of the CUDA runtime.
func runtimeCall(word string) bool {
	rest, ok := strings.CutPrefix(word, "cuda")
	return ok && rest != "" && 'A' <= rest[0] && rest[0] <= 'Z'
}

// hostType reports whether a word is the name of a usual type of the C++ library.
func hostType(word string) bool {
	switch word {
	case "vector", "string", "map", "unordered_map", "set", "unordered_set", "mutex", "thread", "function",
		"unique_ptr", "shared_ptr", "ostream", "ofstream", "ifstream", "stringstream", "optional", "deque", "list",
		"queue", "stack", "array", "pair", "tuple", "atomic":
		return true
	}
	return false
}

// declaredName is the name that an item declares.
func declaredName(s source, it item) string {
	switch it.kind {
	case classItem:
		return it.class
	case functionItem:
		return it.name
	case instanceItem, namespaceItem:
		return ""
	}
	name := ""
	for i := it.first; i < it.last; i++ {
		switch t := s.code[i]; {
		case t.is("="), t.is("["), t.is("{"):
			return name
		case t.is("<"):
			i = max(i, skipAngles(s.code, s.close, i)-1)
		case t.is("("):
			i = s.close[i]
		case t.kind == ident:
			name = t.text
		}
	}
	return name
}
