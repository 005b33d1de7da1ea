package ui

import (
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
	"example.com/hone/gpu"
	"example.com/hone/ui/figures"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// figureRoom is how much of the screen the figures of a comparison may take.
type figureRoom int

const (
	figuresHalf figureRoom = iota // at most half of it
	figuresAll                    // all but a few lines
	figuresNone
)

func (r figureRoom) next() figureRoom { return (r + 1) % (figuresNone + 1) }

// rows is the most rows of h that figures take.
func (r figureRoom) rows(h int) int {
	const lines = 4 // what is left to the lines of the kernels
	switch r {
	case figuresHalf:
		return min(h/2, h-lines)
	case figuresAll:
		return h - lines
	}
	return 0
}

// figure is one figure of two turns, each "" where it is unknown.
type figure struct {
	label        string
	older, newer string
	change       string // in words, "" for none
	doubtful     bool   // the change may be none
}

// figuresOf are the times of two turns, then what their kernels take.
func figuresOf(older, newer *agent.Turn) []figure {
	all := []figure{{label: "outcome", older: outcomeText(older), newer: outcomeText(newer)}}
	a, b := verdictOf(older), verdictOf(newer)
	times := timeFigures(a.Timing, b.Timing)
	if a.Outcome == gpu.OutcomeSuspect || b.Outcome == gpu.OutcomeSuspect {
		times[0].change, times[0].doubtful = "not to be believed", true
	}
	all = append(all, times...)
	all = append(all,
		figure{label: "speedup", older: speedupText(older), newer: speedupText(newer)},
		figure{label: "score", older: scoreText(a.Score), newer: scoreText(b.Score)},
		figure{label: "worst error", older: errorText(a.Check), newer: errorText(b.Check)},
	)
	for i := range max(len(a.Resources), len(b.Resources)) {
		all = append(all, resourceFigures(resourceAt(a.Resources, i), resourceAt(b.Resources, i))...)
	}
	known := all[:0]
	for _, f := range all {
		if f.older != "" || f.newer != "" {
			known = append(known, f)
		}
	}
	return known
}

func verdictOf(t *agent.Turn) gpu.Verdict {
	if t.Verdict == nil {
		return gpu.Verdict{}
	}
	return *t.Verdict
}

func outcomeText(t *agent.Turn) string {
	short, _ := outcomeWords(outcomeOf(t))
	return short
}

func speedupText(t *agent.Turn) string {
	s, ok := t.Speedup()
	if !ok {
		return ""
	}
	return figures.Speedup(s) + " " + oneLine(gpu.BaselineName(t.Verdict.ScoreBasis))
}

func scoreText(s *float64) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", *s)
}

func errorText(c *gpu.Check) string {
	if c == nil || c.MaxAbs == nil {
		return ""
	}
	return figures.Error(c.MaxAbs)
}

func timeFigures(a, b *gpu.Timing) []figure {
	label := "time"
	if a != nil && a.Emulated || b != nil && b.Emulated {
		label = "emulated time" // never a GPU's
	}
	f := figure{label: label, older: medianText(a), newer: medianText(b)}
	if a != nil && b != nil && b.MedianUS > 0 {
		f.change = faster(a.MedianUS / b.MedianUS)
		if overlap(a.CI95US, b.CI95US) {
			f.change, f.doubtful = "no real difference", true
		}
	}
	return []figure{f, {label: "95% sure", older: intervalText(a), newer: intervalText(b)}}
}

func faster(ratio float64) string {
	if ratio < 1 {
		return figures.Speedup(1/ratio) + " slower"
	}
	return figures.Speedup(ratio) + " faster"
}

func medianText(t *gpu.Timing) string {
	if t == nil {
		return ""
	}
	return figures.Micros(t.MedianUS)
}

func intervalText(t *gpu.Timing) string {
	if t == nil || t.CI95US == nil {
		return ""
	}
	return figures.Range(t.CI95US[0], t.CI95US[1])
}

func resourceAt(all []gpu.Resources, i int) *gpu.Resources {
	if i >= len(all) {
		return nil
	}
	return &all[i]
}

