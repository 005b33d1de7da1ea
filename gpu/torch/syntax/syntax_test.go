package syntax

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hone/tasks/rules"
)

const folder = "../python"

// python is the interpreter that tests use, or skips the test with the reason.
func python(t testing.TB) string {
	t.Helper()
	for _, name := range []string{os.Getenv("HONE_PYTHON"), "python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err == nil && exec.Command(path, "-I", "-S", "-c", "import sys; sys.exit(sys.version_info < (3, 9))").Run() == nil {
			return path
		}
	}
	t.Skip("no Python 3.9 or later: set HONE_PYTHON to one")
	return ""
}

// readGood takes an answer apart that is Python.
func readGood(t testing.TB, text string) rules.Answer {
	t.Helper()
	return readAll(t, []string{text})[0]
}

// readAll takes many answers apart in one process, for the sake of speed.
func readAll(t testing.TB, texts []string) []rules.Answer {
	t.Helper()
	const collect = `import json, sys; sys.path.insert(0, sys.argv[1]); from hone_torch.facts.program import facts
for text in json.load(sys.stdin): print(json.dumps(facts(text)))`
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python(t), "-I", "-B", "-S", "-c", collect, folder)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	var answers []rules.Answer
	for line := range bytes.Lines(out) {
		facts, bad, err := parse(line)
		if bad != nil || err != nil {
			t.Fatal(bad, err)
		}
		answers = append(answers, assemble(facts))
	}
	return answers
}

// Names are followed to what they stand for.
func TestNames(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, text, want string }{
		{"import as", "import torch.nn.functional as F\nF.relu(x)", "torch.nn.functional.relu:call"},
		{"from import", "from torch import matmul as m\nm(a, b)", "torch.matmul:call"},
		{"whole module", "import torch.nn\ntorch.nn.Linear(1, 2)", "torch.nn.Linear:call"},
		{"star", "from torch.nn.functional import *\nrelu(x)\nprint(1)", "torch.nn.functional.relu:call"},
		{"alias of a module", "import torch\nt = torch\nt.mm", "torch.mm:load"},
		{"alias of a function", "import torch\nf = torch.mm\nf(a)", "torch.mm:load torch.mm:call"},
		{"both of a tuple", "import torch\na, b = 1, torch.mm\nb(1)", "torch.mm:load torch.mm:call"},
		{"walrus", "import torch\n(f := torch.mm)(a)", "torch.mm:load"},
		{"either", "import torch\nf = torch.mm if x else None\nf(a)", "torch.mm:load torch.mm:call"},
		{"default of a parameter", "import torch\ndef g(f=torch.mm): f(1)", "torch.mm:load torch.mm:call"},
		{"getattr", "import torch\ngetattr(torch, 'm' + 'm')(a)", "torch.mm:call"},
		{"getattr of a tensor", "getattr(x[0], 'mm')(a)", "?.mm:call"},
		{"computed getattr", "import torch\ngetattr(torch, name)", "getattr(torch):load"},
		{"import by a call", "torch = __import__('torch')\ntorch.mm(a)", "torch.mm:call"},
		{"method of a tensor", "def f(x): return x.abs().sum()", "?.sum:call ?.abs:call"},
		{"method in a variable", "def f(x):\n  m = x.matmul\n  m(x)", "?.matmul:load ?.matmul:call"},
		{"parameter hides a module", "import torch\ndef f(torch): torch.mm", "?.mm:load"},
		{"attribute of self", "class A:\n  def f(self): self.w.sum()", "self.w.sum:call"},
		{"alias in self", "import torch\nclass A:\n  def __init__(self): self.op = torch.mm\n  def f(self): self.op(1)", "torch.mm:load torch.mm:call"},
		{"own function", "def relu(x): return x\nrelu(1)", ":relu:call"},
		{"own class", "class Model: y = 1\nModel().f", "?.f:load :Model:call"},
		{"stored attribute", "import time\ntime.time = f", "time.time:store"},
		{"stored by setattr", "import torch\nsetattr(torch, 'equal', f)\nsetattr(torch, n, f)", "torch.equal:store torch.*:store"},
		{"deleted", "import torch\ndel torch.mm", "torch.mm:delete"},
		{"stored item", "import sys\nsys.modules['x'] = 1", "sys.modules[]:store sys.modules:load"},
		{"launch", "import triton\n@triton.jit\ndef k(): return\nk[(1,)](x)", "triton.jit:load :k:launch"},
		{"main guard", "import torch\nif __name__ == '__main__':\n  torch.mm(a)", ""},
		{"main guard that lies", "import torch\n__name__ = '__main__'\nif __name__ == '__main__':\n  torch.mm(a)", "torch.mm:call"},
		{"text only", "'''torch.mm(a)'''\n# torch.mm\nx = 'torch.mm'", ""},
		{"itself", "f = f\ng = h\nh = g\nf.x\nh.y", "?.x:load ?.y:load"},
	}
	var texts []string
	for _, c := range cases {
		texts = append(texts, c.text)
	}
	answers := readAll(t, texts)
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, u := range answers[i].Facts.Uses {
				if !strings.Contains(" print setattr getattr __import__ name n f a b h x torch torch.nn.functional.x ", " "+u.Name+" ") {
					got = append(got, u.Name+":"+u.Use)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, " "), c.want)
			}
		})
	}
}

