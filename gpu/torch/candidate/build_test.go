package candidate

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
	"example.com/hone/gpu/torch/inline"
)

// extension is C of a Python module whose text is Python.
const extension = `#include <Python.h>
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, NAME, 0, -1, 0, 0, 0, 0, 0};
extern "C" __attribute__((visibility("default"))) PyObject* INIT() {
    PyObject* module = PyModule_Create(&definition);
    PyObject* names = PyModule_GetDict(module);
    PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins());
    Py_XDECREF(PyRun_String(TEXT, Py_file_input, names, names));
    return PyErr_Occurred() ? 0 : module;
}
`

// binder makes functions that multiply by the number of bytes in their symbol.
const binder = `def open(path, functions):
    import types
    with __builtins__['open'](path, 'rb') as f: assert f.read(4) == b'\x7fELF'
    return types.SimpleNamespace(**{n: (lambda x, k=len(s), spec=p: x * k) for n, s, p in functions})
`

// module compiles an extension module that this text makes.
func module(t *testing.T, name, text string) string {
	t.Helper()
	include := config(t).Installation.PythonInclude
	if _, err := os.Stat(filepath.Join(include, "Python.h")); err != nil {
		t.Skipf("no Python.h: %v", err)
	}
	source := write(t, name+".cpp", extension)
	quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
	path := filepath.Join(t.TempDir(), name+".so")
	cmd := exec.CommandContext(t.Context(), "g++", "-shared", "-fPIC", "-I"+include,
		"-DNAME=\""+name+"\"", "-DINIT=PyInit_"+name, "-DTEXT="+quoted, source, "-o", path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// inlined is an answer that calls load_inline in its second line.
const inlined = "from torch.utils.cpp_extension import load_inline\n" +
	"m = load_inline('m', 'torch::Tensor twice(torch::Tensor);', '// cuda', functions=['twice'])\n"

func TestBuilds(t *testing.T) {
	t.Parallel()
	binderPath := module(t, "hone_binder", binder)
	plain := module(t, "m", "def twice(x): return x * 2\n")
	for name, c := range map[string]struct {
		answer string
		built  inline.Built
	}{
		"for the binder": {inlined + forward("return m.twice(x)"), inline.Built{
			Module: plain, Binder: binderPath, Functions: []inline.Function{{Name: "twice", Symbol: "ab", Spec: "T>T"}},
		}},
		"by torch":   {inlined + forward("return m.twice(x)"), inline.Built{Module: plain}},
		"in forward": {forward("from torch.utils.cpp_extension import load_inline", "return load_inline('m', '').twice(x)"), inline.Built{Module: plain}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, config(t))
			var asked []inline.Request
			build := func(_ context.Context, r inline.Request) (inline.Built, error) {
				asked = append(asked, r)
				return c.built, nil
			}
			result, fault, err := p.Load(t.Context(), request(t, c.answer), build, ample)
			none(t)(fault, err)
			chosen := set(t, 2)
			none(t)(p.Map(t.Context(), chosen))
			_, fault, err = p.Call(t.Context(), Call{Limit: ample})
			none(t)(fault, err)
			if got := floats(t, chosen.Outputs[0]); got[3] != 8 || len(asked) != 1 || asked[0].Name != "m" {
				t.Errorf("%v, asked for %+v", got, asked)
			}
			if strings.HasPrefix(c.answer, inlined) && (result.Builds != 1 || asked[0].Line != 2 || asked[0].CUDALines[0] != 2) {
				t.Errorf("loaded %+v, asked for %+v", result, asked)
			}
		})
	}
}

func TestFailedBuilds(t *testing.T) {
	t.Parallel()
	failed := inline.Built{Diagnostics: []gpu.Diagnostic{{Severity: "warning", Message: "mind"}, {Severity: "error", Line: 7, Message: "no such thing"}}}
	for name, c := range map[string]struct {
		answer string
		built  inline.Built
		kind   process.FaultKind // empty when the answer goes on
		want   string
	}{
		"an error":     {inlined, failed, FaultBuild, "Error building extension 'm': line 7: no such thing"},
		"caught":       {"try:\n    " + strings.ReplaceAll(inlined, "\n", "\n    ") + "\nexcept RuntimeError:\n    pass\n" + forward("return x * 2"), failed, "", ""},
		"not on a CPU": {inlined, inline.Built{Unsupported: []compile.Construct{{Name: "inline PTX (asm)", Line: 9}}}, FaultUnsupported, "line 9: inline PTX (asm)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, config(t))
			build := func(context.Context, inline.Request) (inline.Built, error) { return c.built, nil }
			result, fault, err := p.Load(t.Context(), request(t, c.answer), build, ample)
			if c.kind != "" {
				expect(t, fault, err, c.kind, c.want, 2)
				return
			}
			none(t)(fault, err)
			if result.FailedBuilds != 1 || result.Builds != 0 {
				t.Errorf("loaded %+v", result)
			}
		})
	}
}

