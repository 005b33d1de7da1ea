package term

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// cutMark ends a row that [Fit] had to cut. It is ASCII, so that it is one cell
// wide everywhere.
const cutMark = "~"

// Width is the number of cells that s takes in a terminal. Escape sequences
// take none. It is the one measure of text in hone.
func Width(s string) int {
	if n, ok := simpleWidth(s); ok {
		return n
	}
	return ansi.StringWidth(s)
}

// simpleWidth measures what nearly all of a screen is made of, printable ASCII,
// the screens' own glyphs and colours, at a tenth of the cost. It is false for a text with
// anything else in it, since one character can change the width of its neighbours.
func simpleWidth(s string) (n int, ok bool) {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c >= ' ' && c <= '~':
			n++
			i++
		case c == '\x1b':
			end := colourEnd(s[i:])
			if end == 0 {
				return 0, false
			}
			i += end
		case c < utf8.RuneSelf:
			return 0, false
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if !oneCell(r) {
				return 0, false
			}
			n++
			i += size
		}
	}
	return n, true
}

// oneCell reports whether a character is one of the screens' own glyphs: box
// drawing, block elements, and the marks.
func oneCell(r rune) bool {
	return r >= '\u2500' && r <= '\u259f' || strings.ContainsRune("…→·•✓✗●○–★", r)
}

// colourEnd is the length of the colour sequence that s begins with, 0 if it is
// another one.
func colourEnd(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && c != ':' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

// Fit makes s exactly w cells wide: it pads with spaces, or cuts and ends with
// a mark. Styles are kept; a line break becomes a space.
func Fit(s string, w int) string { return FitTail(s, w, cutMark) }

// FitTail is Fit with the mark that ends a cut row.
func FitTail(s string, w int, tail string) string {
	if w <= 0 {
		return ""
	}
	if strings.IndexByte(s, '\n') >= 0 {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	if Width(s) > w {
		s = ansi.Truncate(s, w, tail)
	}
	return Pad(s, w)
}

// Pad adds spaces to s until it is w cells wide. It never cuts.
func Pad(s string, w int) string {
	n := w - Width(s)
	if n <= 0 {
		return s
	}
	ascii := s == "" || s[len(s)-1] < utf8.RuneSelf
	s += strings.Repeat(" ", n)
	if !ascii { // some characters draw the next one into their cell
		s += strings.Repeat(" ", max(0, w-Width(s)))
	}
	return s
}

// Shift drops the first n cells of s, as when a pane is panned to the right.
// A wide character that is cut in half becomes a space.
func Shift(s string, n int) string {
	if n <= 0 {
		return s
	}
	width := Width(s)
	if n >= width {
		return ""
	}
	rest := ansi.TruncateLeft(s, n, "")
	if Width(rest) > width-n { // it keeps a wide character that n cuts in half
		rest = ansi.TruncateLeft(s, n+1, "")
	}
	return strings.Repeat(" ", max(0, width-n-Width(rest))) + rest
}