// What load_inline returns keeps its name, whatever it goes through.
func TestBuilds(t *testing.T) {
	t.Parallel()
	const head = "from torch.utils.cpp_extension import load_inline\nimport torch\n"
	cases := []struct{ name, text, want string }{
		{"variable", "m = load_inline('n', '', '', ['f'])\nm.f(x)", "build:0.f"},
		{"attribute at once", "f = load_inline('n', '').f\nf(x)", "build:0.f build:0.f"},
		{"self", "class A:\n  def __init__(self): self.m = load_inline('n', '')\n  def g(self): self.m.f(1)", "build:0.f"},
		{"class", "class A:\n  m = load_inline('n', '')\n  def g(self): self.m.f(1)", "build:0.f"},
		{"base", "class B:\n  m = load_inline('n', '')\nclass A(B):\n  def g(self): self.m.f(1)", "build:0.f"},
		{"function", "def build(): return load_inline('n', '')\nm = build()\nm.f(1)", "build:0.f"},
		{"filled later", "m = None\ndef get():\n  global m\n  if m is None: m = load_inline('n', '')\n  return m\nget().f(1)", "build:0 build:0.f"},
		{"two", "a = load_inline('a', '')\nb = torch.utils.cpp_extension.load_inline('b', '')\nb.f(a.g(1))", "build:0.f build:1.g"},
		{"handed on", "m = load_inline('n', '')\nrun(m)", "build:0"},
		{"in a table", "t = {'m': load_inline('n', '')}\nt['m'].f(1)", "build:0 ?.f"},
		{"one of two values", "m = load_inline('n', '')\nm = y[0]\nm.f(1)", "?.f"},
	}
	var texts []string
	for _, c := range cases {
		texts = append(texts, head+c.text)
	}
	answers := readAll(t, texts)
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, u := range answers[i].Facts.Uses {
				if strings.HasPrefix(u.Name, "build:") || strings.HasPrefix(u.Name, "?") {
					got = append(got, u.Name)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, " "), c.want)
			}
		})
	}
}

// A source's text is found, and each of its lines in the file.
func TestSources(t *testing.T) {
	t.Parallel()
	const head = "from torch.utils.cpp_extension import load_inline\n" // line 1
	const hidden = "(hidden)"
	cases := []struct {
		name, text, want string // the text from the word "line" on
		line             int    // of the file, where "line" stands
		exact            bool
	}{
		{"string in place", `load_inline("n", "", "line")`, "line", 2, true},
		{"in a variable", "s = '''a\nb\nline\n'''\nload_inline(name='n', cpp_sources='', cuda_sources=s)", "line\n", 4, true},
		{"opened by a backslash", "s = '''\\\na\nline\n'''\nload_inline('n', '', s)", "line\n", 4, true},
		{"joined over lines", "s = ('a\\n'\n  'b\\n'\n  'line\\n')\nload_inline('n', '', s)", "line\n", 4, true},
		{"added", "a = '''a\n'''\nb = '''b\nline\n'''\nload_inline('n', '', a + b)", "line\n", 5, true},
		{"added in place", "s = '''a\n'''\ns += '''line\n'''\nload_inline('n', '', s)", "line\n", 4, false},
		{"list", "load_inline('n', [], ['a',\n  'line'])", "line", 3, true},
		{"list in a variable", "l = ['a',\n 'line']\nload_inline('n', '', l)", "line", 3, true},
		{"formatted", "n = 4\ns = f'''a {n}\nline {n}\n'''\nload_inline('n', '', s)", "line 4\n", 4, true},
		{"formatted by the unknown", "s = f'''a\nline {n()}\n'''\nload_inline('n', '', s)", "line 0\n", 3, false},
		{"replaced", "s = '''a\nline X\n'''\nload_inline('n', '', s.replace('X', str(n)))", "line X\nX", 3, false},
		{"of a function", "def s(): return '''a\nline'''\nload_inline('n', '', s())", "line", 3, true},
		{"of a class", "class A:\n  s = 'line'\n  def f(self): load_inline('n', '', self.s)", "line", 3, true},
		{"joined by a method", "load_inline('n', '', ''.join(['a\\n',\n 'line']))", "line", 3, true},
		{"read from a file", "load_inline('n', '', open('x').read())", hidden, 0, false},
		{"decoded", "import base64\nload_inline('n', '', base64.b64decode('eA==').decode())", hidden, 0, false},
		{"arguments unknown", "load_inline(**options)", hidden, 0, false},
	}
	var texts []string
	for _, c := range cases {
		texts = append(texts, head+c.text)
	}
	answers := readAll(t, texts)
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			sources := answers[i].Facts.Builds[0].Sources
			source := sources[len(sources)-1]
			if source.Text == nil {
				if c.want != hidden {
					t.Fatal("its text was not found")
				}
				return
			}
			before, _, _ := strings.Cut(*source.Text, "line")
			if got := (*source.Text)[len(before):]; got != c.want || source.Exact != c.exact {
				t.Errorf("got %q, exact %v, want %q, %v", got, source.Exact, c.want, c.exact)
			}
			if got := source.LineOf(1 + strings.Count(before, "\n")); got != c.line {
				t.Errorf("on line %d, want %d (%+v)", got, c.line, source.Runs)
			}
		})
	}
}

