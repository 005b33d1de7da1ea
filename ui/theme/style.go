package theme

import (
	"fmt"
	"strings"

	"example.com/hone/ui/term"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

const reset = "\x1b[0m"

// Style colours text. The zero Style changes nothing.
type Style struct {
	open       string // the sequence that begins it
	foreground string
}

// Foreground names the colour of the text as glamour takes it, "#rrggbb" or a
// number of the palette; "" is the terminal's own.
func (s Style) Foreground() string { return s.foreground }

// Render returns s in this style, which holds again after any style inside of
// s has ended. Text of several lines is styled line by line.
func (s Style) Render(text string) string {
	if s.open == "" || text == "" {
		return text
	}
	if strings.Contains(text, reset) {
		text = strings.ReplaceAll(text, reset, reset+s.open)
		text = strings.TrimSuffix(text, s.open)
	}
	if strings.IndexByte(text, '\n') >= 0 {
		text = strings.ReplaceAll(text, "\n", reset+"\n"+s.open)
	}
	return s.open + text + reset
}

// Lipgloss returns the style in the form that the widgets of bubbles take. It
// depends on no renderer, and so not on what lipgloss believes of the terminal.
func (s Style) Lipgloss() lipgloss.Style {
	return lipgloss.NewStyle().Transform(s.Render)
}

// look is what a style is made from.
type look struct {
	fg, bg       colour
	bold, italic bool
}

// style writes the look down for a terminal. With 16 colours the background is
// left alone: nothing is known about how it goes with the text.
func (l look) style(depth term.Colour) Style {
	var codes []string
	if l.bold {
		codes = append(codes, "1")
	}
	if l.italic && depth > term.Colour16 {
		codes = append(codes, "3")
	}
	if l.fg.hex != 0 {
		codes = append(codes, l.fg.code(depth, 38))
	}
	if l.bg.hex != 0 && depth > term.Colour16 {
		codes = append(codes, l.bg.code(depth, 48))
	}
	return Style{
		open:       "\x1b[" + strings.Join(codes, ";") + "m",
		foreground: l.fg.name(depth),
	}
}

// colour is one colour in two forms: for terminals that show any, and as a
// place in the palette of 16 that the person has chosen. The zero colour is
// none.
type colour struct {
	hex   uint32
	basic int
}

// code returns the parameters that select the colour; ground is 38 for text,
// 48 for what is behind it.
func (c colour) code(depth term.Colour, ground int) string {
	switch depth {
	case term.TrueColour:
		return fmt.Sprintf("%d;2;%d;%d;%d", ground, c.hex>>16, c.hex>>8&0xff, c.hex&0xff)
	case term.Colour256:
		return fmt.Sprintf("%d;5;%d", ground, c.indexed())
	}
	if c.basic > 7 {
		return fmt.Sprint(ground + 52 + c.basic - 8)
	}
	return fmt.Sprint(ground - 8 + c.basic)
}

// name is the colour as a word of a style sheet.
func (c colour) name(depth term.Colour) string {
	switch {
	case c.hex == 0:
		return ""
	case depth == term.TrueColour:
		return fmt.Sprintf("#%06x", c.hex)
	case depth == term.Colour256:
		return fmt.Sprint(c.indexed())
	}
	return fmt.Sprint(c.basic)
}

// indexed is the nearest of the 256 colours, never one of the first 16, whose
// appearance is the person's choice.
func (c colour) indexed() uint8 {
	return uint8(ansi.Convert256(ansi.RGBColor{
		R: uint8(c.hex >> 16), G: uint8(c.hex >> 8), B: uint8(c.hex),
	}))
}
