package term

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// cutMark ends a row that [Fit] had to cut. It is ASCII, so that it is one cell
// wide everywhere.
const cutMark = "~"

// Width is the number of cells that s takes in a terminal. Escape sequences
// take none. It is the one measure of text in hone.
func Width(s string) int { return ansi.StringWidth(s) }

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
	if n := w - Width(s); n > 0 {
		return s + strings.Repeat(" ", n)
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
	return strings.Repeat(" ", max(0, width-n-Width(rest))) + rest
}

// Wrap breaks s into rows of at most w cells, at spaces where it can. Every row
// carries the styles that hold in it and none that leak out of it.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	rows := strings.Split(ansi.Wrap(s, w, ""), "\n")
	if strings.IndexByte(s, '\x1b') < 0 {
		return rows
	}
	open := ""
	for i, row := range rows {
		next := openStyles(open, row)
		if next != "" {
			rows[i] = open + row + resetStyle
		} else {
			rows[i] = open + row
		}
		open = next
	}
	return rows
}

const resetStyle = "\x1b[0m"

// openStyles returns the style sequences that hold after row, given those that
// held before it.
func openStyles(open, row string) string {
	for {
		start := strings.Index(row, "\x1b[")
		if start < 0 {
			return open
		}
		row = row[start:]
		end := strings.IndexFunc(row[2:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return open
		}
		sequence := row[:end+3]
		row = row[end+3:]
		switch {
		case sequence[len(sequence)-1] != 'm':
		case sequence == resetStyle || sequence == "\x1b[m":
			open = ""
		default:
			open += sequence
		}
	}
}
