package ui

import (
	"fmt"
	"slices"
	"strings"

	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// panel is a drawn tile: its title row, then its rows.
type panel struct {
	rect
	rows []string
}

// join sets panels side by side. Panels of equal x are one column; between two
// columns runs a line that meets their titles.
func join(t theme.Theme, area rect, panels []panel) []string {
	columns := slices.Clone(panels)
	slices.SortStableFunc(columns, func(a, b panel) int { return a.x - b.x })
	var xs []int
	cells := map[int][]string{} // by column
	rules := map[int][]int{}    // rows that are titles, by column
	for _, p := range columns {
		if cells[p.x] == nil {
			xs = append(xs, p.x)
		}
		rules[p.x] = append(rules[p.x], len(cells[p.x]))
		cells[p.x] = append(cells[p.x], p.rows...)
	}
	rows := make([]string, area.h)
	var b strings.Builder
	for y := range rows {
		b.Reset()
		for i, x := range xs {
			if i > 0 {
				left, right := slices.Contains(rules[xs[i-1]], y), slices.Contains(rules[x], y)
				b.WriteString(t.Border.Render(junction(t.Glyphs, y == 0, left, right)))
			}
			if y < len(cells[x]) {
				b.WriteString(cells[x][y])
			}
		}
		rows[y] = b.String()
	}
	return rows
}

// junction is the glyph of a column line where titles begin or end beside it.
func junction(g theme.Glyphs, top, left, right bool) string {
	switch {
	case top:
		return g.TeeDown
	case left && right:
		return g.Cross
	case left:
		return g.TeeRight
	case right:
		return g.TeeLeft
	}
	return g.Vertical
}

// titleRule draws a pane's title into a rule of w cells, with notes at its right
// end. Where they do not fit, the first ones go.
func titleRule(t theme.Theme, label string, focused bool, w int, notes ...string) string {
	return ruled(t, ruleLine(t, 1)+paneLabel(t, label, focused), w, notes)
}

func ruled(t theme.Theme, head string, w int, notes []string) string {
	used := term.Width(head)
	for ; len(notes) > 0; notes = notes[1:] {
		note := strings.Join(notes, "  ")
		if rest := w - used - term.Width(note) - 3; rest >= 1 {
			return head + ruleLine(t, rest) + " " + note + " " + ruleLine(t, 1)
		}
	}
	return t.Fit(head+ruleLine(t, w-used), w)
}

func ruleLine(t theme.Theme, n int) string {
	return t.Border.Render(strings.Repeat(t.Glyphs.Horizontal, max(0, n)))
}

// paneLabel marks the focused pane with brackets as well as with colour.
func paneLabel(t theme.Theme, label string, focused bool) string {
	if focused {
		return t.Title.Render("[" + label + "]")
	}
	return " " + t.Text.Render(label) + " "
}

// part is one piece of a row; those of lowest rank go first when room is short.
type part struct {
	text string
	rank int
}

// spread sets parts at the left and right ends of a row of w cells.
func spread(t theme.Theme, w int, left, right []part) string {
	const gap = 3
	left, right = present(left), present(right)
	for {
		need := fieldsWidth(left, gap) + fieldsWidth(right, gap) + 2
		if len(left) > 0 && len(right) > 0 {
			need += gap
		}
		if need <= w || len(left)+len(right) <= 1 {
			break
		}
		dropLowest(&left, &right)
	}
	a, b := joinFields(left, gap), joinFields(right, gap)
	fill := max(0, w-2-term.Width(a)-term.Width(b))
	return t.Fit(" "+a+strings.Repeat(" ", fill)+b+" ", w)
}

func present(fields []part) []part {
	return slices.DeleteFunc(fields, func(f part) bool { return f.text == "" })
}

func fieldsWidth(fields []part, gap int) int {
	w := gap * max(0, len(fields)-1)
	for _, f := range fields {
		w += term.Width(f.text)
	}
	return w
}

func dropLowest(a, b *[]part) {
	side, at := a, -1
	for _, fields := range []*[]part{a, b} {
		for i, f := range *fields {
			if at < 0 || f.rank < (*side)[at].rank {
				side, at = fields, i
			}
		}
	}
	*side = slices.Delete(*side, at, at+1)
}

func joinFields(fields []part, gap int) string {
	texts := make([]string, len(fields))
	for i, f := range fields {
		texts[i] = f.text
	}
	return strings.Join(texts, strings.Repeat(" ", gap))
}

// fill makes rows exactly h rows of exactly w cells.
func fill(t theme.Theme, rows []string, w, h int) []string {
	out := make([]string, h)
	for i := range out {
		row := ""
		if i < len(rows) {
			row = rows[i]
		}
		out[i] = t.Fit(row, w)
	}
	return out
}

// tooSmall is the whole screen below the least size: one line, cut to fit.
func tooSmall(width, height int) string {
	text := fmt.Sprintf("too small: need %dx%d, have %dx%d", minWidth, minHeight, width, height)
	rows := make([]string, height)
	for i := range rows {
		rows[i] = strings.Repeat(" ", width)
	}
	rows[height/2] = term.Fit(text, width)
	return strings.Join(rows, "\n")
}
