package md

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
	"github.com/charmbracelet/x/ansi"
)

func feed(text string, n int) *Prose {
	var p Prose
	for len(text) > 0 {
		piece := text[:min(n, len(text))]
		p.Feed(piece)
		text = text[len(piece):]
	}
	return &p
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		finished []string // before the end
		tail     string
	}{
		{"nothing", "", nil, ""},
		{"one paragraph", "a\nb", nil, "a\nb"},
		{"two paragraphs", "a\n\nb\n", []string{"a"}, "b\n"},
		{"a blank line alone finishes nothing", "- a\n\n", nil, "- a\n\n"},
		{"many blank lines", "a\n\n\n\nb", []string{"a"}, "b"},
		{"heading", "# a\n\nb", []string{"# a"}, "b"},
		{"loose list", "- a\n\n- b\n\n  more\n\nc\n", []string{"- a\n\n- b\n\n  more"}, "c\n"},
		{"numbered list", "1. a\n\n2. b\n\nc\n", []string{"1. a\n\n2. b"}, "c\n"},
		{"fence", "```cuda\nx\n\ny\n```\n", []string{"```cuda\nx\n\ny\n```"}, ""},
		{"open fence", "a\n\n```\nx\n\ny", []string{"a"}, "```\nx\n\ny"},
		{"fence ends a paragraph", "a\n```\nx\n```\nb", []string{"a", "```\nx\n```"}, "b"},
		{"fence ends a list", "- a\n```\nx\n```\n", []string{"- a", "```\nx\n```"}, ""},
		{"fence in a list", "- a\n\n  ```\n  x\n\n  y\n  ```\n\nb\n", []string{"- a\n\n  ```\n  x\n\n  y\n  ```"}, "b\n"},
		{"longer fence", "````\n```\n\nx\n````\n", []string{"````\n```\n\nx\n````"}, ""},
		{"tildes", "~~~\n```\n~~~\n", []string{"~~~\n```\n~~~"}, ""},
		{"quote", "> a\n> b\n\nc", []string{"> a\n> b"}, "c"},
		{"fence in a quote", "> ```\n> x\n\nc", []string{"> ```\n> x"}, "c"},
		{"table", "| a |\n|---|\n| b |\n\nc", []string{"| a |\n|---|\n| b |"}, "c"},
		{"indented code", "    x\n\n    y\n\nc\n", []string{"    x\n\n    y"}, "c\n"},
		{"HTML", "<div>\n\nc", []string{"<div>"}, "c"},
		{"a definition keeps all together", "[a]\n\n[a]: http://x\n\nb\n\nc", []string{"[a]"}, "[a]: http://x\n\nb\n\nc"},
		{"no definition in a fence", "```\n[a]: x\n```\n\nb\n\nc", []string{"```\n[a]: x\n```", "b"}, "c"},
		{"CRLF", "a\r\n\r\nb", []string{"a"}, "b"},
		{"escapes", "a\x1b[31m\n\n\x1b]0;x\ab", []string{"a"}, "b"},
	}
	for _, test := range tests {
		for _, n := range []int{1, 1000} {
			t.Run(fmt.Sprintf("%s by %d", test.name, n), func(t *testing.T) {
				t.Parallel()
				p := feed(test.in, n)
				if !slices.Equal(p.Blocks(), test.finished) {
					t.Errorf("finished %q, want %q", p.Blocks(), test.finished)
				}
				if p.Tail() != test.tail {
					t.Errorf("tail %q, want %q", p.Tail(), test.tail)
				}
			})
		}
	}
}

func TestCloseFinishesAll(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"tail", "a\n\nb", []string{"a", "b"}},
		{"open fence", "```\nx", []string{"```\nx"}},
		{"definition", "[a] b\n\nc\n\n[a]: http://x", []string{"[a] b\n\nc\n\n[a]: http://x"}},
		{"cut character", "a\xe6", []string{"a\ufffd"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := feed(test.in, 1)
			p.Close()
			if !slices.Equal(p.Blocks(), test.want) || p.Tail() != "" {
				t.Errorf("blocks %q and tail %q, want %q", p.Blocks(), p.Tail(), test.want)
			}
		})
	}
}

// FuzzProse: however a text is cut, the same blocks come out, and no word of it
// is lost or moved.
func FuzzProse(f *testing.F) {
	for _, reply := range replies() {
		f.Add(reply, 7)
	}
	f.Add("- a\n\n```\n> b\n[c]: d\n<!-- e\n~~~", 3)
	f.Fuzz(func(t *testing.T, text string, n int) {
		cut, whole := feed(text, 1+(n&0x7fffffff)%40), feed(text, len(text)+1)
		if !slices.Equal(cut.Blocks(), whole.Blocks()) || cut.Tail() != whole.Tail() {
			t.Fatalf("cut: %q, %q; whole: %q, %q", cut.Blocks(), cut.Tail(), whole.Blocks(), whole.Tail())
		}
		cut.Close()
		got := strings.Fields(strings.Join(cut.Blocks(), "\n"))
		if want := strings.Fields(term.Clean(text)); !slices.Equal(got, want) {
			t.Fatalf("blocks hold %q, want %q", got, want)
		}
	})
}

