package ui

import (
	"fmt"
	"math"
	"strings"

	"example.com/hone/agent"
	"example.com/hone/ui/figures"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// turnsBody is the tree of turns as a pane shows it.
type turnsBody struct {
	theme    theme.Theme
	state    *agent.State
	branches []branch
	viewed   int
	w        int
}

func (b turnsBody) size() int           { return len(b.branches) }
func (b turnsBody) last(height int) int { return max(0, len(b.branches)-height) }

func (b turnsBody) draw(top, height int) []string {
	end := min(len(b.branches), top+height)
	out := make([]string, 0, max(0, end-top))
	for _, row := range b.branches[top:end] {
		out = append(out, b.row(row))
	}
	return out
}

func (b turnsBody) row(row branch) string {
	t, th := row.turn, b.theme
	glyph, style := outcomeMark(th, outcomeOf(t))
	word := turnWord(t)
	speed := ""
	if s, ok := t.Speedup(); ok {
		speed = speedStyle(th, s).Render(fmt.Sprintf("%7s", figures.Speedup(s)))
	}
	pointer, number := " ", fmt.Sprintf("%2d", t.Number)
	if t.Number == b.viewed {
		pointer, number = th.Accent.Render(th.Glyphs.Pointer), th.Title.Render(number)
	}
	line := pointer + th.Border.Render(b.stem(row.stem)) + number + " " + style.Render(glyph) + " "
	word = term.Pad(word, max(0, wordWidth-2*len(row.stem)))
	line += word + " " + term.Pad(speed, 7) + " "
	for _, mark := range b.marks(t) {
		if term.Width(line)+1+term.Width(mark) <= b.w {
			line += " " + mark
		}
	}
	return line
}

// wordWidth is the column of outcomes; branches are indented at its cost.
const wordWidth = 14

// turnWord is a turn's outcome, or what it is doing.
func turnWord(t *agent.Turn) string {
	if outcome := outcomeOf(t); outcome != "" {
		short, _ := outcomeWords(outcome)
		return short
	}
	switch t.Phase {
	case agent.PhasePrompt:
		return "waiting"
	case agent.PhaseStream:
		return "writing"
	}
	return "judging"
}

func (b turnsBody) stem(stems []stem) string {
	g := b.theme.Glyphs
	var out strings.Builder
	for _, s := range stems {
		out.WriteString([...]string{stemNone: "  ", stemPass: g.Trunk, stemFork: g.Branch, stemLast: g.LastBranch}[s])
	}
	return out.String()
}

// marks are what was decided about a turn and how it came about, the most
// important first.
func (b turnsBody) marks(t *agent.Turn) []string {
	th := b.theme
	var marks []string
	if t.Number == b.state.Best {
		marks = append(marks, th.Accent.Render(th.Glyphs.Best+" best"))
	}
	if t.Accepted {
		marks = append(marks, th.Good.Render("accepted"))
	}
	if t.Rejected {
		marks = append(marks, th.Warn.Render("rejected"))
	}
	marks = append(marks, markNames(th, t.Marks)...)
	switch {
	case t.Source == agent.SourceHuman:
		marks = append(marks, th.Dim.Render("edited"))
	case t.Hint != "":
		marks = append(marks, th.Dim.Render("hint"))
	case t.TurnStarted.Reason == agent.ActionRetry:
		marks = append(marks, th.Dim.Render("retry"))
	}
	return marks
}

// barsOf is the session's speedups, one bar a turn.
func barsOf(s *agent.State) []bar {
	bars := make([]bar, len(s.Turns))
	for i, t := range s.Turns {
		speedup, ok := t.Speedup()
		if ok {
			bars[i].speedup = speedup
		}
		bars[i].failed = !ok && t.End != nil
		bars[i].best = t.Number == s.Best
	}
	return bars
}

// sparkline draws the newest bars that fit into w cells, with its scale.
func sparkline(th theme.Theme, bars []bar, w int) string {
	low, high := math.Inf(1), 0.0
	for _, b := range bars {
		if b.speedup > 0 {
			low, high = min(low, b.speedup), max(high, b.speedup)
		}
	}
	scale := ""
	switch {
	case high > low:
		scale = fmt.Sprintf("  %s to %s, log scale", figures.Speedup(low), figures.Speedup(high))
	case high > 0:
		scale = "  " + figures.Speedup(high)
	}
	if w < 46 {
		scale = ""
	}
	return sparks(th, bars, w-term.Width(scale)) + th.Dim.Render(scale)
}

// sparks draws one cell a bar, the newest w of them. A failure is a cross, not a
// low bar.
func sparks(th theme.Theme, bars []bar, w int) string {
	levels := th.Glyphs.Spark
	first := max(0, len(bars)-max(0, w))
	var out strings.Builder
	for i, height := range scaleBars(bars, len(levels)) {
		switch {
		case i < first:
		case height >= 0 && bars[i].best:
			out.WriteString(th.Accent.Render(levels[height]))
		case height >= 0:
			out.WriteString(th.Good.Render(levels[height]))
		case bars[i].failed:
			out.WriteString(th.Bad.Render("x"))
		default:
			out.WriteString(th.Dim.Render(th.Glyphs.Dot))
		}
	}
	return out.String()
}
