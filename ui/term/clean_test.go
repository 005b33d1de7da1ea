package term

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"plain", "float x = 1;\n", "float x = 1;\n"},
		{"empty", "", ""},
		{"colour", "a\x1b[1;31mred\x1b[0mb", "aredb"},
		{"cursor and erase", "a\x1b[2J\x1b[10;3Hb", "ab"},
		{"private mode", "\x1b[?1049hx", "x"},
		{"intermediate bytes", "a\x1b[1 qb\x1b(0c", "abc"},
		{"title, ended by BEL", "a\x1b]0;evil\ab", "ab"},
		{"clipboard, ended by ST", "a\x1b]52;c;ZXZpbA==\x1b\\b", "ab"},
		{"link", "\x1b]8;;http://x\x1b\\here\x1b]8;;\x1b\\", "here"},
		{"DCS", "a\x1bPq#0;2\x1b\\b", "ab"},
		{"APC, PM, SOS", "a\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\b", "ab"},
		{"C1 CSI", "a\u009b31mb", "ab"},
		{"C1 OSC and ST", "a\u009d0;t\u009cb", "ab"},
		{"other C1", "a\u0085b", "ab"},
		{"two-character escape", "a\x1bcb\x1b7c", "abc"},
		{"unended string loses its line only", "a\x1b]0;x\nb", "a\nb"},
		{"unended CSI at line break", "a\x1b[31\nb", "a\nb"},
		{"escape within CSI", "a\x1b[3\x1b[31mb", "ab"},
		{"escape within string", "a\x1b]0;x\x1b[31mb", "ab"},
		{"broken CSI keeps text", "a\x1b[3éb", "aéb"},
		{"escape at the end", "a\x1b", "a"},
		{"controls", "a\x00\b\x07\x0b\x0c\x7fb", "ab"},
		{"CRLF", "a\r\nb\r\n", "a\nb\n"},
		{"tab stops", "\ta\tab\tabcd\te", "    a   ab  abcd    e"},
		{"tab after line break", "abc\n\tx", "abc\n    x"},
		{"tab after wide text", "日\tx", "日  x"},
		{"tab after combining mark", "e\u0301\tx", "e\u0301   x"},
		{"tab after removed colour", "\x1b[31ma\x1b[0m\tx", "a   x"},
		{"invalid bytes", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"cut character", "\xe6\x97", "\ufffd\ufffd"},
		{"bidirectional controls", "a\u202eb\u2066c\u200fd", "abcd"},
		{"line separators", "a\u2028b\u2029c", "abc"},
		{"emoji joiners stay", "👩\u200d🚀", "👩\u200d🚀"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Clean(test.in); got != test.want {
				t.Errorf("Clean(%q) = %q, want %q", test.in, got, test.want)
			}
		})
	}
}

func TestCleanKeepsColumnsOfLongLines(t *testing.T) {
	t.Parallel()
	for _, n := range []int{maxTail - 1, maxTail, maxTail + 1, 3*maxTail + 2} {
		for _, letter := range []string{"a", "é"} {
			got := Clean(strings.Repeat(letter, n) + "\tx")
			if want := n + tabStop - n%tabStop + 1; Width(got) != want {
				t.Errorf("%d x %q, tab, x: %d cells, want %d", n, letter, Width(got), want)
			}
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range hostileTexts() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Fatalf("invalid UTF-8 in %q", got)
		}
		for _, r := range got {
			if r != '\n' && (r < ' ' || r >= 0x7f && r <= 0x9f) || reorders(r) {
				t.Fatalf("control %U in %q", r, got)
			}
		}
		if again := Clean(got); again != got {
			t.Fatalf("Clean(%q) = %q: not stable", got, again)
		}
		if lines(got) != lines(s) {
			t.Fatalf("%d line breaks of %d are left", lines(got), lines(s))
		}
	})
}

// FuzzCleaner cuts a text at two places: what the pieces give is what the whole
// gives.
func FuzzCleaner(f *testing.F) {
	for i, seed := range hostileTexts() {
		f.Add(seed, i, 2*i+1)
	}
	f.Fuzz(func(t *testing.T, s string, i, j int) {
		i, j = place(i, len(s)), place(j, len(s))
		if i > j {
			i, j = j, i
		}
		var c Cleaner
		got := c.Write(s[:i]) + c.Write(s[i:j]) + c.Write(s[j:]) + c.Flush()
		if want := Clean(s); got != want {
			t.Fatalf("cut at %d and %d: %q, want %q", i, j, got, want)
		}
	})
}

func TestCleanerByteByByte(t *testing.T) {
	t.Parallel()
	for _, text := range hostileTexts() {
		var c Cleaner
		var got strings.Builder
		for i := range len(text) {
			got.WriteString(c.Write(text[i : i+1]))
		}
		got.WriteString(c.Flush())
		if want := Clean(text); got.String() != want {
			t.Errorf("%q: %q, want %q", text, got.String(), want)
		}
	}
}

func lines(s string) int { return strings.Count(s, "\n") }

func place(i, n int) int {
	if i < 0 {
		i = -(i + 1)
	}
	return i % (n + 1)
}

func hostileTexts() []string {
	return []string{
		"__global__ void f(float* x) {\n\tx[0] = 1;\n}\n",
		"\x1b[31mred\x1b[0m\t\x1b]52;c;AAAA\a日本\t語\x1b\\",
		"a\x1b]0;title\x1b\x1b\\b\u009b1mc\u0090q\u009cd",
		"\xf0\x9f\x91\xa9\u200d🚀\t\xff\xfe\xc3",
		"\x1b", "\x1b[", "\x1b]", "\x1b(", "\x1bP\n\x1b[1",
		strings.Repeat("x", maxTail-1) + "日\ty",
		"100%\r200%\r\n\x00\x01",
	}
}

func BenchmarkClean(b *testing.B) {
	dirty := strings.Repeat("\x1b[32mfloat\x1b[0m x\t= 1.0f; // größer\n", 2000)
	plain := strings.Repeat("  float x = 1.0f; // larger than before\n", 2000)
	for name, text := range map[string]string{"plain": plain, "dirty": dirty} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Clean(text)
			}
		})
	}
}
