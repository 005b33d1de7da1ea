package tasks

import (
	"strings"
	"testing"
)

// Every kind of mistake in a reference.py or reference.cu.
func TestReferenceProblems(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ old, with, want string }{
		"no Model":          {"class Model(", "class Modle(", "reference.py: no class Model at the top level"},
		"Model a function":  {"class Model(nn.Module):", "def Model(nn):", "reference.py: no class Model at the top level"},
		"nested function":   {"def get_inputs", "if True:\n  def get_inputs", "reference.py: no def get_inputs at the top level"},
		"commented out":     {"def get_init_inputs", "def g(): # def get_init_inputs", "reference.py: no def get_init_inputs"},
		"in a string":       {"def get_init_inputs", "'def get_init_inputs'\ndef g", "reference.py: no def get_init_inputs"},
		"constant differs":  {"m = 50", "m = 51", "reference.py:4: constant m differs from size full: want 50"},
		"constant missing":  {"m = 50", "k = 50", "reference.py: no constant m: want m = 50, as at size full"},
		"constant computed": {"m = 50", "m = 25 * 2", "reference.py:4: constant m differs"},
		"bracket open":      {"return x[:, :2]", "return (x[:, :2]", `reference.py:9: "(" is never closed`},
		"bracket stray":     {"return []", "return [])", `reference.py:13: ")" closes nothing`},
		"bracket mixed":     {"return []", "return [)", `reference.py:13: ")" does not close "[" of line 13`},
		"string open":       {"return []", "return 'a", "reference.py:13: string is never closed"},
		"docstring open":    {"    def forward", "    \"\"\"Slices.\n    def forward", "reference.py:8: string is never closed"},
		"no block":          {"    return []", "return []", "reference.py:13: expected an indented block after line 12"},
		"stray indentation": {"m = 50", "  m = 50", "reference.py:4: unexpected indentation"},
		"dedent":            {"        return x", "      y = 1\n     return x", "reference.py:10: indentation matches no block around this line"},
		"character":         {"m = 50", "m = $50", `reference.py:4: unexpected character '$'`},
		"no template":       {"void reference", "void refrence", "reference.cu: no function reference"},
		"native comment":    {"void reference", "// void reference(\n  void r", "reference.cu: no function reference"},
		"native bracket":    {"{\n}", "{\n  f(1];\n}", `reference.cu:4: "]" does not close "(" of line 4`},
		"native open":       {"{\n}", "{\n", `reference.cu:3: "{" is never closed`},
		"native stray":      {"{\n}", "{\n}}", `reference.cu:4: "}" closes nothing`},
		"native literal":    {"{\n}", "{\n  f(\"abc);\n}", `reference.cu:4: " is never closed`},
		"native comment on": {"{\n}", "{\n}\n/* and so on", "reference.cu:5: comment is never closed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reference, native := goodReference, goodNative
			if strings.HasPrefix(c.want, "reference.cu") {
				native = replace(t, native, c.old, c.with)
			} else {
				reference = replace(t, reference, c.old, c.with)
			}
			_, problems := Load(folder(goodManifest, reference, native), "set", "test")
			if len(problems) == 0 {
				t.Fatal("loaded")
			}
			if got := problems[0].Error(); !strings.HasPrefix(got, "set/one/"+c.want) {
				t.Errorf("got  %s\nwant set/one/%s", got, c.want)
			}
		})
	}
}

func TestPythonThatIsWellFormed(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"empty":             "",
		"comment only":      "# nothing",
		"continued line":    "x = 1 + \\\n    2\n",
		"in brackets":       "x = [\n  1,\n        2,\n]\ny = (3\n)\n",
		"strings":           "a = 'it\\'s' + \"#(\" + r'\\d' 'x'\nb = rb\"\\x00\"\nc = f'{a}'\n",
		"triple":            "a = '''one '\n\"\"\" two\n'''\nb = 2\n",
		"tabs":              "if x:\n\ty = 1\n\tif y:\n\t\tz = 2\n",
		"blank lines":       "def f():\n    x = 1\n\n  # a comment anywhere\n\n    return x\n",
		"one-line block":    "class A: pass\nif a: b = 1\n",
		"nested blocks":     "for a in b:\n  if a:\n    c()\n  else:\n    d()\ne()\n",
		"numbers":           "a = 1_000 + 0x1F + 1e5 + 3.14j\n",
		"operators":         "a = b @ c // d ** e << f >> g != h <= i -> j := k\n",
		"other letters":     "größe = 1\n",
		"no final newline":  "def f():\n    return 1",
		"windows newlines":  "def f():\r\n    return 1\r\n",
		"decorated":         "@torch.no_grad()\ndef f(): return 1\n",
		"lambda and slices": "f = lambda x: x[1:, ::2]\n",
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, problem := lexPython(text); problem != nil {
				t.Error(problem)
			}
		})
	}
}

