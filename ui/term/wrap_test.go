package term

import (
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		width    int
		want     []string
	}{
		{"short", "one two", 20, []string{"one two"}},
		{"at spaces", "one two three", 8, []string{"one two", "three"}},
		{"space before a long word", " abcde", 4, []string{" abc", "de"}},
		{"spaces at a break are dropped", "one   two", 4, []string{"one", "two"}},
		{"indentation stays", "  one two", 6, []string{"  one", "two"}},
		{"wide characters", "日本語", 3, []string{"日", "本", "語"}},
		{"wider than a row", "日", 1, []string{"日"}},
		{"long word", "abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"line breaks", "a\n\nb", 5, []string{"a", "", "b"}},
		{"no room", "a", 0, nil},
		{"style over rows", "\x1b[31mone two\x1b[0m x", 4,
			[]string{"\x1b[31mone\x1b[0m", "\x1b[31mtwo\x1b[0m", "x"}},
		{"two styles at once", "\x1b[1m\x1b[31maa bb", 2,
			[]string{"\x1b[1m\x1b[31maa\x1b[0m", "\x1b[1m\x1b[31mbb\x1b[0m"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := Wrap(test.in, test.width)
			if strings.Join(got, "|") != strings.Join(test.want, "|") || len(got) != len(test.want) {
				t.Errorf("Wrap(%q, %d) = %q, want %q", test.in, test.width, got, test.want)
			}
		})
	}
}

func FuzzWrap(f *testing.F) {
	for i, seed := range hostileTexts() {
		f.Add(seed, i+2)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 2 + place(width, 80) // a wide character needs two cells
		clean := Clean(s)
		rows := Wrap(clean, width)
		for _, row := range rows {
			if Width(row) > width {
				t.Fatalf("row %q is wider than %d", row, width)
			}
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(strings.Join(rows, "")) != squeeze(clean) {
			t.Fatalf("Wrap(%q, %d) = %q: text was lost", clean, width, rows)
		}
	})
}
