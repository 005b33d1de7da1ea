package code

import (
	"fmt"
	"strings"
	"testing"

	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
	"github.com/charmbracelet/x/exp/golden"
)

// view draws a window without colour.
func view(text string, top, height, width int, o Options) string {
	b := NewBufferOf(text, CUDA, theme.New(term.Profile{}))
	return strings.Join(b.View(top, height, width, o), "|\n") + "|\n"
}

func TestView(t *testing.T) {
	t.Parallel()
	marks := map[int]Mark{
		8:  {Kind: MarkWarning, Text: "unused parameter"},
		12: {Kind: MarkError, Text: "identifier \"blockidx\" is undefined; did you mean \"blockIdx\"?\n\x1b[2Jand more"},
		13: {Kind: MarkNote, Text: "expected 1.5, got 0 at [0, 17]"},
		14: {Kind: MarkFound},
	}
	tests := []struct {
		name               string
		top, height, width int
		options            Options
	}{
		{"numbers", 0, 8, 60, Options{LineNumbers: true}},
		{"marks", 6, 14, 60, Options{LineNumbers: true, Marks: marks}},
		{"no gutter", 7, 4, 40, Options{}},
		{"panned", 7, 4, 40, Options{LineNumbers: true, XOffset: 10}},
		{"wrapped", 7, 10, 40, Options{LineNumbers: true, Wrap: true, Marks: marks}},
		{"below the end", 18, 6, 40, Options{LineNumbers: true}},
		{"narrow", 7, 4, 5, Options{LineNumbers: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			golden.RequireEqual(t, view(kernel, test.top, test.height, test.width, test.options))
		})
	}
}

func TestViewIsExactlyAsLargeAsAsked(t *testing.T) {
	t.Parallel()
	text := kernel + "// 日本語 👩\u200d🚀 e\u0301 wide\n" + strings.Repeat("日", 3000) + "\n" + strings.Repeat("x", 100<<10) + "\nend"
	for _, th := range []theme.Theme{colourful(), theme.New(term.Profile{ASCII: true})} {
		b := NewBufferOf(text, CUDA, th)
		b.Recolour(Highlight(b.Text(), CUDA, th))
		for _, o := range []Options{{}, {LineNumbers: true}, {LineNumbers: true, Wrap: true}, {XOffset: 5}, {LineNumbers: true, XOffset: 1 << 40}} {
			o.Marks = map[int]Mark{2: {MarkError, strings.Repeat("long ", 90)}, b.Len(): {MarkNote, "at the end"}}
			for _, size := range [][2]int{{1, 1}, {2, 3}, {7, 6}, {24, 80}, {0, 10}, {10, 0}, {-1, -1}} {
				for _, top := range []int{-5, 10, b.Len() - 1, b.Len() + 10} {
					requireSize(t, b.View(top, size[0], size[1], o), size, fmt.Sprintf("top %d, %+v", top, o))
				}
			}
		}
	}
}

func requireSize(t *testing.T, rows []string, size [2]int, what string) {
	t.Helper()
	if len(rows) != max(0, size[0]) {
		t.Fatalf("%s: %d rows of %d", what, len(rows), size[0])
	}
	for _, row := range rows {
		if term.Width(row) != max(0, size[1]) || strings.Contains(row, "\n") {
			t.Fatalf("%s: row of %d cells, want %d: %q", what, term.Width(row), size[1], row)
		}
	}
}

func TestEndShowsTheLastLine(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a line that is somewhat long for the window\n", 50) + "the last line"
	tests := []struct {
		name          string
		height, width int
		options       Options
	}{
		{"cut", 10, 30, Options{LineNumbers: true}},
		{"wrapped", 10, 30, Options{LineNumbers: true, Wrap: true}},
		{"wrapped, odd height", 7, 20, Options{Wrap: true}},
		{"marked at the end", 10, 60, Options{Marks: map[int]Mark{50: {MarkError, "here"}}}},
		{"higher than the text", 200, 60, Options{}},
		{"one row", 1, 60, Options{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := NewBufferOf(text, CUDA, theme.New(term.Profile{}))
			top := b.End(test.height, test.width, test.options)
			rows := b.View(top, test.height, test.width, test.options)
			if !strings.Contains(strings.Join(rows, "\n"), "the last line") {
				t.Errorf("from %d the last line is not seen: %q", top, rows)
			}
			if above := b.View(top-1, test.height, test.width, test.options); top > 0 &&
				strings.Contains(strings.Join(above, "\n"), "the last line") {
				t.Errorf("%d is not the first such top", top)
			}
		})
	}
}

func TestEndOfNothing(t *testing.T) {
	t.Parallel()
	b := NewBuffer(CUDA, colourful())
	if top := b.End(10, 80, Options{}); top != 0 {
		t.Errorf("End = %d", top)
	}
}

func TestGutterIsNoPartOfTheText(t *testing.T) {
	t.Parallel()
	b := NewBufferOf(kernel, CUDA, colourful())
	if b.Text() != term.Clean(kernel) || strings.Contains(b.Line(8).Raw, "9") {
		t.Error("a line number got into the text")
	}
}

func BenchmarkView(b *testing.B) {
	text := strings.Repeat(kernel, 30)
	buffer := NewBufferOf(text, CUDA, colourful())
	buffer.Recolour(Highlight(buffer.Text(), CUDA, colourful()))
	b.ReportAllocs()
	for b.Loop() {
		buffer.View(100, 56, 100, Options{LineNumbers: true})
	}
}
