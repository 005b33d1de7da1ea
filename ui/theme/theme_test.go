package theme

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"example.com/hone/ui/term"
	"github.com/charmbracelet/x/ansi"
)

// The backgrounds that terminals commonly have. Text must be readable on each.
var (
	darkGrounds  = []uint32{0x000000, 0x1e1e1e, 0x1e1e2e, 0x282c34}
	lightGrounds = []uint32{0xffffff, 0xfafafa, 0xfdf6e3}
)

func TestContrast(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		palette palette
		grounds []uint32
	}{
		{"dark", dark(), darkGrounds},
		{"light", light(), lightGrounds},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for role, c := range textColours(test.palette) {
				indexed := rgb(ansi.IndexedColor(c.indexed()))
				for _, ground := range append(test.grounds, test.palette.selected.hex) {
					if got := contrast(c.hex, ground); got < 4.5 {
						t.Errorf("%s #%06x on #%06x: contrast %.2f, want 4.5", role, c.hex, ground, got)
					}
					if got := contrast(indexed, ground); got < 4.5 {
						t.Errorf("%s, in 256 colours #%06x, on #%06x: contrast %.2f, want 4.5", role, indexed, ground, got)
					}
				}
			}
		})
	}
}

func textColours(p palette) map[string]colour {
	return map[string]colour{
		"dim": p.dim, "accent": p.accent, "good": p.good, "bad": p.bad, "warn": p.warn,
		"violet": p.violet, "teal": p.teal, "orange": p.orange,
	}
}

// contrast is the ratio that WCAG defines.
func contrast(a, b uint32) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(hex uint32) float64 {
	channel := func(shift int) float64 {
		v := float64(hex>>shift&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

func rgb(c interface{ RGBA() (r, g, b, a uint32) }) uint32 {
	r, g, b, _ := c.RGBA()
	return r>>8<<16 | g>>8<<8 | b>>8
}

func TestNoColourWritesNoSequence(t *testing.T) {
	t.Parallel()
	for _, light := range []bool{false, true} {
		th := New(term.Profile{Light: light})
		for role, style := range styles(th) {
			if got := style.Render("text"); got != "text" {
				t.Errorf("%s renders %q without colour", role, got)
			}
		}
	}
}

func TestEveryRoleHasAStyle(t *testing.T) {
	t.Parallel()
	for _, p := range profiles() {
		th := New(p)
		for role, style := range styles(th) {
			if plain := role == "Text"; plain != (style.Render("x") == "x") {
				t.Errorf("%+v: %s renders %q", p, role, style.Render("x"))
			}
		}
	}
}

func TestSequencesSuitTheTerminal(t *testing.T) {
	t.Parallel()
	for _, p := range profiles() {
		for role, style := range styles(New(p)) {
			for _, code := range parameters(style) {
				if !allowed(p.Colour, code) {
					t.Errorf("%s uses parameter %q on a terminal with colours %d", role, code, p.Colour)
				}
			}
		}
	}
}

// allowed says that an SGR parameter list, split at its colours, is understood.
func allowed(depth term.Colour, code string) bool {
	switch {
	case code == "1" || code == "3":
		return code == "1" || depth > term.Colour16
	case strings.HasPrefix(code, "38;2;") || strings.HasPrefix(code, "48;2;"):
		return depth == term.TrueColour
	case strings.HasPrefix(code, "38;5;") || strings.HasPrefix(code, "48;5;"):
		n, err := strconv.Atoi(code[5:])
		return depth == term.Colour256 && err == nil && n >= 16
	}
	n, err := strconv.Atoi(code)
	return err == nil && depth == term.Colour16 && (n >= 30 && n <= 37 || n >= 90 && n <= 97)
}

// parameters splits the opening sequence of a style into attributes and colours.
func parameters(s Style) []string {
	fields := strings.Split(strings.TrimSuffix(strings.TrimPrefix(s.open, "\x1b["), "m"), ";")
	var out []string
	for i := 0; i < len(fields); i++ {
		n := 1
		if fields[i] == "38" || fields[i] == "48" {
			n = map[string]int{"2": 5, "5": 3}[fields[i+1]]
		}
		if s.open != "" {
			out = append(out, strings.Join(fields[i:i+n], ";"))
		}
		i += n - 1
	}
	return out
}

func TestGlyphsAreOneCellWide(t *testing.T) {
	t.Parallel()
	for _, ascii := range []bool{false, true} {
		th := New(term.Profile{ASCII: ascii})
		v := reflect.ValueOf(th.Glyphs)
		for i := range v.NumField() {
			name, want := v.Type().Field(i).Name, 1
			if name == "Branch" || name == "LastBranch" || name == "Trunk" {
				want = 2
			}
			glyphs, list := v.Field(i).Interface().([]string)
			if !list {
				glyphs = []string{v.Field(i).String()}
			}
			for _, glyph := range glyphs {
				if term.Width(glyph) != want {
					t.Errorf("%s %q takes %d cells, want %d", name, glyph, term.Width(glyph), want)
				}
				if ascii && glyph != term.Clean(glyph) || ascii && len(glyph) != want {
					t.Errorf("%s %q is not ASCII", name, glyph)
				}
			}
		}
	}
}

func TestOutcomesDifferWithoutColour(t *testing.T) {
	t.Parallel()
	for _, ascii := range []bool{false, true} {
		g := New(term.Profile{ASCII: ascii}).Glyphs
		seen := map[string]bool{}
		for _, glyph := range []string{g.OK, g.Fail, g.Running, g.Waiting, g.Skipped} {
			if seen[glyph] {
				t.Errorf("%q stands for two states", glyph)
			}
			seen[glyph] = true
		}
	}
}

func TestIDTellsThemesApart(t *testing.T) {
	t.Parallel()
	seen := map[ID]bool{}
	for _, p := range profiles() {
		seen[New(p).ID] = true
	}
	if len(seen) != len(profiles()) {
		t.Errorf("%d themes share %d IDs", len(profiles()), len(seen))
	}
}

func profiles() []term.Profile {
	var out []term.Profile
	for _, depth := range []term.Colour{term.Colour16, term.Colour256, term.TrueColour} {
		out = append(out, term.Profile{Colour: depth}, term.Profile{Colour: depth, Light: true})
	}
	return out
}

// styles lists every Style of the theme by its name.
func styles(th Theme) map[string]Style {
	out := map[string]Style{}
	for _, v := range []reflect.Value{reflect.ValueOf(th), reflect.ValueOf(th.Code)} {
		for i := range v.NumField() {
			if s, ok := v.Field(i).Interface().(Style); ok {
				out[fmt.Sprint(v.Type().Field(i).Name)] = s
			}
		}
	}
	return out
}
