package compile

import "strings"

// NeedsNVCC is what keeps a text from being built in two parts. It says nothing
// against the kernel: nvcc can build it.
type NeedsNVCC struct {
	Construct string // as a CUDA programmer calls it
	Line      int    // where it first occurs
}

// unsplittableRules lists libraries and features that the host part has no
// equivalent of.
func unsplittableRules() []rule {
	return append(libraryRules(), []rule{
		{"textures",
			[]string{"tex1D*", "tex2D*", "tex3D*", "texCubemap*", "cudaTextureObject_t", "cudaTextureDesc"},
			[]string{"texture_"}},
		{"surfaces",
			[]string{"surf1D*", "surf2D*", "surf3D*", "surfCubemap*", "cudaSurfaceObject_t"}, []string{"surface_"}},
		{"managed variables", []string{"__managed__"}, nil},
		{"tensor maps", []string{"CUtensorMap*", "cuTensorMap*"}, []string{"cudaTypedefs.h"}},
	}...)
}

// needs collects what keeps a text from being split; the first one counts.
type needs struct {
	*sides
	file  File
	found *NeedsNVCC
}

func findNeeds(f File, s *sides, rules []rule) *NeedsNVCC {
	n := needs{sides: s, file: f}
	index := indexRules(rules)
	for _, inc := range f.source.includes {
		n.add(index.header(inc.name), inc.at.line)
	}
	for i, t := range f.source.code {
		if t.kind == ident {
			n.add(index.word(t.text, i+1 < len(f.source.code) && f.source.code[i+1].is("::")), t.line)
		}
	}
	for _, m := range f.source.macros {
		n.macro(m)
	}
	for i, it := range s.items {
		n.item(i, it)
	}
	return n.found
}

func (n *needs) add(construct string, line int) {
	if construct != "" && (n.found == nil || line < n.found.Line) {
		n.found = &NeedsNVCC{construct, line}
	}
}

// macro finds macros that write kernels: their uses cannot be told apart.
func (n *needs) macro(m macro) {
	braces := false
	for _, t := range m.body {
		braces = braces || t.is("{")
	}
	for _, t := range m.body {
		if braces && (t.is("__global__") || t.is("__device__")) {
			n.add("kernels or device functions defined by the macro "+m.name, t.line)
		}
	}
}

func (n *needs) item(i int, it item) {
	line := n.code[it.first].line
	if it.kind == classItem && n.virtual(it) {
		n.add("classes with virtual functions", line)
	}
	if it.kind != functionItem || it.open == 0 {
		return
	}
	for _, b := range n.branches {
		if it.first < b.at && b.at <= it.open {
			n.add("a function whose head depends on #if", line)
		}
	}
	if it.kernel() {
		if _, _, ok := parameterNames(n.source, it); !ok {
			n.add("a kernel parameter without a name", line)
		}
	}
	if !n.dropped[deviceSide][i] {
		n.deviceCode(it)
	}
	if !n.dropped[hostSide][i] && !it.kernel() {
		n.hostCode(it)
	}
}

// virtual reports whether a class has virtual functions and members for the device.
func (n *needs) virtual(it item) bool {
	for _, t := range n.code[it.first:it.last] {
		if t.is("virtual") {
			return true
		}
	}
	return false
}

// deviceCode finds launches from the device and what the prelude lacks.
func (n *needs) deviceCode(it item) {
	if it.onDevice() {
		for i := it.open; i < it.last; i++ {
			if n.code[i].text == "<<<" {
				n.add("launches from a kernel (dynamic parallelism)", n.code[i].line)
			}
		}
	}
	if t, found := n.foreignIn(it, deviceSide); found {
		n.add(t.text+" in device code", t.line)
	}
}

// hostCode finds what the host's header lacks and device code among the host's.
func (n *needs) hostCode(it item) {
	for i := it.first; i < it.last; i++ {
		t := n.code[i]
		switch {
		case t.kind != ident:
		case i > it.open && (t.is("__device__") || t.is("__global__")):
			n.add("device lambdas", t.line)
		case runtimeCall(t.text) && !runtimeWords()[t.text], n.driverCall(i):
			n.add(t.text, t.line)
		}
	}
	if t, found := n.foreignIn(it, hostSide); found {
		n.add(t.text+" in host code", t.line)
	}
}

// driverCall reports whether a token is a call of the driver API.
func (n *needs) driverCall(i int) bool {
	rest, ok := strings.CutPrefix(n.code[i].text, "cu")
	return ok && len(rest) > 1 && 'A' <= rest[0] && rest[0] <= 'Z' && i+1 < len(n.code) && n.code[i+1].is("(")
}