func TestFunctionsOfABuild(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"load_inline('n', '', '', 'f')":                        "f",
		"load_inline('n', '', '', ['f', 'g'])":                 "f g",
		"load_inline('n', '', functions={'f': 'doc'})":         "f",
		"names = ['f']\nload_inline('n', '', functions=names)": "f",
		"load_inline('n', '')":                                 "",
		"load_inline('n', '', functions=list_them())":          "unknown",
	} {
		build := readGood(t, "from torch.utils.cpp_extension import load_inline\n"+text).Facts.Builds[0]
		got := strings.Join(build.Functions, " ")
		if build.Functions == nil {
			got = "unknown"
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// Whatever cannot be read is said, and where.
func TestWhatIsNotPython(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text string
		line       int
		says       string
	}{
		{"syntax", "x = 1\ndef f(:\n", 2, "invalid syntax"},
		{"open bracket", "x = (1,\n", 1, ""},
		{"null byte", "x = '\x00'", 1, "null bytes"},
		{"not UTF-8", "x = 1\ny = '\xff'", 2, "not UTF-8"},
		{"too long", strings.Repeat("x = 1\n", 200_000), 1, "longer than"},
		{"too many names", strings.Repeat("a.b;", 15_000), 1, "more than"},
		{"brackets", strings.Repeat("(", 100_000), 1, ""},
		{"signs", "x = " + strings.Repeat("-", 200_000) + "1", 1, "nested too deeply"},
		{"additions", "1" + strings.Repeat("+1", 200_000), 1, "nested too deeply"},
		{"attributes", "a" + strings.Repeat(".b", 100_000), 1, "nested too deeply"},
		{"lambdas", strings.Repeat("lambda: ", 50_000) + "1", 1, "nested too deeply"},
		{"a text that doubles", "from torch.utils.cpp_extension import load_inline\na = 'xxxxxxxx'\n" +
			strings.Repeat("a = a + a\n", 1) + doubled(40), 1, "longer than"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, bad, err := Read(context.Background(), python(t), folder, c.text)
			if err != nil || bad == nil {
				t.Fatalf("got %v, %v", bad, err)
			}
			if bad.Line < c.line || c.line > 1 && bad.Line != c.line || bad.Column < 1 || !strings.Contains(bad.Error(), c.says) {
				t.Errorf("got %v, want line %d and %q", bad, c.line, c.says)
			}
		})
	}
}

// doubled is n variables, each twice as long as the one before, and their use.
func doubled(n int) string {
	var b strings.Builder
	b.WriteString("a0 = 'x'\n")
	for i := range n {
		b.WriteString("a" + itoa(i+1) + " = a" + itoa(i) + " + a" + itoa(i) + "\n")
	}
	b.WriteString("load_inline('n', '', a" + itoa(n) + ")\n")
	return b.String()
}

func itoa(n int) string { return string(rune('0'+n/10)) + string(rune('0'+n%10)) }

// The helper's failures are no fault of the answer.
func TestBrokenHelpers(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, script, says string }{
		{"exits", "echo no such option >&2; exit 2", "no such option"},
		{"says nothing", "exit 0", "EOF"},
		{"no JSON", "echo hello", "invalid character"},
		{"unknown key", `echo '{"usses": []}'`, "unknown field"},
		{"more than one value", `echo '{} {}'`, "more than one value"},
		{"wrong type", `echo '{"uses": [{"line": "x"}]}'`, "cannot unmarshal"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "python")
			if err := os.WriteFile(path, []byte("#!/bin/sh\ncat >/dev/null\n"+c.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			_, bad, err := Facts(context.Background(), path, folder, "x = 1")
			if bad != nil || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, %v, want an error with %q", bad, err, c.says)
			}
		})
	}
	if _, _, err := Facts(context.Background(), "/no/such/python", folder, ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without an interpreter: %v", err)
	}
}

// A parser that overflows its stack dies by a signal: the text is at fault.
func TestCrashOfTheParserIsNotOurs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nkill -SEGV $$\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, bad, err := Facts(context.Background(), path, folder, "x = 1")
	if err != nil || bad == nil || !strings.Contains(bad.Message, "nested too deeply") {
		t.Errorf("got %v, %v", bad, err)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Facts(ctx, python(t), folder, "x = 1"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkRead(b *testing.B) {
	text := answer("", "", "")
	interpreter := python(b)
	for b.Loop() {
		if _, bad, err := Read(context.Background(), interpreter, folder, text); bad != nil || err != nil {
			b.Fatal(bad, err)
		}
	}
}