// TestBuildsCostNoTime has a build take longer than the answer may.
func TestBuildsCostNoTime(t *testing.T) {
	t.Parallel()
	plain := module(t, "m", "def twice(x): return x * 2\n")
	const limit = 3 * time.Second
	build := func(ctx context.Context, _ inline.Request) (inline.Built, error) {
		timer := time.NewTimer(limit + 100*time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		return inline.Built{Module: plain}, nil
	}
	p := start(t, config(t))
	_, fault, err := p.Load(t.Context(), request(t, inlined+forward("return x")), build, limit)
	none(t)(fault, err)
}

func TestBuilderThatCannotBuild(t *testing.T) {
	t.Parallel()
	p := start(t, config(t))
	broken := errors.New("the disk is full")
	build := func(context.Context, inline.Request) (inline.Built, error) { return inline.Built{}, broken }
	_, fault, err := p.Load(t.Context(), request(t, inlined), build, ample)
	if fault != nil || !errors.Is(err, broken) || p.Alive() {
		t.Errorf("fault %+v, error %v, alive %v", fault, err, p.Alive())
	}
}

func TestParseReply(t *testing.T) {
	t.Parallel()
	const whole = `{\"name\":\"m\",\"cpp\":[\"x\"],\"cuda\":[],\"cpp_lines\":[3],\"cuda_lines\":[],\"line\":2}`
	for name, c := range map[string]struct {
		lines  []string // one after the other
		want   string   // of the error, empty for none
		wanted bool     // a build
	}{
		"a value":           {[]string{`{"wall_ns":3}`}, "", false},
		"a build":           {[]string{`{"build":{"part":"` + whole + `","more":false}}`}, "", true},
		"in parts":          {[]string{`{"build":{"part":"` + whole[:21] + `","more":true}}`, `{"build":{"part":"` + whole[21:] + `","more":false}}`}, "", true},
		"no end":            {[]string{`{"build":{"part":"x","more":true}}`, `{"wall_ns":3}`}, "has no end", false},
		"no JSON":           {[]string{`{"build":{"part":"{","more":false}}`}, "bad JSON", false},
		"empty part":        {[]string{`{"build":{"part":"","more":true}}`}, "empty part", false},
		"unknown key":       {[]string{`{"build":{"part":"{\"path\":\"/etc\"}","more":false}}`}, "unknown field", false},
		"unknown outer key": {[]string{`{"build":{"part":"x","more":true,"x":1}}`}, "unknown field", false},
		"lines missing":     {[]string{`{"build":{"part":"{\"cpp\":[\"x\"]}","more":false}}`}, "one line for each source", false},
		"negative line":     {[]string{`{"build":{"part":"{\"line\":-1}","more":false}}`}, "a line below 0", false},
		"negative time":     {[]string{`{"wall_ns":-3}`}, "less than no time", false},
		"not a number":      {[]string{`{"wall_ns":NaN}`}, "bad JSON", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			var answer reply[CallResult]
			var err error
			for _, line := range c.lines {
				if err != nil {
					t.Fatalf("too early: %v", err)
				}
				answer, err = parseReply([][]string{{"json", line}}, &text, parseCall)
			}
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || (answer.wanted != nil) != c.wanted {
				t.Errorf("%+v, %v; want %q", answer, err, c.want)
			}
		})
	}
}

func TestSourcesAreBounded(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	line := `{"build":{"part":"` + strings.Repeat("x", torch.MaxJSON/2) + `","more":true}}`
	for range 2 * maxSources / (torch.MaxJSON / 2) {
		if _, err := parseReply([][]string{{"json", line}}, &text, parseCall); err != nil {
			if text.Len() > maxSources+torch.MaxJSON {
				t.Errorf("%d bytes were kept", text.Len())
			}
			return
		}
	}
	t.Error("there is no bound")
}

// TestServe has what an answer builds in a later call built by another.
func TestServe(t *testing.T) {
	t.Parallel()
	plain := module(t, "m", "def twice(x): return x * 2\n")
	var served []string
	by := func(name string) Build {
		return func(context.Context, inline.Request) (inline.Built, error) {
			served = append(served, name)
			return inline.Built{Module: plain}, nil
		}
	}
	p := start(t, config(t))
	answer := forward("from torch.utils.cpp_extension import load_inline", "return load_inline('m', '').twice(x)")
	_, fault, err := p.Load(t.Context(), request(t, answer), by("the first"), ample)
	none(t)(fault, err)
	none(t)(p.Map(t.Context(), set(t, 2)))
	_, fault, err = p.Call(t.Context(), Call{Limit: ample})
	none(t)(fault, err)
	p.Serve(by("the second"))
	_, fault, err = p.Call(t.Context(), Call{Limit: ample})
	none(t)(fault, err)
	if len(served) != 2 || served[0] != "the first" || served[1] != "the second" {
		t.Errorf("built by %q", served)
	}
}
