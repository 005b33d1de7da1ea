package compile

import (
	"slices"
	"strings"
	"testing"
)

func TestLexKinds(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, src string
		want      []string // "kind:text" of all but spaces
	}{
		{"words and numbers", "int a1 = 0x1p-3f + 1'000 + .5e+3;", []string{
			"ident:int", "ident:a1", "punct:=", "number:0x1p-3f", "punct:+", "number:1'000", "punct:+", "number:.5e+3", "punct:;",
		}},
		{"comments", "a/* b\nc */d// e \\\nf\ng", []string{"ident:a", "comment:/* b\nc */", "ident:d", "comment:// e \\\nf", "newline:\n", "ident:g"}},
		{"open comment", "a /* b", []string{"ident:a", "comment:/* b"}},
		{"strings", `"a\"b" L"c" u8"d" 'e' '\'' u'f'`, []string{
			`string:"a\"b"`, `string:L"c"`, `string:u8"d"`, "char:'e'", `char:'\''`, "char:u'f'",
		}},
		{"open string ends at its line", "\"a\nb", []string{"string:\"a", "newline:\n", "ident:b"}},
		{"string over a continuation", "\"a\\\nb\" c", []string{"string:\"a\\\nb\"", "ident:c"}},
		{"raw strings", "R\"(a\"b)\" LR\"x()\" )x\" R\"no", []string{"string:R\"(a\"b)\"", "string:LR\"x()\" )x\"", "ident:R", "string:\"no"}},
		{"open raw string", "R\"(a\nb", []string{"string:R\"(a\nb"}},
		{"launch", "k<<<a, b>>>(c)", []string{
			"ident:k", "punct:<<<", "ident:a", "punct:,", "ident:b", "punct:>", "punct:>", "punct:>", "punct:(", "ident:c", "punct:)",
		}},
		{"launch of an instance", "k<T><<<1", []string{"ident:k", "punct:<", "ident:T", "punct:>", "punct:<<<", "number:1"}},
		{"no launch after a number", "1 <<< 2", []string{"number:1", "punct:<<", "punct:<", "number:2"}},
		{"no launch after operator", "operator<<<T>", []string{"ident:operator", "punct:<<", "punct:<", "ident:T", "punct:>"}},
		{"angles stay apart", "a>>b>=c>>=d", []string{
			"ident:a", "punct:>", "punct:>", "ident:b", "punct:>=", "ident:c", "punct:>", "punct:>", "punct:=", "ident:d",
		}},
		{"operators", "a<=b<<=c->*d.*e...f::g", []string{
			"ident:a", "punct:<=", "ident:b", "punct:<<=", "ident:c", "punct:->*", "ident:d", "punct:.*", "ident:e",
			"punct:...", "ident:f", "punct:::", "ident:g",
		}},
		{"include", "#include <a/it's.h>\n#  include \"b.h\"", []string{
			"punct:#", "ident:include", "header:<a/it's.h>", "newline:\n", "punct:#", "ident:include", `string:"b.h"`,
		}},
		{"carriage returns", "a\r\nb\rc", []string{"ident:a", "newline:\r\n", "ident:b", "ident:c"}},
		{"other bytes", "é @ \x00", []string{"ident:é", "punct:@", "punct:\x00"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, tok := range lex(c.src) {
				if tok.kind != space {
					got = append(got, kindName(tok.kind)+":"+tok.text)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func kindName(k kind) string {
	return [...]string{"space", "newline", "comment", "ident", "number", "string", "char", "header", "punct"}[k]
}

func TestLexPositions(t *testing.T) {
	t.Parallel()
	tokens := withoutTrivia(lex("a /* x\ny */ b\n\t\"s\\\nt\" c\n"))
	want := []struct {
		text         string
		line, column int
	}{{"a", 1, 1}, {"b", 2, 6}, {"\"s\\\nt\"", 3, 2}, {"c", 4, 4}}
	if len(tokens) != len(want) {
		t.Fatalf("%d tokens, want %d", len(tokens), len(want))
	}
	for i, w := range want {
		if got := tokens[i]; got.text != w.text || got.line != w.line || got.column != w.column {
			t.Errorf("token %d is %q at %d:%d, want %q at %d:%d", i, got.text, got.line, got.column, w.text, w.line, w.column)
		}
	}
}

func TestLexDirectives(t *testing.T) {
	t.Parallel()
	src := "a # b\n  #define X \\\n  c /* d\n e */ f\ng\n%: define Y h\n"
	var inside []string
	for _, tok := range lex(src) {
		if tok.directive > 0 && tok.kind == ident {
			inside = append(inside, tok.text)
		}
	}
	if want := []string{"define", "X", "c", "f", "define", "Y", "h"}; !slices.Equal(inside, want) {
		t.Errorf("in preprocessor lines: %q, want %q", inside, want)
	}
}

// FuzzLex holds that the tokens tile any text and know where they stand.
func FuzzLex(f *testing.F) {
	for _, seed := range []string{
		"k<T, 4><<<g, b>>>(x);", "#define A(x) \\\n x\nR\"a(b)a\"", "'a", "/*", "#include <x", "\\\r\n\r", "1'0'", "\"\\", "<:%:",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		offset, line, column := 0, 1, 1
		for _, tok := range lex(src) {
			if tok.text == "" || tok.offset != offset || tok.line != line || tok.column != column {
				t.Fatalf("token %q at %d (%d:%d), want %d (%d:%d)", tok.text, tok.offset, tok.line, tok.column, offset, line, column)
			}
			offset += len(tok.text)
			line += strings.Count(tok.text, "\n")
			column = offset - strings.LastIndexByte(src[:offset], '\n')
		}
		if offset != len(src) {
			t.Fatalf("tokens cover %d of %d bytes", offset, len(src))
		}
	})
}
