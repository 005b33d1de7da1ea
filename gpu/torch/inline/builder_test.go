package inline

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/emulate"
	"example.com/hone/gpu/native"
	"example.com/hone/gpu/torch"
)

// newBuilder makes a builder with a cache that outlives the test: what is made once
// per machine takes a minute.
func newBuilder(t *testing.T) (*Builder, torch.Installation) {
	t.Helper()
	if testing.Short() {
		t.Skip("building torch's headers takes a minute")
	}
	candidates := []string{"python3", "/usr/bin/python3"}
	if own := os.Getenv("HONE_PYTHON"); own != "" {
		candidates = append([]string{own}, candidates...)
	}
	found, err := torch.Find(t.Context(), candidates)
	if err != nil {
		t.Skipf("no torch: %v", err)
	}
	cache := filepath.Join(os.TempDir(), "hone-inline-test")
	emulation, err := emulate.Prepare(t.Context(), filepath.Join(cache, "emulator"))
	if err != nil {
		t.Skipf("no emulator: %v", err)
	}
	compiler, err := compile.New(t.Context(), compile.Toolchain{
		GXX: emulation.GXX, Include: emulation.Include, Version: emulation.Version, Emulator: emulation.Emulator,
	}, t.TempDir(), 0)
	if err != nil {
		t.Skipf("no compiler: %v", err)
	}
	b, err := New(t.Context(), Config{Installation: found, Compiler: compiler, Emulation: emulation, Cache: cache})
	if err != nil {
		t.Skipf("no torch headers: %v", err)
	}
	if err := b.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b, found
}

// runner opens a module as a candidate's process does and prints what an expression gives.
const runner = `
import importlib.util, json, sys
import torch
job = json.loads(sys.argv[1])
spec = importlib.util.spec_from_file_location("hone_binder", job["binder"])
binder = importlib.util.module_from_spec(spec)
spec.loader.exec_module(binder)
m = binder.open(job["module"], [(f["name"], f["symbol"], f["spec"]) for f in job["functions"]])
torch.manual_seed(0)
for text in job["calls"]:
    try:
        print(eval(text))
    except Exception as e:
        print(type(e).__name__ + ": " + str(e))
`

// call runs Python expressions with the module as m.
func call(t *testing.T, python string, built Built, calls ...string) []string {
	t.Helper()
	return callWith(t, nil, python, built, calls...)
}

// callWith is call with variables of the environment.
func callWith(t *testing.T, env []string, python string, built Built, calls ...string) []string {
	t.Helper()
	job, err := json.Marshal(map[string]any{
		"binder": built.Binder, "module": built.Module, "functions": built.Functions, "calls": calls,
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", runner, string(job))
	cmd.Env = append(cmd.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("python: %v\n%s", err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// good is a module that builds, with what calls of it print.
type good struct {
	name    string
	request Request
	calls   []string
	want    []string
}

func TestModulesRun(t *testing.T) {
	t.Parallel()
	b, found := newBuilder(t)
	for _, tt := range goodModules() {
		t.Run(tt.name, func(t *testing.T) {
			built, err := b.Build(t.Context(), tt.request, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !built.OK() {
				t.Fatalf("not built: %+v %+v\n%s", built.Diagnostics, built.Unsupported, built.Log)
			}
			t.Logf("built in %v: %s", built.Elapsed, built.How)
			got := call(t, found.Python, built, tt.calls...)
			for i, want := range tt.want {
				if i >= len(got) || !strings.Contains(got[i], want) {
					t.Errorf("%s printed %q, want %q", tt.calls[i], got[min(i, len(got)-1)], want)
				}
			}
			again, err := b.Build(t.Context(), tt.request, 0)
			if err != nil || !again.Cached || again.Module != built.Module {
				t.Errorf("again: cached %v, %v", again.Cached, err)
			}
		})
	}
}

// bad is a module that does not build.
type bad struct {
	name        string
	request     Request
	line        int
	file        string
	message     string
	note        string
	unsupported string
}

func TestModulesFail(t *testing.T) {
	t.Parallel()
	b, _ := newBuilder(t)
	for _, tt := range badModules() {
		t.Run(tt.name, func(t *testing.T) {
			built, err := b.Build(t.Context(), tt.request, 0)
			if err != nil || built.OK() {
				t.Fatalf("built %v, %v", built.OK(), err)
			}
			t.Logf("refused in %v", built.Elapsed)
			if tt.unsupported != "" {
				if len(built.Unsupported) == 0 || !strings.Contains(built.Unsupported[0].Name, tt.unsupported) ||
					built.Unsupported[0].Line != tt.line {
					t.Errorf("unsupported %+v, want %q in line %d", built.Unsupported, tt.unsupported, tt.line)
				}
				return
			}
			if len(built.Diagnostics) == 0 {
				t.Fatalf("no diagnostics: %s", built.Log)
			}
			d := built.Diagnostics[0]
			if d.Line != tt.line || d.File != tt.file || !strings.Contains(d.Message, tt.message) ||
				!strings.Contains(strings.Join(d.Notes, "\n"), tt.note) {
				t.Errorf("%+v, want %s:%d %q, note %q", d, tt.file, tt.line, tt.message, tt.note)
			}
		})
	}
}

// TestPrecompiledHeaderIsUsed fails where a flag keeps g++ from the header: builds
// would still work, in ten times the time.
func TestPrecompiledHeaderIsUsed(t *testing.T) {
	t.Parallel()
	b, _ := newBuilder(t)
	folder, err := b.headers(t.Context(), tensors)
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), "unit.cpp")
	if err := os.WriteFile(unit, []byte("#include \"hone_torch.h\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append(b.config.Compiler.ModuleFlags(), "-I", folder)
	args = append(args, b.headerArguments(tensors)...)
	out, err := exec.CommandContext(t.Context(), native.DefaultCompiler, append(args, "-H", "-Winvalid-pch", "-fsyntax-only", unit)...).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "! ") {
		t.Errorf("%v: %.500s", err, out)
	}
}
