package process

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestReadMessage(t *testing.T) {
	t.Parallel()
	got, err := readMessage(bytes.NewReader(encoded(typeOK, "wall_ns\t12", "finding\trace\twarning\t3\ttext")))
	if err != nil || got.kind != typeOK || len(got.lines) != 2 || got.lines[1][4] != "text" {
		t.Errorf("readMessage = %+v, %v", got, err)
	}
	for name, c := range map[string]struct{ raw, want string }{
		"nothing in it":     {string(frame(typeOK, "")), ""},
		"cut short":         {string(encoded(typeOK, "abc"))[:10], "EOF"},
		"header cut short":  {"\x01\x00", "EOF"},
		"an unknown type":   {string(encoded(9, "a")), "type 9"},
		"too long":          {"\xff\xff\xff\x7f\x02\x00\x00\x00", "announces"},
		"no end of line":    {"\x01\x00\x00\x00\x02\x00\x00\x00a", "no end"},
		"not UTF-8":         {"\x02\x00\x00\x00\x02\x00\x00\x00\xff\n", "UTF-8"},
		"too many lines":    {string(frame(typeOK, strings.Repeat("\n", maxLines+1))), "lines"},
		"as many as may be": {string(frame(typeOK, strings.Repeat("\n", maxLines))), ""},
	} {
		_, err := readMessage(strings.NewReader(c.raw))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

func TestRepliesAreParsedStrictly(t *testing.T) {
	t.Parallel()
	many := func(n int, line string) string { return strings.Repeat(line+"\n", n) }
	for name, c := range map[string]struct {
		kind uint32
		body string
		want string // part of the error, empty when the body is good
	}{
		"hello":                   {typeHello, "protocol\t1\nlayer\tlandlock\toff: old kernel\n", ""},
		"hello of nothing":        {typeHello, "", "no protocol"},
		"hello with a bad layer":  {typeHello, "protocol\t1\nlayer\tlandlock\n", "unknown line"},
		"hello with many layers":  {typeHello, "protocol\t1\n" + many(40, "layer\ta\ton"), "no protocol"},
		"a fault":                 {typeFault, "kind\tabort\nmessage\tassert\n", ""},
		"a fault of its program":  {typeFault, "kind\tbad_luck\nmessage\tassert\n", ""},
		"a fault of another kind": {typeFault, "kind\ttimeout\nmessage\tlate\n", "no known kind"},
		"a fault without words":   {typeFault, "kind\tabort\n", "no message"},
		"a fault at half a block": {typeFault, "kind\tabort\nmessage\tm\nblock\t1\t2\n", "bad line"},
		"a fault, unknown line":   {typeFault, "kind\tabort\nmessage\tm\nverdict\tcorrect\n", "unknown line"},
		"a fault, a field more":   {typeFault, "kind\tabort\tx\nmessage\tm\n", "bad line"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines, err := SplitBody(c.body)
			if err == nil {
				err = parse(message{kind: c.kind, lines: lines})
			}
			var bad malformed
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want != "" && (!errors.As(err, &bad) || !strings.Contains(bad.why, c.want)):
				t.Errorf("error = %v, want %q", err, c.want)
			}
		})
	}
}

func parse(m message) error {
	if m.kind == typeHello {
		_, err := parseHello(m.lines)
		return err
	}
	_, err := parseFault(m.lines, []FaultKind{"bad_luck"})
	return err
}

func TestCleanKeepsOneSafeLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string][2]string{
		"escape codes":  {"\x1b[31mred\x1b[0m", " [31mred [0m"},
		"line breaks":   {"a\r\nb", "a  b"},
		"reversed text": {"a\u202eb\u2069", "ab"},
		"other scripts": {"kernel für x²", "kernel für x²"},
	} {
		if got := clean(c[0]); got != c[1] {
			t.Errorf("%s: clean(%q) = %q, want %q", name, c[0], got, c[1])
		}
	}
	if got := clean(strings.Repeat("é", 5000)); len([]rune(got)) != maxText+3 {
		t.Errorf("a long text keeps %d characters", len([]rune(got)))
	}
}

// Whatever a program sends is either refused as malformed, or cut short, or within
// all bounds and fit to be shown.
func FuzzMessage(f *testing.F) {
	f.Add(encoded(typeHello, "protocol\t1", "layer\tseccomp\ton"))
	f.Add(encoded(typeFault, "kind\tsignal", "message\tSIGSEGV", "block\t0\t0\t0", "thread\t1\t0\t0", "line\t9"))
	f.Add([]byte{1, 0, 0, 0, 2, 0, 0, 0, 0xFF})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readMessage(io.LimitReader(bytes.NewReader(data), 1<<20))
		if err == nil {
			err = check(t, m)
		}
		var bad malformed
		if err != nil && !errors.As(err, &bad) && !errors.Is(err, io.EOF) {
			t.Errorf("an error of another kind: %v", err)
		}
	})
}

func check(t *testing.T, m message) error {
	if m.kind == typeHello {
		layers, err := parseHello(m.lines)
		if len(layers) > maxLayers {
			t.Errorf("%d layers", len(layers))
		}
		return err
	}
	fault, err := parseFault(m.lines, nil)
	if fault != nil && strings.ContainsAny(fault.Sentence(), "\x1b\n\r\x00\u009b") {
		t.Errorf("control characters reach the screen: %q", fault.Sentence())
	}
	return err
}