// resourceFigures compare the i-th kernels of two answers, whatever they are called.
func resourceFigures(a, b *gpu.Resources) []figure {
	text := func(of func(gpu.Resources) string) figure {
		f := figure{}
		if a != nil {
			f.older = of(*a)
		}
		if b != nil {
			f.newer = of(*b)
		}
		return f
	}
	count := func(label string, of func(gpu.Resources) *int64) figure {
		f := text(func(r gpu.Resources) string { return countText(of(r)) })
		f.label = label
		if a != nil && b != nil {
			f.change = difference(of(*a), of(*b))
		}
		return f
	}
	name := text(func(r gpu.Resources) string { return oneLine(r.Kernel) })
	launched := text(func(r gpu.Resources) string { return figures.Dims(r.Grid) + " of " + figures.Dims(r.Block) })
	held := text(func(r gpu.Resources) string { return shareText(r.Occupancy) })
	name.label, launched.label, held.label = "kernel", "grid, block", "occupancy"
	return []figure{
		name, launched,
		count("launches", func(r gpu.Resources) *int64 { return &r.Launches }),
		count("shared bytes", func(r gpu.Resources) *int64 { return &r.SharedBytes }),
		count("registers", func(r gpu.Resources) *int64 { return wide(r.Registers) }),
		count("spilled bytes", func(r gpu.Resources) *int64 { return wide(r.SpillBytes) }),
		held,
	}
}

func wide(n *int) *int64 {
	if n == nil {
		return nil
	}
	v := int64(*n)
	return &v
}

func countText(n *int64) string {
	if n == nil {
		return ""
	}
	return figures.Count(*n)
}

func shareText(share *float64) string {
	if share == nil {
		return ""
	}
	return strconv.FormatFloat(100**share, 'g', 3, 64) + "%"
}

func difference(a, b *int64) string {
	switch {
	case a == nil || b == nil || *a == *b:
		return ""
	case *b > *a:
		return "+" + figures.Count(*b-*a)
	}
	return figures.Count(*b - *a)
}

// figureRows draws the figures above the lines of a diff, w cells wide and no
// more than its room in h rows.
func (d *diff) figureRows(th theme.Theme, w, h int) []string {
	most := d.room.rows(h)
	if most < 2 || d.older == nil {
		return nil
	}
	title := figure{"", fmt.Sprintf("turn %d", d.older.Number), fmt.Sprintf("turn %d", d.newer.Number), "", false}
	all := figuresOf(d.older, d.newer)
	out := []string{figureRow(th, title, w)}
	for i, f := range all {
		if len(out) == most-1 && i < len(all)-1 {
			more := fmt.Sprintf(" and %s: t shows more", figures.Plural(len(all)-i, "figure"))
			return append(out, th.Fit(th.Dim.Render(more), w))
		}
		out = append(out, figureRow(th, f, w))
	}
	return out
}

func figureRow(th theme.Theme, f figure, w int) string {
	const label, change = 15, 18
	column := max(8, min(32, (w-label-change)/2))
	style := th.Text
	switch {
	case f.label == "":
		style = th.Title
	case f.older == f.newer:
		style = th.Dim
	}
	side := func(text string) string {
		if text == "" {
			text = "-"
		}
		return style.Render(term.Pad(term.Fit(text, min(term.Width(text), column-1)), column))
	}
	changed := th.Accent
	if f.doubtful {
		changed = th.Warn
	}
	return th.Fit(" "+th.Dim.Render(term.Pad(f.label, label-1))+side(f.older)+side(f.newer)+changed.Render(f.change), w)
}

// diffHeight is the rows that show lines of the kernels.
func (m *Model) diffHeight() int {
	area := m.area()
	return max(0, area.h-1-len(m.diff.figureRows(m.Theme, area.w, area.h)))
}

// askOther asks which turn to compare the viewed one with.
func (m *Model) askOther() tea.Cmd {
	r := m.refine
	title := fmt.Sprintf("compare turn %d with turn", r.number())
	m.askText(title, "its number", 1, func(text string) tea.Cmd {
		number, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || r.state.Turn(number) == nil {
			m.say(agent.LevelWarn, fmt.Sprintf("there is no turn %q: give a number from 1 to %d", oneLine(text), len(r.state.Turns)))
			return nil
		}
		return m.compareIf(r.state.Turn(number))
	})
	return nil
}
