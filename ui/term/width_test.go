package term

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestFit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		width    int
		want     string
	}{
		{"pads", "ab", 4, "ab  "},
		{"exact", "abcd", 4, "abcd"},
		{"cuts", "abcdef", 4, "abc~"},
		{"cuts before a wide character", "日本語", 4, "日~ "},
		{"one cell", "abc", 1, "~"},
		{"no room", "abc", 0, ""},
		{"negative room", "abc", -3, ""},
		{"keeps styles", "\x1b[31mab\x1b[0m", 4, "\x1b[31mab\x1b[0m  "},
		{"ends styles that it cuts", "\x1b[31mabcdef\x1b[0m", 4, "\x1b[31mabc~\x1b[0m"},
		{"line break", "a\nb", 3, "a b"},
		{"character that takes the next into its cell", "\u0603", 3, "\u0603    "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Fit(test.in, test.width); got != test.want {
				t.Errorf("Fit(%q, %d) = %q, want %q", test.in, test.width, got, test.want)
			}
		})
	}
}

func FuzzFit(f *testing.F) {
	for i, seed := range hostileTexts() {
		f.Add(seed, i*3)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		width %= 300
		clean := Clean(s)
		if got := Width(Fit(clean, width)); got != max(0, width) {
			t.Fatalf("Fit(%q, %d) is %d cells wide", clean, width, got)
		}
	})
}

// FuzzWidth holds the quick measure to the exact one.
func FuzzWidth(f *testing.F) {
	for _, seed := range append(hostileTexts(), "│ \x1b[38;2;1;2;3mab\x1b[0m █▁ ─", "1\ufe0f\u20e3", "…→·•✓✗●○–★", "★\ufe0f", "✓\u0301", "│\u0301", "\x1b[31", "\x1b[2Jx", "a\x7f") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := Width(s), ansi.StringWidth(s); got != want {
			t.Fatalf("Width(%q) = %d, want %d", s, got, want)
		}
	})
}

func BenchmarkWidth(b *testing.B) {
	row := "│ \x1b[38;2;152;161;179m  41\x1b[39m      \x1b[36mfloat\x1b[39m acc = \x1b[33m0.0f\x1b[39m;   // one accumulator a lane" + strings.Repeat(" ", 100)
	for b.Loop() {
		Width(row)
	}
}

func TestShift(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		n        int
		want     string
	}{
		{"nothing", "abc", 0, "abc"},
		{"some", "abcdef", 2, "cdef"},
		{"all", "abc", 3, ""},
		{"beyond", "abc", 9, ""},
		{"half of a wide character", "日b", 1, " b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Shift(test.in, test.n); got != test.want {
				t.Errorf("Shift(%q, %d) = %q, want %q", test.in, test.n, got, test.want)
			}
		})
	}
	if got := Shift("\x1b[31mabc\x1b[0m", 1); ansi.Strip(got) != "bc" || !strings.HasPrefix(got, "\x1b[31m") {
		t.Errorf("a shifted row lost its style: %q", got)
	}
}
