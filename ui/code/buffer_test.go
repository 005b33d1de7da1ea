package code

import (
	"fmt"
	"strings"
	"testing"

	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/charmbracelet/x/ansi"
)

func colourful() theme.Theme { return theme.New(term.Profile{Colour: term.TrueColour}) }

const kernel = `// Row softmax: one block per row.
#include <cuda_runtime.h>
#define MAX(a, b) \
    ((a) > (b) ? (a) : (b))

/* A comment of
   two lines */
__global__ void softmax(const float* __restrict__ x, float4* y, int n)
{
	__shared__ float part[32]; // one per warp
	const char* quote = "/* not a comment";
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) y[i].x = expf(x[i]) * 2.0f;
	__syncthreads();
}

extern "C" void solve(const float* x, float4* y, int64_t n, cudaStream_t stream)
{
	softmax<<<dim3(n / 256), 256, 0, stream>>>(x, y, n);
}
`

const reference = `import torch

class Model(torch.nn.Module):
    """Row softmax.

    Of a matrix."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        text = '''also
        text'''  # not "text
        return torch.softmax(x, dim=-1)
`

// feed gives text to a buffer in pieces of n bytes.
func feed(text string, n int, lang Language) *Buffer {
	b := NewBuffer(lang, colourful())
	for len(text) > 0 {
		piece := text[:min(n, len(text))]
		b.Feed(piece)
		text = text[len(piece):]
	}
	b.Close()
	return b
}

// requireFaithful checks the invariants that every buffer keeps.
func requireFaithful(t *testing.T, b *Buffer, fed string) {
	t.Helper()
	if got, want := b.Text(), term.Clean(fed); got != want {
		t.Fatalf("text %q, want %q", got, want)
	}
	for i := range b.Len() {
		line := b.Line(i)
		if stripped := ansi.Strip(line.Styled); stripped != line.Raw {
			t.Fatalf("line %d shows %q, is %q", i, stripped, line.Raw)
		}
		if strings.ContainsAny(line.Raw, "\n\x1b") {
			t.Fatalf("line %d holds a control: %q", i, line.Raw)
		}
	}
}

func TestBufferIsFaithful(t *testing.T) {
	t.Parallel()
	texts := map[string]struct {
		lang Language
		text string
	}{
		"kernel":            {CUDA, kernel},
		"reference":         {Python, reference},
		"plain":             {Plain, "one\ntwo"},
		"unknown language":  {"fortran", "      END\n"},
		"empty":             {CUDA, ""},
		"line breaks only":  {CUDA, "\n\n\n"},
		"no last break":     {CUDA, "int x;\nint y"},
		"CRLF":              {CUDA, "int x;\r\nint y;\r\n"},
		"escapes":           {CUDA, "int \x1b[31mx\x1b[0m;\n\x1b]52;c;AA\aint y;\n"},
		"wide and joined":   {CUDA, "// 日本語 👩\u200d🚀 e\u0301\nint x;\n"},
		"invalid bytes":     {CUDA, "int x\xff;\n\xe6\x97"},
		"unended string":    {CUDA, "char* s = \"abc\nint x;\n"},
		"unended comment":   {CUDA, "/* abc\nint x;\n"},
		"unended docstring": {Python, "def f():\n  \"\"\"abc\n  x = 1\n"},
		"blank lines":       {CUDA, strings.Repeat("\n", maxBlank+2) + "int y;\n"},
		"huge line":         {CUDA, strings.Repeat("int x; ", 5000) + "\nint y;\n"},
	}
	for name, c := range texts {
		for _, n := range []int{1, 7, 1 << 20} {
			if n < 7 && len(c.text) > 10000 {
				continue // the shorter texts come byte by byte; this one would take seconds
			}
			t.Run(fmt.Sprintf("%s by %d", name, n), func(t *testing.T) {
				t.Parallel()
				b := feed(c.text, n, c.lang)
				requireFaithful(t, b, c.text)
				if !b.Recolour(Highlight(b.Text(), b.Language(), colourful())) {
					t.Error("the pass at the end is refused")
				}
				requireFaithful(t, b, c.text)
			})
		}
	}
}

func FuzzBuffer(f *testing.F) {
	for i, seed := range []string{kernel, reference, "/*\n*/ \"\n'\n#define \\\n\x1b[1m\t<<<>>>", "\"\"\"\n'''\n"} {
		f.Add(seed, 5*i+1, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, text string, n int, cuda bool) {
		lang := Python
		if cuda {
			lang = CUDA
		}
		n = 1 + (n&0x7fffffff)%50
		b := feed(text, n, lang)
		requireFaithful(t, b, text)
		if !b.Recolour(Highlight(b.Text(), lang, colourful())) {
			t.Fatal("the pass at the end is refused")
		}
		requireFaithful(t, b, text)
		for _, row := range b.View(0, 5, 20, Options{LineNumbers: true}) {
			if term.Width(row) != 20 {
				t.Fatalf("row %q is %d cells wide", row, term.Width(row))
			}
		}
	})
}

