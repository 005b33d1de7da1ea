package worker

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestReadMessage(t *testing.T) {
	t.Parallel()
	got, err := readMessage(bytes.NewReader(encode(typeOK, "wall_ns\t12", "finding\trace\twarning\t3\ttext")))
	if err != nil || got.kind != typeOK || len(got.lines) != 2 || got.lines[1][4] != "text" {
		t.Errorf("readMessage = %+v, %v", got, err)
	}
	if _, err := readMessage(strings.NewReader("\x01\x00")); !errors.Is(err, io.EOF) {
		t.Errorf("a header cut short: %v, want EOF", err)
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
		"ok of nothing":           {typeOK, "", ""},
		"ok with a time":          {typeOK, "wall_ns\t0\n", ""},
		"a negative time":         {typeOK, "wall_ns\t-1\n", "bad line"},
		"no number":               {typeOK, "wall_ns\t1e9\n", "bad line"},
		"a number too large":      {typeOK, "wall_ns\t9007199254740993\n", "bad line"},
		"a field too many":        {typeOK, "wall_ns\t1\t2\n", "bad line"},
		"a field too few":         {typeOK, "kernel\tk\t1\t1\t1\t1\t1\t1\t1\n", "bad line"},
		"an unknown severity":     {typeOK, "finding\trace\tfatal\t1\ttext\n", "bad line"},
		"too many findings":       {typeOK, many(65, "finding\trace\twarning\t1\ttext"), "more than"},
		"an unknown line":         {typeOK, "result\tcorrect\n", "unknown line"},
		"an empty line":           {typeOK, "\n", "unknown line"},
		"a fault":                 {typeFault, "kind\tabort\nmessage\tassert\n", ""},
		"a fault of another kind": {typeFault, "kind\ttimeout\nmessage\tlate\n", "no known kind"},
		"a fault without words":   {typeFault, "kind\tabort\n", "no message"},
		"a fault at half a block": {typeFault, "kind\tabort\nmessage\tm\nblock\t1\t2\n", "bad line"},
		"a fault, unknown line":   {typeFault, "kind\tabort\nmessage\tm\nverdict\tcorrect\n", "unknown line"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines, err := splitBody(c.body)
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
	_, _, err := interpret(m)
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

// Whatever a worker sends is either refused as malformed, or cut short, or
// within all bounds and fit to be shown.
func FuzzReply(f *testing.F) {
	f.Add(encode(typeHello, "protocol\t1", "layer\tseccomp\ton"))
	f.Add(encode(typeOK, "wall_ns\t5", "kernel\tk\t1\t1\t1\t1\t32\t1\t1\t0", "finding\trace\twarning\t3\tthreads"))
	f.Add(encode(typeFault, "kind\tsignal", "message\tSIGSEGV", "block\t0\t0\t0", "thread\t1\t0\t0", "line\t9"))
	f.Add([]byte{1, 0, 0, 0, 2, 0, 0, 0, 0xFF})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readMessage(bytes.NewReader(data))
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
		_, err := parseHello(m.lines)
		return err
	}
	result, fault, err := interpret(m)
	if err != nil {
		return err
	}
	texts := []string{}
	for _, f := range result.Findings {
		texts = append(texts, f.Kind, f.Evidence)
	}
	if fault != nil {
		texts = append(texts, fault.Sentence())
	}
	for _, text := range texts {
		if strings.ContainsAny(text, "\x1b\n\r\x00\u009b") {
			t.Errorf("control characters reach the screen: %q", text)
		}
	}
	if result.Wall < 0 || len(result.Findings) > maxFindings || len(result.Kernels) > maxKernels {
		t.Errorf("beyond the bounds: %+v", result)
	}
	return nil
}
