package compile

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// hostKernel is a kernel, or one instance of a template, that a host object may
// launch.
type hostKernel struct {
	variable string // symbol of its hone_kernel
	function string // symbol of the function that stands for it
	local    bool   // nobody else can see the variable
}

// A kernel's variable is a static one of the function: its symbol is made of the
// function's own.
const (
	variablePrefix = "_ZZ"
	variableSuffix = "E7hone_id"
)

// hostKernels lists the kernels of a host object.
func hostKernels(path string) ([]hostKernel, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the host object: %w", err)
	}
	defer func() { _ = f.Close() }()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("read the host object: %w", err)
	}
	var kernels []hostKernel
	for _, s := range symbols {
		encoding, ok := strings.CutPrefix(s.Name, variablePrefix)
		if !ok || !strings.HasSuffix(encoding, variableSuffix) || s.Section == elf.SHN_UNDEF {
			continue
		}
		kernels = append(kernels, hostKernel{
			variable: s.Name,
			function: functionSymbol(strings.TrimSuffix(encoding, variableSuffix)),
			local:    elf.ST_BIND(s.Info) == elf.STB_LOCAL,
		})
	}
	slices.SortFunc(kernels, func(a, b hostKernel) int { return strings.Compare(a.variable, b.variable) })
	return kernels, nil
}

// functionSymbol is the symbol of a function with an encoding: an extern "C" one
// has its name alone there, and no prefix.
func functionSymbol(encoding string) string {
	symbol := "_Z" + encoding
	if name := sourceName(symbol); fmt.Sprintf("%d%s", len(name), name) == encoding {
		return name
	}
	return symbol
}

// hostVariables lists the variables of a host object that others can see.
func hostVariables(path string) map[string]bool {
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	symbols, _ := f.DynamicSymbols()
	names := map[string]bool{}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_OBJECT {
			names[s.Name] = true
		}
	}
	return names
}

// cubin is what a device object tells of itself.
type cubin struct {
	parameters map[string][]int // kernel -> sizes of its parameters in bytes
	variables  map[string]uint64
}

func readCubin(raw []byte) (cubin, error) {
	f, err := elf.NewFile(bytes.NewReader(raw))
	if err != nil {
		return cubin{}, fmt.Errorf("read the cubin: %w", err)
	}
	c := cubin{parameters: map[string][]int{}, variables: map[string]uint64{}}
	for _, s := range f.Sections {
		name, ok := strings.CutPrefix(s.Name, ".nv.info.")
		if !ok {
			continue
		}
		info, err := s.Data()
		if err != nil {
			return cubin{}, fmt.Errorf("read the cubin: %w", err)
		}
		c.parameters[name] = parameterSizes(info)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return cubin{}, fmt.Errorf("read the cubin: %w", err)
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_OBJECT && s.Section != elf.SHN_UNDEF {
			c.variables[s.Name] = s.Size
		}
	}
	return c, nil
}

// The form of a .nv.info record is a byte of format, a byte of kind and two bytes
// of value; of sized records the value is the size of what follows.
const (
	sizedRecord   = 0x04
	parameterKind = 0x17 // index, ordinal and offset, flags with the size from bit 18 on
)

// parameterSizes reads the records of a kernel's parameters.
func parameterSizes(info []byte) []int {
	sizes := map[int]int{}
	for len(info) >= 4 {
		format, kind, value := info[0], info[1], int(binary.LittleEndian.Uint16(info[2:]))
		info = info[4:]
		if format != sizedRecord {
			continue
		}
		if value > len(info) {
			break
		}
		if kind == parameterKind && value == 12 {
			sizes[int(binary.LittleEndian.Uint16(info[4:]))] = int(binary.LittleEndian.Uint32(info[8:]) >> 18)
		}
		info = info[value:]
	}
	list := make([]int, 0, len(sizes))
	for i := range len(sizes) {
		list = append(list, sizes[i])
	}
	return list
}

// demangle spells symbols as C++ names, by the tool that comes with g++.
func demangle(ctx context.Context, symbols []string) ([]string, error) {
	if len(symbols) == 0 {
		return nil, nil
	}
	cmd := exec.CommandContext(ctx, "c++filt")
	cmd.Stdin = strings.NewReader(strings.Join(symbols, "\n") + "\n")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run c++filt, which comes with g++: %w", err)
	}
	names := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(names) != len(symbols) {
		return nil, fmt.Errorf("run c++filt: %d names for %d symbols", len(names), len(symbols))
	}
	return names, nil
}

// nameExpression is the kernel in "void k<float, 4>(float const*)": k<float, 4>.
func nameExpression(demangled string) string {
	name := demangled
	if strings.HasSuffix(name, ")") {
		depth := 0
		for i := len(name) - 1; i >= 0; i-- {
			switch name[i] {
			case ')':
				depth++
			case '(':
				depth--
			}
			if depth == 0 {
				name = name[:i]
				break
			}
		}
	}
	return strings.ReplaceAll(strings.TrimPrefix(name, "void "), unnamed+"::", "")
}