// Each line alone is coloured as in the whole, for ordinary sources.
func TestStreamedColoursAreThoseOfTheWhole(t *testing.T) {
	t.Parallel()
	for lang, text := range map[Language]string{CUDA: kernel, Python: reference} {
		want := Highlight(term.Clean(text), lang, colourful())
		for _, n := range []int{1, 100} {
			b := feed(text, n, lang)
			for i := range b.Len() {
				if got := b.Line(i).Styled; got != want[i] {
					t.Errorf("%s by %d, line %d:\n got %q\nwant %q", lang, n, i+1, got, want[i])
				}
			}
		}
	}
}

// countingLexer makes one token of every text and counts what it was given.
type countingLexer struct {
	chroma.Lexer
	bytes int
}

func (l *countingLexer) Tokenise(_ *chroma.TokeniseOptions, text string) (chroma.Iterator, error) {
	l.bytes += len(text)
	return chroma.Literator(chroma.Token{Type: chroma.Comment, Value: text}), nil
}

func TestLinesAreColouredOnce(t *testing.T) {
	t.Parallel()
	line := "    y[i] = x[i] * 2.0f; // again\n"
	text := strings.Repeat(line, 1000) + "/* a comment\n" + strings.Repeat(line, 2000)
	lexer := &countingLexer{Lexer: lexers.Fallback}
	b := NewBuffer(CUDA, colourful())
	b.styler.lexer = lexer
	for piece := range strings.SplitAfterSeq(text, "2.0f") {
		b.Feed(piece)
	}
	openings := 2000 * len("/*\n")
	if most := len(text) + openings; b.Len() != 3001 || lexer.bytes > most {
		t.Errorf("of %d bytes in %d lines, %d went through the lexer", len(text), b.Len(), lexer.bytes)
	}
	for i := range b.Len() {
		if line := b.Line(i); line.Styled == line.Raw {
			t.Fatalf("line %d has no colours", i+1)
		}
	}
}

func TestTooMuchAtOnceStaysPlain(t *testing.T) {
	t.Parallel()
	lexer := &countingLexer{Lexer: lexers.Fallback}
	b := NewBuffer(CUDA, colourful())
	b.styler.lexer = lexer
	b.Feed(strings.Repeat("int x;\n", 20000))
	if lexer.bytes != 0 || b.Len() != 20000 {
		t.Errorf("%d bytes of %d lines were coloured as they came", lexer.bytes, b.Len())
	}
}

func TestRecolourRefusesAnotherText(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text string }{
		{"longer", "int x;\nint y;\nint z;\n"},
		{"shorter", "int x;\n"},
		{"another line", "int a;\nint y;\n"},
		{"an open line", "int x;\nint y;\nint"},
		{"empty", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := NewBufferOf("int x;\nint y;\n", CUDA, colourful())
			if b.Recolour(Highlight(test.text, CUDA, colourful())) {
				t.Error("colours of another text were taken")
			}
		})
	}
}

func TestNoColourNoLexer(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{})
	if rows := Highlight(kernel, CUDA, th); strings.Join(rows, "\n") != kernel {
		t.Errorf("without colour, text became %q", rows)
	}
}

func BenchmarkHighlight(b *testing.B) {
	text := strings.Repeat(kernel, 30)
	b.ReportMetric(float64(strings.Count(text, "\n")), "lines")
	for b.Loop() {
		Highlight(text, CUDA, colourful())
	}
}

// BenchmarkFlush is what 500 tokens/s cost: a flush each 33 ms brings about 17
// tokens, and a frame is drawn from it, with the reply already long.
func BenchmarkFlush(b *testing.B) {
	for _, lines := range []int{0, 600, 3000} {
		b.Run(fmt.Sprintf("%d lines before", lines), func(b *testing.B) {
			line := "    acc[i][j] = fmaf(a[i], b[j], acc[i][j]);  // one step\n"
			buffer := NewBufferOf(strings.Repeat(line, lines), CUDA, colourful())
			at := 0
			stream := strings.Repeat(line, 4)
			o := Options{LineNumbers: true}
			b.ReportAllocs()
			for b.Loop() {
				end := at + 68
				if end > len(stream) {
					at, end = 0, 68
				}
				buffer.Feed(stream[at:end])
				at = end
				buffer.View(buffer.End(56, 100, o), 56, 100, o)
			}
		})
	}
}
