package code

import (
	"strings"
	"testing"

	"example.com/hone/ui/theme"
	"github.com/alecthomas/chroma/v2/lexers"
)

func TestCUDAIsRegistered(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"cuda", "cu", "hip", "kernel.cu", "kernel.cuh"} {
		if lexer := lexers.Get(name); lexer == nil || lexer.Config().Name != "CUDA" {
			t.Errorf("%q is not CUDA to chroma", name)
		}
	}
	if cpp := lexers.Get("c++"); cpp.Config().Name != "C++" {
		t.Errorf("c++ became %q", cpp.Config().Name)
	}
}

func TestRoles(t *testing.T) {
	t.Parallel()
	code := colourful().Code
	tests := []struct {
		name  string
		lang  Language
		line  string
		word  string
		style theme.Style
	}{
		{"qualifier", CUDA, "__global__ void f(int n) {", "__global__", code.Qualifier},
		{"type of C++", CUDA, "float x = 1;", "float", code.Type},
		{"vector type", CUDA, "float4 v = p[0];", "float4", code.Type},
		{"half", CUDA, "__half2 h;", "__half2", code.Type},
		{"thread index", CUDA, "int i = threadIdx.x;", "threadIdx", code.Builtin},
		{"barrier", CUDA, "  __syncthreads();", "__syncthreads", code.Builtin},
		{"launch", CUDA, "f<<<g, b>>>(x);", "<<<", code.Launch},
		{"end of launch", CUDA, "f<<<g, b>>>(x);", ">>>", code.Launch},
		{"launched kernel", CUDA, "f<<<g, b>>>(x);", "f", code.Function},
		{"call", CUDA, "  y = gelu(x);", "gelu", code.Function},
		{"keyword", CUDA, "if (x) return;", "return", code.Keyword},
		{"number", CUDA, "x = 42;", "42", code.Number},
		{"comment", CUDA, "x; // why", "// why", code.Comment},
		{"macro", CUDA, "#define N 4", "#define N 4", code.Preproc},
		{"string", CUDA, `puts("hi");`, `"hi"`, code.String},
		{"keyword of Python", Python, "import torch", "import", code.Keyword},
		{"definition", Python, "def forward(self):", "forward", code.Function},
		{"class", Python, "class Model(nn.Module):", "Model", code.Type},
		{"built-in of Python", Python, "len(x)", "len", code.Builtin},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			row := Highlight(test.line, test.lang, colourful())[0]
			if want := test.style.Render(test.word); !strings.Contains(row, want) {
				t.Errorf("%q is not %q in %q", test.word, want, row)
			}
		})
	}
}

func TestShiftIsNoLaunch(t *testing.T) {
	t.Parallel()
	row := Highlight("x = y >> 3;", CUDA, colourful())[0]
	if strings.Contains(row, colourful().Code.Launch.Render(">>")) {
		t.Errorf("a shift is coloured as a launch: %q", row)
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	comment := context{"/*\n", "*/"}
	macro := context{opening: "#define \\\n"}
	text := context{"\"\"\"\n", "\"\"\""}
	tests := []struct {
		name string
		lang Language
		in   context
		line string
		want context
	}{
		{"code", CUDA, context{}, "int x;", context{}},
		{"comment opens", CUDA, context{}, "x; /* a", comment},
		{"comment goes on", CUDA, comment, "still // \"", comment},
		{"comment closes", CUDA, comment, "end */ x;", context{}},
		{"comment closes, another opens", CUDA, comment, "*/ x; /*", comment},
		{"comment on one line", CUDA, context{}, "/* a */ x", context{}},
		{"opening in a string", CUDA, context{}, `s = "/*";`, context{}},
		{"opening in a line comment", CUDA, context{}, `// /*`, context{}},
		{"escaped quote", CUDA, context{}, `s = "\"/*";`, context{}},
		{"lone quote", CUDA, context{}, `don't /*`, comment},
		{"macro goes on", CUDA, context{}, `  #define A \`, macro},
		{"macro ends", CUDA, macro, `x`, context{}},
		{"macro goes on twice", CUDA, macro, `x \`, macro},
		{"backslash of code", CUDA, context{}, `x \`, context{}},
		{"docstring opens", Python, context{}, `x = """a`, text},
		{"docstring on one line", Python, context{}, `"""a"""`, context{}},
		{"docstring closes", Python, text, `b"""`, context{}},
		{"docstring in a comment", Python, context{}, `# """`, context{}},
		{"other quote within", Python, text, `'''`, text},
		{"plain", Plain, context{}, `/*`, context{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.in.after(test.line, test.lang); got != test.want {
				t.Errorf("after %q: %q, want %q", test.line, got, test.want)
			}
		})
	}
}
