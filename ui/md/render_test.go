package md

import (
	"fmt"
	"strings"
	"testing"

	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
)

const everything = "# Plan\n\nUse **shared memory** with `float4` loads, *then* ~~not~~ reduce; see [the guide](http://x.y).\n\n" +
	"## Steps\n\n- one row per block\n  - nested\n- warp shuffles\n\n1. first\n2. second\n\n- [x] done\n- [ ] open\n\n" +
	"> note this\n\n| rows | us |\n|---|---|\n| 64 | 41.2 |\n\n---\n\n" +
	"```cuda\n__global__ void f(float* x) {\n\tx[threadIdx.x] = 1.0f;\n}\n```\n\n```\nno language\n```\n\n<b>html</b> and ![chart](x.png)\n"

func TestRender(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		width   int
		profile term.Profile
	}{
		{"plain", 60, term.Profile{}},
		{"ASCII", 60, term.Profile{ASCII: true}},
		{"narrow", 20, term.Profile{}},
		{"dark", 60, term.Profile{Colour: term.TrueColour}},
		{"light 256", 60, term.Profile{Colour: term.Colour256, Light: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rows := RenderAll(everything, test.width, theme.New(test.profile))
			golden.RequireEqual(t, strings.Join(rows, "\n")+"\n")
		})
	}
}

func TestRowsFit(t *testing.T) {
	t.Parallel()
	text := everything + "\n" + strings.Repeat("word", 60) + " 日本語\n\n| " + strings.Repeat("wide | ", 30) + "\n|" +
		strings.Repeat("---|", 30) + "\n\n```cuda\n" + strings.Repeat("int x; ", 40) + "\n```\n"
	for _, colour := range []term.Colour{term.NoColour, term.TrueColour} {
		for _, width := range []int{0, 1, 2, 5, 20, 79, 200} {
			for _, row := range RenderAll(text, width, theme.New(term.Profile{Colour: colour})) {
				if term.Width(row) > width || strings.HasSuffix(ansi.Strip(row), " ") || strings.Contains(row, "\n") {
					t.Errorf("at %d: row of %d cells: %q", width, term.Width(row), row)
				}
				if strings.LastIndex(row, "\x1b[") != strings.LastIndex(row, reset) {
					t.Errorf("a style leaks out of %q", row)
				}
			}
		}
	}
}

func TestNoColourWritesNoSequence(t *testing.T) {
	t.Parallel()
	rows := strings.Join(RenderAll(everything, 60, theme.New(term.Profile{})), "\n")
	if strings.Contains(rows, "\x1b") {
		t.Errorf("without colour: %q", rows)
	}
}

// glamour keeps one palette for code in the process; ours must not depend on
// which theme came first.
func TestThemesDoNotMix(t *testing.T) {
	t.Parallel()
	render := func(light bool) string {
		return strings.Join(RenderAll(everything, 60, theme.New(term.Profile{Colour: term.TrueColour, Light: light})), "\n")
	}
	darkFirst := render(false)
	if render(true) == darkFirst {
		t.Error("light looks as dark")
	}
	if render(false) != darkFirst {
		t.Error("dark looks otherwise after light")
	}
}

func TestUntrustedTextIsCleaned(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a \x1b]52;c;AAAA\a b", "```\n\x1b[2J\n```", "[x](http://a\x1b]8;;evil\a)", "&#27;[31m", "`\u009b31m`"} {
		for _, row := range RenderAll(text, 40, theme.New(term.Profile{})) {
			if row != term.Clean(row) {
				t.Errorf("%q became %q", text, row)
			}
		}
	}
}

func TestFenceLanguages(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{Colour: term.TrueColour})
	for info, coloured := range map[string]bool{
		"cuda": true, "cpp": true, "CUDA title=x": true, "python": true, "": false, "text": false, "mermaid": false,
	} {
		rows := Render(fmt.Sprintf("```%s\nreturn 1\n```", info), 40, th).Rows
		if got := strings.Contains(rows[0], "\x1b"); got != coloured || len(rows) != 1 {
			t.Errorf("```%s: %q", info, rows)
		}
	}
}

func TestLiteral(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"template argument", "a std::vector<float> b", "a std::vector&lt;float> b"},
		{"launch", "f<<<1, 2>>>()", "f&lt;&lt;&lt;1, 2>>>()"},
		{"tag", "<div>x</div>", "&lt;div>x&lt;/div>"},
		{"address", "<http://a.b> and <a@b.c>", "<http://a.b> and <a@b.c>"},
		{"code span", "`a<b>` <c>", "`a<b>` &lt;c>"},
		{"code span with two marks", "``a`<b>`` <c>", "``a`<b>`` &lt;c>"},
		{"code span over lines", "`a\n<b>` c", "`a\n<b>` c"},
		{"lone mark", "` <b>", "` &lt;b>"},
		{"escaped mark", "\\` <b> `", "\\` &lt;b> `"},
		{"fence in a list", "- <a>\n  ```\n  <b>\n  ```\n  <c>", "- &lt;a>\n  ```\n  <b>\n  ```\n  &lt;c>"},
		{"open fence", "- ```\n  <b>", "- ```\n  <b>"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := literal(test.in); got != test.want {
				t.Errorf("literal(%q) = %q, want %q", test.in, got, test.want)
			}
		})
	}
}

func TestTypesAreNotDropped(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a std::vector<float> here", "`std::vector<float>`", "- vector<float>", "# vector<float>", "    vector<float>"} {
		rows := RenderAll(text, 60, theme.New(term.Profile{}))
		if !strings.Contains(rows[0], "vector<float>") {
			t.Errorf("%q became %q", text, rows)
		}
	}
}

func TestCompact(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"plain", "a", "a"},
		{"empty style", "\x1b[31m\x1b[0ma", "a"},
		{"style", "\x1b[31ma\x1b[0m", "\x1b[31ma\x1b[0m"},
		{"style left open", "\x1b[31ma", "\x1b[31ma\x1b[0m"},
		{"empty ones after", "\x1b[31ma\x1b[0m\x1b[32m\x1b[0m\x1b[33m", "\x1b[31ma\x1b[0m"},
		{"reset without a style", "\x1b[0ma\x1b[m", "a"},
		{"two at once", "\x1b[1m\x1b[31ma\x1b[0mb", "\x1b[1m\x1b[31ma\x1b[0mb"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := compact(test.in); got != test.want {
				t.Errorf("compact(%q) = %q, want %q", test.in, got, test.want)
			}
		})
	}
}

func BenchmarkRender(b *testing.B) {
	th := theme.New(term.Profile{Colour: term.TrueColour})
	for b.Loop() {
		Render("Use **shared memory** with `float4` loads, *then* reduce; see [the guide](http://x.y).", 79, th)
	}
}
