package theme

import (
	"testing"

	"example.com/hone/ui/term"
)

func TestRender(t *testing.T) {
	t.Parallel()
	red := Style{open: "\x1b[31m"}
	blue := Style{open: "\x1b[34m"}
	tests := []struct{ name, in, want string }{
		{"text", "a", "\x1b[31ma\x1b[0m"},
		{"nothing", "", ""},
		{"holds again after a style inside", "a" + blue.Render("b") + "c",
			"\x1b[31ma\x1b[34mb\x1b[0m\x1b[31mc\x1b[0m"},
		{"style inside at the end", "a" + blue.Render("b"), "\x1b[31ma\x1b[34mb\x1b[0m\x1b[0m"},
		{"line by line", "a\nb", "\x1b[31ma\x1b[0m\n\x1b[31mb\x1b[0m"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := red.Render(test.in); got != test.want {
				t.Errorf("Render(%q) = %q, want %q", test.in, got, test.want)
			}
		})
	}
}

func TestLipglossRendersTheSame(t *testing.T) {
	t.Parallel()
	for _, depth := range []term.Colour{term.NoColour, term.Colour16, term.TrueColour} {
		th := New(term.Profile{Colour: depth})
		if got, want := th.Accent.Lipgloss().Render("text"), th.Accent.Render("text"); got != want {
			t.Errorf("with colours %d: %q, want %q", depth, got, want)
		}
	}
}

func TestForeground(t *testing.T) {
	t.Parallel()
	tests := []struct {
		depth term.Colour
		want  string
	}{{term.NoColour, ""}, {term.Colour16, "12"}, {term.Colour256, "111"}, {term.TrueColour, "#7cb7ff"}}
	for _, test := range tests {
		if got := New(term.Profile{Colour: test.depth}).Accent.Foreground(); got != test.want {
			t.Errorf("with colours %d: %q, want %q", test.depth, got, test.want)
		}
	}
}

func TestFitEndsWithTheThemesMark(t *testing.T) {
	t.Parallel()
	for ascii, want := range map[bool]string{false: "ab…", true: "ab~"} {
		if got := New(term.Profile{ASCII: ascii}).Fit("abcdef", 3); got != want {
			t.Errorf("Fit = %q, want %q", got, want)
		}
	}
}
