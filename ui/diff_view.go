package ui

import (
	"fmt"
	"strings"

	"example.com/hone/agent"
	"example.com/hone/ui/figures"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// isSplit says whether the sides stand beside each other: by the width, unless
// the person chose.
func (d *diff) isSplit(w int) bool {
	return d.split || w >= 120 && !d.unified
}

// visible is the rows of the diff: pairs when split, else each row by itself, on
// the right.
func (d *diff) visible(w int) []pair {
	if d.isSplit(w) {
		return pairRows(d.result.rows)
	}
	all := make([]pair, len(d.result.rows))
	for i, row := range d.result.rows {
		all[i] = pair{right: row}
	}
	return all
}

// hunkRows is where each change begins among the visible rows.
func (d *diff) hunkRows(w int) []int {
	var starts []int
	for i, p := range d.visible(w) {
		if p.right.kind == diffHunk {
			starts = append(starts, i)
		}
	}
	return starts
}

// header says what is compared, and what came of it.
func (d *diff) header(th theme.Theme, w int) string {
	changed := ""
	if d.ready {
		changed = th.Added.Render(fmt.Sprintf("+%d", d.result.added)) + " " + th.Removed.Render(fmt.Sprintf("-%d", d.result.removed))
	}
	what := th.Title.Render("diff") + "  " + turnLabel(th, d.older) + " " + th.Dim.Render(th.Glyphs.Arrow) + " " + turnLabel(th, d.newer)
	var how []string
	how = append(how, pick(d.isSplit(w), "split", "unified"))
	if d.context == allLines {
		how = append(how, "all lines")
	}
	if d.ignoreSpace {
		how = append(how, "spaces ignored")
	}
	return spread(th, w, []part{{what, 3}, {changed, 2}},
		[]part{{th.Dim.Render(figures.Plural(len(d.result.hunks), "change")), 1}, {th.Dim.Render(strings.Join(how, ", ")), 0}})
}

// turnLabel names a turn with what came of it.
func turnLabel(th theme.Theme, t *agent.Turn) string {
	text := fmt.Sprintf("turn %d ", t.Number)
	if s, ok := t.Speedup(); ok {
		return text + speedStyle(th, s).Render("("+figures.Speedup(s)+")")
	}
	short, _ := outcomeWords(outcomeOf(t))
	_, style := outcomeMark(th, outcomeOf(t))
	return text + style.Render("("+short+")")
}

// diffBody is the rows of a diff as they are drawn.
type diffBody struct {
	theme theme.Theme
	pairs []pair
	split bool
	w, x  int
	hunks int
}

func (d *diff) body(th theme.Theme, w int) body {
	switch {
	case !d.ready:
		return rows{"", "  " + th.Dim.Render("Comparing.")}
	case len(d.result.rows) == 0 && d.ignoreSpace:
		return rows{"", "  The kernels differ in nothing but spaces."}
	case len(d.result.rows) == 0:
		return rows{"", "  The kernels are the same, byte for byte."}
	}
	return diffBody{th, d.visible(w), d.isSplit(w), w, d.scroll.x, len(d.result.hunks)}
}

func (b diffBody) size() int           { return len(b.pairs) }
func (b diffBody) last(height int) int { return max(0, len(b.pairs)-height) }

func (b diffBody) draw(top, height int) []string {
	var out []string
	for i := top; i < min(len(b.pairs), top+height); i++ {
		p := b.pairs[i]
		switch {
		case p.right.kind == diffHunk:
			out = append(out, b.hunkRow(i))
		case b.split:
			left := (b.w - 1) / 2
			out = append(out, b.side(p.left, p.left.old, left)+b.theme.Border.Render(b.theme.Glyphs.Vertical)+
				b.side(p.right, p.right.new, b.w-1-left))
		default:
			out = append(out, b.unifiedRow(p.right))
		}
	}
	return out
}

func (b diffBody) hunkRow(i int) string {
	n := 0
	for _, p := range b.pairs[:i+1] {
		if p.right.kind == diffHunk {
			n++
		}
	}
	row := b.pairs[i].right
	return b.theme.Fit(b.theme.Accent.Render(fmt.Sprintf(" change %d of %d", n, b.hunks))+
		b.theme.Dim.Render(fmt.Sprintf("  line %d", row.new)), b.w)
}

// side draws one line of one side: number, sign, text.
func (b diffBody) side(row diffRow, number, w int) string {
	if number == 0 {
		return strings.Repeat(" ", w)
	}
	sign, style := b.sign(row.kind)
	text := term.Shift(term.Clean(row.text), b.x)
	return b.theme.Fit(b.theme.Dim.Render(fmt.Sprintf("%4d ", number))+style.Render(sign+" "+text), w)
}

func (b diffBody) unifiedRow(row diffRow) string {
	number := func(n int) string {
		if n == 0 {
			return "    "
		}
		return fmt.Sprintf("%4d", n)
	}
	sign, style := b.sign(row.kind)
	text := term.Shift(term.Clean(row.text), b.x)
	return b.theme.Fit(b.theme.Dim.Render(number(row.old)+" "+number(row.new)+" ")+style.Render(sign+" "+text), b.w)
}

func (b diffBody) sign(kind diffKind) (string, theme.Style) {
	switch kind {
	case diffAdded:
		return "+", b.theme.Added
	case diffRemoved:
		return "-", b.theme.Removed
	}
	return " ", b.theme.Text
}

// view draws the figures of both turns, then the lines of their kernels.
func (d *diff) view(th theme.Theme, area rect) []string {
	rule := ruleLine(th, area.w)
	figures := d.figureRows(th, area.w, area.h)
	b := d.body(th, area.w)
	height := max(0, area.h-1-len(figures))
	top := d.scroll.start(b, height)
	window := fill(th, b.draw(top, height), area.w, height)
	if at := d.found.line - top; d.found.query != "" && at >= 0 && at < len(window) {
		window[at] = th.Select.Render(window[at])
	}
	return append(append(figures, rule), window...)
}
