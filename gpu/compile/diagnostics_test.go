package compile

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseGXX(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, log string
		want      []message
	}{
		{"error with column", "kernel.cu:3:7: error: no such thing\n", []message{
			{file: "kernel.cu", line: 3, column: 7, severity: "error", text: "no such thing"},
		}},
		{"warning with flag", "kernel.cu:3:7: warning: odd [-Wodd-thing]\n", []message{
			{file: "kernel.cu", line: 3, column: 7, severity: "warning", code: "-Wodd-thing", text: "odd"},
		}},
		{"without column", "kernel.cu:3: error: unterminated #if\n", []message{
			{file: "kernel.cu", line: 3, severity: "error", text: "unterminated #if"},
		}},
		{"fatal and unimplemented", "a.h:1:2: fatal error: gone\na.h:2:2: sorry, unimplemented: later\n", []message{
			{file: "a.h", line: 1, column: 2, severity: "error", text: "gone"},
			{file: "a.h", line: 2, column: 2, severity: "error", text: "later"},
		}},
		{"note", "kernel.cu:1:1: note: here\n", []message{{file: "kernel.cu", line: 1, column: 1, severity: "note", text: "here"}}},
		{"included", "In file included from a.h:3,\n                 from kernel.cu:9:\nb.h:1:1: error: bad\n", []message{
			{file: "b.h", line: 1, column: 1, severity: "error", text: "bad", from: []place{{"a.h", 3, 0}, {"kernel.cu", 9, 0}}},
		}},
		{"instantiated", "kernel.cu: In instantiation of 'void k()':\nh.h:4:5:   required from 'void f()'\n" +
			"kernel.cu:8:9:   required from here\nh.h:1:2: error: bad\nkernel.cu:1:1: error: other\n", []message{
			{file: "h.h", line: 1, column: 2, severity: "error", text: "bad", from: []place{{"h.h", 4, 5}, {"kernel.cu", 8, 9}}},
			{file: "kernel.cu", line: 1, column: 1, severity: "error", text: "other"},
		}},
		{"linker", "/usr/bin/ld: /tmp/a.o: in function `solve':\nkernel.cu:(.text+0x1): undefined reference to `f()'\n" +
			"collect2: error: ld returned 1 exit status\n", []message{
			{file: "ld", severity: "error", text: "undefined reference to `f()'"},
			{file: "collect2", severity: "error", text: "ld returned 1 exit status"},
		}},
		{"linker with a line", "/usr/bin/ld: /tmp/build/kernel.cu:12: undefined reference to `f()'\n/tmp/build/kernel.cu:7: undefined reference to `g'\n", []message{
			{file: "ld", severity: "error", text: "/tmp/build/kernel.cu:12: undefined reference to `f()'"},
			{file: "kernel.cu", line: 7, severity: "error", text: "undefined reference to `g'"},
		}},
		{"driver", "g++: fatal error: Killed signal terminated program cc1plus\n", []message{
			{file: "g++", severity: "error", text: "Killed signal terminated program cc1plus"},
		}},
		{"nothing", "compilation terminated.\n   12 |   x;\n      |   ^\n:::\nkernel.cu: In function 'void f()':\n\n", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := parseGXX(c.log); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func FuzzParseGXX(f *testing.F) {
	f.Add("kernel.cu:1:2: error: 'hone_a_t' {aka 'float [3]'} is bad [-Wx]\nIn file included from a:1,\n")
	f.Add("hone_entry:3:2: error: expected '}'\n\x1b[2J\xff")
	e := explainer{job: job{file: Parse("kernel.cu", "void f() {"), code: forEmulation(Parse("kernel.cu", "void f() {"))}}
	f.Fuzz(func(t *testing.T, log string) {
		for _, d := range e.diagnostics(parseGXX(log), run{output: []byte(log), exited: true}) {
			for _, s := range append(d.Notes, d.Message) {
				if strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f || r == 0x9b }) {
					t.Errorf("control character in %q", s)
				}
			}
		}
	})
}

func TestWithoutAliases(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"cannot convert 'hone_t_t' {aka 'float [4]'} to 'int'":         "cannot convert 'float [4]' to 'int'",
		"'hone_a_t*' {aka 'float*'} and 'hone_b_t' {aka 'int'} differ": "'float*' and 'int' differ",
		"'hone_a_t' was not declared":                                  "'hone_a_t' was not declared",
		"'x' {aka 'y'}":                                                "'x' {aka 'y'}",
	}
	for text, want := range cases {
		if got := withoutAliases(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestSourceName(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"solve": "solve", "_Z6helperf": "helper", "_ZN4deep5twiceEi": "deep::twice", "_ZNK1A1fEv": "A::f",
		"_Z1fIfEvT_": "f", "_ZTV3Foo": "_ZTV3Foo", "_Z99x": "_Z99x", "_Z": "_Z", "_Z99999999999999999999x": "_Z99999999999999999999x",
	}
	for symbol, want := range cases {
		if got := sourceName(symbol); got != want {
			t.Errorf("%s is %q, want %q", symbol, got, want)
		}
	}
}