func TestNativeThatIsWellFormed(t *testing.T) {
	t.Parallel()
	start := "template <typename real> void reference(const real* x) {}\n"
	for name, text := range map[string]string{
		"comments":         "// ( [ {\n/* ) ] } */\n",
		"literals":         "char a = '('; const char* b = \")\\\"}\";\n",
		"raw string":       "const char* c = R\"x(\" ) } )x\";\n",
		"digit separators": "long n = 1'000'000; double d = 1'0.5e-3;\n",
		"launch":           "k<real><<<(n + 1) / 2, 32>>>(x);\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if problems := checkNative(start + text); len(problems) > 0 {
				t.Error(problems)
			}
		})
	}
}

func FuzzPython(f *testing.F) {
	f.Add(goodReference)
	f.Add("if a:\n\tb = '''\n(\"\"\"[\n")
	f.Add("x = \\\r\n 1\f\n  # c\n}")
	f.Fuzz(func(t *testing.T, text string) {
		tokens, problem := lexPython(text)
		lines := strings.Count(text, "\n") + 1
		if problem != nil && (problem.Line < 1 || problem.Line > lines) {
			t.Errorf("problem at line %d of %d: %s", problem.Line, lines, problem.Text)
		}
		depth := 0
		for _, tok := range tokens {
			if tok.line < 1 || tok.line > lines || !strings.Contains(text, tok.text) {
				t.Errorf("token %+v is not in the text of %d lines", tok, lines)
			}
			switch tok.kind {
			case pyIndent:
				depth++
			case pyDedent:
				depth--
			}
		}
		if depth != 0 {
			t.Errorf("%d more indents than dedents", depth)
		}
	})
}

func FuzzNative(f *testing.F) {
	f.Add(goodNative)
	f.Add("R\"(\" ' \\\n /* // */ 1'0")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		for _, p := range checkNative(text) {
			if p.Line < 0 || p.Line > lines {
				t.Errorf("problem at line %d of %d: %s", p.Line, lines, p.Text)
			}
		}
	})
}

func TestFromReference(t *testing.T) {
	t.Parallel()
	got, problems := FromReference(Task{ID: "a/b", Reference: goodReference, Path: "b.py"})
	if len(problems) > 0 || !got.Torch() || len(got.SHA256) != 64 {
		t.Fatalf("got %+v, %v", got, problems)
	}
	if other, _ := FromReference(Task{ID: "c/d", Title: "D", Reference: goodReference}); other.SHA256 != got.SHA256 {
		t.Error("another name of the same reference has another hash")
	}
	if got.Signature.Declare("solve") != "" || Shapes(got) != "" {
		t.Errorf("a signature that nobody knows is declared: %q, %q", got.Signature.Declare("solve"), Shapes(got))
	}
	cases := map[string]struct{ old, with, want string }{
		"missing":     {"def get_inputs", "def get_input", "b.py: no def get_inputs at the top level"},
		"two missing": {"def get_inputs():\n    return []\n\n\ndef get_init_inputs", "def g", "b.py: no def get_inputs, no def get_init_inputs at the top level"},
		"bracket":     {"return []", "return [", `b.py:13: "[" is never closed`},
		"no UTF-8":    {"m = 50", "m = '\xff'", "b.py:4: is no text in UTF-8"},
		"zero byte":   {"m = 50", "m = '\x00'", "b.py:4: is no text in UTF-8"},
		"too long":    {"m = 50", strings.Repeat("#", MaxFile), "b.py: is 1048"},
	}
	for name, c := range cases {
		_, problems := FromReference(Task{Reference: replace(t, goodReference, c.old, c.with), Path: "b.py"})
		if len(problems) != 1 || !strings.HasPrefix(problems[0].Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, problems, c.want)
		}
	}
}
