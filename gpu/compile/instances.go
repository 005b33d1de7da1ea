package compile

import (
	"context"
	"os"
	"slices"
	"strings"
)

// kernelTable is the kernels of a host object with their names.
type kernelTable struct {
	kernels []hostKernel
	names   []string // in C++
	host    map[string]bool
	local   string // a kernel that the device part cannot share
}

func (b deviceBuild) kernelTable(ctx context.Context, object string) (*kernelTable, error) {
	kernels, err := hostKernels(object)
	if err != nil {
		return nil, err
	}
	var symbols []string
	for _, k := range kernels {
		symbols = append(symbols, k.function)
	}
	names, err := demangle(ctx, symbols)
	if err != nil {
		return nil, err
	}
	t := &kernelTable{kernels: kernels, host: hostVariables(object)}
	for i, k := range kernels {
		t.names = append(t.names, nameExpression(names[i]))
		if k.local {
			t.local = t.names[i]
		}
	}
	return t, nil
}

// expressions lists what NVRTC is asked for: every instance of a template, and
// every kernel whose name is not overloaded.
func (t *kernelTable) expressions(f File) []string {
	var list []string
	for _, name := range t.names {
		plain := name[strings.LastIndexByte(name, ':')+1:]
		if strings.HasSuffix(name, ">") || len(f.byName[plain]) == 1 {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// match fills in an artefact's kernels and variables, and lists the kernels that
// the device part lacks.
func (t *kernelTable) match(a *DeviceArtifact, device built) (missing []string) {
	a.Kernels, a.Variables = nil, nil
	object := readCubinFile(device.part.Path)
	taken := parsePTXAS(string(device.part.Log))
	for i, k := range t.kernels {
		lowered := k.function
		if _, ok := object.parameters[lowered]; !ok {
			lowered = device.entry.Lowered[t.names[i]]
		}
		sizes, ok := object.parameters[lowered]
		if !ok {
			missing = append(missing, t.names[i])
			continue
		}
		kernel := DeviceKernel{
			Name: t.names[i], Lowered: lowered, Variable: k.variable, Function: k.function, Parameters: sizes,
		}
		if u, ok := taken[lowered]; ok {
			kernel.use(u)
		}
		a.Kernels = append(a.Kernels, kernel)
	}
	for name := range object.variables {
		if t.host[name] {
			a.Variables = append(a.Variables, name)
		}
	}
	slices.Sort(a.Variables)
	return missing
}

// use fills in what ptxas told.
func (k *DeviceKernel) use(u usage) {
	k.Registers, k.SharedBytes = &u.registers, &u.sharedBytes
	k.SpillStores, k.SpillLoads = &u.spillStores, &u.spillLoads
}

// guessExpressions reads from the text what NVRTC must be asked for; sure means
// that every launch is of a kernel by name, with all template arguments written
// out in names of file scope.
func guessExpressions(f File, items []item) (list []string, sure bool) {
	g := guesser{file: f, paths: map[string]string{}, global: map[string]bool{}}
	for _, it := range items {
		if it.kind == functionItem && it.kernel() && it.open > 0 {
			g.paths[it.name] = it.path
		}
		if it.parent < 0 && it.path == "" {
			g.global[declaredName(f.source, it)] = true
		}
	}
	sure = true
	for _, l := range f.Launches {
		expression, ok := g.expression(l.site)
		sure = sure && ok
		if expression != "" {
			list = append(list, expression)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), sure
}

// guesser is the state of guessExpressions.
type guesser struct {
	file   File
	paths  map[string]string // kernel -> the namespaces around it
	global map[string]bool   // names at file scope
}

// expression is what a launch asks for: nothing for a kernel that is no template.
// False means that only the host part's compiler can tell.
func (g guesser) expression(l launchSite) (string, bool) {
	name := kernelName(l.kernel)
	known := g.file.byName[name]
	if l.macro != nil || len(known) != 1 {
		return "", false
	}
	if !known[0].Template {
		return "", true
	}
	open := slices.IndexFunc(l.kernel, func(t token) bool { return t.is("<") })
	if open < 0 || l.explicit != known[0].arity || !g.plain(l.kernel[open:]) {
		return "", false
	}
	if path := g.paths[name]; path != "" {
		name = path + "::" + name
	}
	return name + oneLine(l.kernel[open:]), true
}

// plain reports whether template arguments mean the same everywhere.
func (g guesser) plain(arguments []token) bool {
	for _, t := range arguments {
		if t.kind == ident && !g.global[t.text] && !typeWord(t.text) && !deviceType(t.text) {
			return false
		}
	}
	return true
}

// deviceType reports whether a word names a type or constant that CUDA has
// everywhere.
func deviceType(word string) bool {
	switch word {
	case "half", "half2", "__half", "__half2", "__nv_bfloat16", "__nv_bfloat162", "nv_bfloat16", "nv_bfloat162",
		"float2", "float4", "double2", "int2", "int4", "uint4", "int8_t", "int32_t", "int64_t", "uint8_t",
		"uint32_t", "uint64_t", "size_t", "true", "false", "const", "sizeof":
		return true
	}
	return false
}

// readCubinFile reads what a cubin tells, nothing where there is none.
func readCubinFile(path string) cubin {
	raw, err := os.ReadFile(path)
	if err != nil {
		return cubin{}
	}
	c, err := readCubin(raw)
	if err != nil {
		return cubin{}
	}
	return c
}
