package compile

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/hone/gpu"
)

// ModuleFile is the name of the object that a module's build makes.
const ModuleFile = "module.so"

// Module is a text that becomes a shared object for another process to load: CUDA
// C++ for the emulation, against headers that it names itself.
type Module struct {
	Name      string
	Text      string
	Head      string   // stands before the text: #include lines
	Tail      string   // stands behind it
	Arguments []string // of g++, in front of the unit: folders of headers
	Defines   []string // macros, "NAME" or "NAME=value"
	Libraries []string // of the linker, behind it
	Inputs    []string // whatever else decides the result, such as versions of headers
	Limit     time.Duration
}

// ModuleArtifact is the result of a module's build.
type ModuleArtifact struct {
	Part
	File        File
	Diagnostics []gpu.Diagnostic // in lines of the text
}

// OK reports whether the text compiled.
func (a ModuleArtifact) OK() bool { return a.Path != "" }

// BuildModule compiles a module, or takes it from the cache. A text that does not
// compile is an artefact that is not OK; an error means that the compiler could not
// be asked.
func (c *Compiler) BuildModule(ctx context.Context, m Module) (ModuleArtifact, error) {
	file := Parse(m.Name, m.Text)
	if bad := foreignIncludes(file); len(bad) > 0 {
		return ModuleArtifact{File: file, Diagnostics: bad}, nil
	}
	code := forEmulation(file)
	j := job{source: Source{Name: m.Name, Text: m.Text, Limit: m.Limit}, file: file, code: code}
	j.unit = unitWith(m.Head, Unit{Entry: m.Tail}, code.text)
	args := c.gxx.moduleArguments(m, ModuleFile)
	b, err := c.part(ctx, partJob{
		name: m.Name, product: ModuleFile, unit: j.unit, lines: true,
		inputs: append(append([]string{"module", c.tools.Version, c.gxx.path, c.gxx.version}, args...), m.Inputs...),
		build: func(ctx context.Context, folder string) (partResult, error) {
			return c.runGXX(ctx, j, folder, args)
		},
	})
	return ModuleArtifact{Part: b.part, File: file, Diagnostics: b.entry.Diagnostics}, err
}

// ModuleFlags lists the options that a precompiled header must share with the
// modules that use it.
func (c *Compiler) ModuleFlags() []string {
	flags := []string{
		"-std=c++17", "-pipe", "-fPIC", "-O2", "-g1", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never",
		"-Wno-attributes", "-Wno-ignored-attributes", "-Wno-deprecated-declarations",
	}
	return append(flags, c.gxx.dialect()...)
}

func (c compiler) moduleArguments(m Module, object string) []string {
	all := &Compiler{gxx: c}
	args := append(all.ModuleFlags(), "-shared", "-o", object)
	for _, d := range m.Defines {
		args = append(args, "-D"+d)
	}
	args = append(append(args, m.Arguments...), unitFile)
	return append(append(args, m.Libraries...), "-Wl,--no-undefined")
}

// Precompile compiles a header that modules include first. It is our own text, so
// nothing bounds it but ctx; an error carries the compiler's first words.
func (c *Compiler) Precompile(ctx context.Context, folder, header string, arguments []string) error {
	args := append(c.ModuleFlags(), arguments...)
	cmd := exec.CommandContext(ctx, c.gxx.path, append(args, "-w", "-x", "c++-header", header, "-o", header+".gch")...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	for _, m := range parseGXX(string(out)) {
		if m.severity == "error" {
			return fmt.Errorf("precompile %s: %s:%d: %s", header, m.file, m.line, m.text)
		}
	}
	return fmt.Errorf("precompile %s: %w: %s", header, err, lastLine(out))
}

// Path is the compiler's executable.
func (c *Compiler) Path() string { return c.gxx.path }

// ModuleUnsupported lists what the CPU emulation cannot run of a text that is
// written for torch, whose own headers and namespaces are no obstacle.
func ModuleUnsupported(f File) []Construct {
	var list []Construct
	for _, c := range f.Unsupported {
		if c.Name == "PyTorch headers" || c.Name == "libcu++" && !f.usesLibcu() {
			continue
		}
		list = append(list, c)
	}
	return list
}

// usesLibcu tells cuda:: from at::cuda:: and c10::cuda::.
func (f File) usesLibcu() bool {
	for _, inc := range f.source.includes {
		if strings.HasPrefix(inc.name, "cuda/") || strings.HasPrefix(inc.name, "nv/") {
			return true
		}
	}
	code := f.source.code
	for i := range len(code) - 1 {
		if code[i].is("cuda") && code[i+1].is("::") && (i == 0 || !code[i-1].is("::")) {
			return true
		}
	}
	return false
}

// ForeignIncludes refuses includes that would read files of this machine into a
// message, see [Compiler.BuildModule].
func ForeignIncludes(f File) []gpu.Diagnostic { return foreignIncludes(f) }

// LogDiagnostics reads the errors and warnings out of what nvcc, its parts and g++
// printed, as they are placed there. Notes are left out, and so are messages about
// files that are not of the given names, unless they are errors.
func LogDiagnostics(log string, files ...string) []gpu.Diagnostic {
	var list []gpu.Diagnostic
	add := func(tool string, messages []message) {
		for _, m := range messages {
			ours := slices.Contains(files, m.file)
			if m.severity == "note" || m.severity != "error" && !ours || m.file == "collect2" {
				continue
			}
			d := gpu.Diagnostic{
				Tool: tool, File: filepath.Base(m.file), Line: m.line, Column: m.column, Severity: m.severity, Code: m.code, Message: m.text,
			}
			for _, at := range m.from {
				if !ours && slices.Contains(files, at.file) {
					d.File, d.Line, d.Column, ours = at.file, at.line, at.column, true
				}
			}
			list = append(list, d)
		}
	}
	add("nvcc", parseCUDA(log))
	add(tool, parseGXX(log))
	return list
}
