package compile

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, text, want string }{
		{"code", "at::mm(a, 1.f); // mm\n/* x */ k<<<1>>>();", "at :: mm ( a , 1.f ) ; k <<< 1 > > > ( ) ;"},
		{"macro", "#define MM at::mm\nMM(a)", "# define MM at :: mm MM ( a )"},
		{"disabled", "a\n#if 0\nb // #endif\n#if X\nc\n#endif\n#else\nd\n#endif\ne", "a # if 0 d # endif e"},
		{"other conditions", "#ifdef X\na\n#else\nb\n#endif", "# ifdef X a # else b # endif"},
		{"include", "#include <cublas_v2.h>\n#include \"x.h\"", `# include <cublas_v2.h> # include "x.h"`},
		{"literals", `"cublas" 'c' R"(at::mm)"`, `"cublas" 'c' R"(at::mm)"`},
		{"empty", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, w := range Words(c.text) {
				got = append(got, w.Text)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got  %q\nwant %q", strings.Join(got, " "), c.want)
			}
		})
	}
}

func TestWordsSayWhatAndWhere(t *testing.T) {
	t.Parallel()
	got := Words("#include <a>\n  f(\"s\", 'c',\n 0x1p3);")
	want := []Word{
		{"#", 1, 1, Punctuation, 1}, {"include", 1, 2, Identifier, 1}, {"<a>", 1, 10, Literal, 1},
		{"f", 2, 3, Identifier, 0}, {"(", 2, 4, Punctuation, 0}, {`"s"`, 2, 5, Literal, 0}, {",", 2, 8, Punctuation, 0},
		{"'c'", 2, 10, Literal, 0}, {",", 2, 13, Punctuation, 0}, {"0x1p3", 3, 2, Number, 0},
		{")", 3, 7, Punctuation, 0}, {";", 3, 8, Punctuation, 0},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