// replies are what models write around a kernel.
func replies() map[string]string {
	return map[string]string{
		"headings and lists": "# Plan\n\nThe kernel is bound by *memory*: each row is read **three** times.\n\n" +
			"## Steps\n\n- load `float4`\n- keep the row in registers\n  - one block per row\n\n- reduce with shuffles\n\nThat is all.\n",
		"numbers":                    "First:\n\n1. read\n2. reduce\n3. write\n\nThen:\n\n1) again\n\n2) done\n",
		"quotes and rules":           "> As the guide says,\n> coalesce.\n\n---\n\nSo be it.\n\n***\n\nEnd.\n",
		"table":                      "Sizes:\n\n| rows | cols | us |\n|---:|---|---|\n| 64 | 128 | 41.2 |\n| 4096 | 1 | 9 |\n\nIt scales.\n",
		"loose list with paragraphs": "* one\n\n  more of one\n\n* two\n\n      code of two\n\nafter\n",
		"tasks":                      "- [x] compile\n- [ ] check\n\nNext.\n",
		"links":                      "See [the guide](http://example.com/a_b) and <http://example.com>.\n\nAnd ![chart](x.png).\n",
		"definition":                 "See [guide].\n\nThen more.\n\n[guide]: http://example.com\n\nAfter.\n",
		"setext":                     "Title\n=====\n\nText\n\nSub\n---\n\nmore\n",
		"HTML":                       "a\n\n<details>\n<summary>b</summary>\n\nc\n\n</details>\n\nd\n",
		"wide text":                  "日本語のカーネル、とても速い。\n\n- 一つ\n- 二つ 👩\u200d🚀\n",
		"hard breaks and escapes":    "a  \nb\\\nc \\* d\n\n&amp; e\n",
	}
}

// Joined blocks look as the whole rendered at once, but for blank rows: glamour
// leaves two after some blocks and none after others.
func TestBlocksJoinToTheWhole(t *testing.T) {
	t.Parallel()
	for name, reply := range replies() {
		for _, width := range []int{30, 79} {
			for _, p := range []term.Profile{{}, {Colour: term.TrueColour}} {
				t.Run(fmt.Sprintf("%s at %d, colours %d", name, width, p.Colour), func(t *testing.T) {
					t.Parallel()
					th := theme.New(p)
					got := withoutBlank(RenderAll(reply, width, th))
					want := withoutBlank(renderProse(literal(term.Clean(reply)), width, th))
					if !slices.Equal(got, want) {
						t.Errorf("joined:\n%s\nwhole:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
					}
				})
			}
		}
	}
}

func withoutBlank(rows []string) []string {
	return slices.DeleteFunc(rows, func(row string) bool { return ansi.Strip(row) == "" })
}

func TestRowsUseTheCache(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{Colour: term.TrueColour})
	p := feed("# Plan\n\nsome *text* here\n\nthe open end", 3)
	var cache Cache
	rows, missing := p.Rows(40, th, &cache)
	if want := []string{"# Plan", "", "some *text* here", "", "the open end"}; !slices.Equal(rows, want) {
		t.Errorf("plain: %q", rows)
	}
	if !slices.Equal(missing, p.Blocks()) {
		t.Errorf("missing %q, want %q", missing, p.Blocks())
	}
	for _, block := range missing {
		cache.Add(Render(block, 40, th))
	}
	rows, missing = p.Rows(40, th, &cache)
	if len(missing) != 0 || ansi.Strip(rows[0]) != "Plan" || rows[4] != "the open end" {
		t.Errorf("rendered: %q, missing %q", rows, missing)
	}
	for what, again := range map[string]func() []string{
		"width": func() []string { _, m := p.Rows(41, th, &cache); return m },
		"theme": func() []string { _, m := p.Rows(40, theme.New(term.Profile{}), &cache); return m },
	} {
		if len(again()) != 2 {
			t.Errorf("another %s takes the rows of this one", what)
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{})
	var cache Cache
	for i := range 2 * maxCached {
		r := Rendered{key: keyOf(fmt.Sprint(i), 10, th), Rows: []string{"x"}}
		cache.Add(r)
		cache.Add(r)
	}
	if len(cache.rows) != maxCached || len(cache.order) != maxCached {
		t.Errorf("%d renderings are kept, %d in order", len(cache.rows), len(cache.order))
	}
	if _, ok := cache.Rows(fmt.Sprint(2*maxCached-1), 10, th); !ok {
		t.Error("the newest is gone")
	}
	if _, ok := cache.Rows("0", 10, th); ok {
		t.Error("the oldest is still there")
	}
}

func BenchmarkFeedAndRows(b *testing.B) {
	th := theme.New(term.Profile{Colour: term.TrueColour})
	text := strings.Repeat("The kernel reads each row *three* times.\n\n", 200)
	p := feed(text, len(text))
	var cache Cache
	for _, block := range p.Blocks() {
		cache.Add(Render(block, 79, th))
	}
	b.ReportAllocs()
	for b.Loop() {
		p.Feed("word ")
		p.Rows(79, th, &cache)
	}
}
