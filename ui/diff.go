package ui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
	"example.com/hone/ui/keys"
)

// diff is the screen that compares two turns' kernels.
type diff struct {
	question
	generation int
	older      *agent.Turn
	newer      *agent.Turn
	result     comparison
	ready      bool
	unified    bool // the person's choice against the width's
	split      bool
	room       figureRoom
	scroll     scroll
	found      match
}

// question is what is to be compared, and how.
type question struct {
	before, after string
	context       int
	ignoreSpace   bool
}

// Lines of context around a change: a few, or all.
const (
	fewLines = 3
	allLines = 1 << 20
)

// compare shows the viewed turn against another, the older on the left.
func (m *Model) compare(other *agent.Turn) tea.Cmd {
	older, newer := other, m.refine.turn()
	if older.Number > newer.Number {
		older, newer = newer, older
	}
	keep := m.diff
	m.diff = diff{older: older, newer: newer, unified: keep.unified, split: keep.split, room: keep.room}
	m.diff.question = question{before: older.Kernel(), after: newer.Kernel(), context: fewLines}
	m.screen = keys.Diff
	return m.ask()
}

// ask compares anew.
func (m *Model) ask() tea.Cmd {
	m.diff.generation++
	m.diff.scroll.top = 0
	return compareCmd(m.diff.question, m.diff.generation)
}

func (m *Model) compared(msg comparedMsg) tea.Cmd {
	if msg.generation != m.diff.generation {
		return nil
	}
	if msg.err != nil {
		m.say(agent.LevelError, "compare kernels: "+msg.err.Error())
		return nil
	}
	m.diff.result, m.diff.ready = msg.result, true
	return nil
}

// doDiff does an action of the diff screen.
func (m *Model) doDiff(a keys.Action) tea.Cmd {
	d := &m.diff
	switch a {
	case keys.Back, keys.Close:
		m.screen = keys.Refine
	case keys.Split:
		split := d.isSplit(m.width)
		d.split, d.unified = !split, split
	case keys.Figures:
		d.room = d.room.next()
	case keys.DiffOther:
		return m.askOther()
	case keys.Context:
		d.context = pick(d.context == fewLines, allLines, fewLines)
		return m.ask()
	case keys.Whitespace:
		d.ignoreSpace = !d.ignoreSpace
		return m.ask()
	case keys.HunkNext:
		m.jumpHunk(1)
	case keys.HunkPrev:
		m.jumpHunk(-1)
	case keys.TurnPrev, keys.TurnNext:
		return m.stepDiff(pick(a == keys.TurnNext, 1, -1))
	case keys.DiffPrevious:
		return m.compareIf(m.refine.previous(m.refine.turn()))
	case keys.DiffBest:
		return m.compareIf(m.refine.state.Turn(m.refine.state.Best))
	case keys.Copy:
		return copyCmd(m.ctx, m.Copy, "patch", "kernel.patch", d.patch(m.refine.kernelFile()))
	case keys.Open:
		m.leaveDiff()
	case keys.Search:
		m.search()
	case keys.MatchNext:
		m.findNext(1)
	case keys.MatchPrev:
		m.findNext(-1)
	default:
		d.scroll.move(a, d.body(m.Theme, m.width), m.diffHeight())
	}
	return nil
}

func (m *Model) compareIf(other *agent.Turn) tea.Cmd {
	other, why := m.refine.diffWith(other)
	if why != "" {
		m.say(agent.LevelWarn, why)
		return nil
	}
	return m.compare(other)
}

// stepDiff compares an older or newer turn with the turn it was made from.
func (m *Model) stepDiff(delta int) tea.Cmd {
	m.refine.step(delta, m.Clock())
	return m.compareIf(m.refine.previous(m.refine.turn()))
}

// jumpHunk scrolls to the next change, or the one before.
func (m *Model) jumpHunk(step int) {
	d := &m.diff
	b := d.body(m.Theme, m.width)
	height := m.diffHeight()
	top := d.scroll.start(b, height)
	starts := d.hunkRows(m.width)
	for i := range starts {
		at := starts[pick(step > 0, i, len(starts)-1-i)]
		if step > 0 && at > top || step < 0 && at < top {
			d.scroll.to(at, b, height)
			return
		}
	}
	m.say(agent.LevelInfo, "no more changes")
}

// leaveDiff goes back to the newer kernel, at the line that was at the top.
func (m *Model) leaveDiff() {
	d := &m.diff
	line := 0
	if all := d.visible(m.width); len(all) > 0 {
		line = all[min(d.scroll.top, len(all)-1)].right.new
	}
	m.screen = keys.Refine
	m.refine.look(d.newer.Number, m.Clock())
	m.focus(paneKernel)
	if tl, ok := m.tileOf(paneKernel); ok && line > 0 {
		m.refine.scroll(paneKernel).to(line-1, m.refine.body(paneKernel, tl.w), m.refine.windowHeight(tl))
	}
}

// patch is the comparison as a unified diff.
func (d *diff) patch(file string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- turn%d/%s\n+++ turn%d/%s\n", d.older.Number, file, d.newer.Number, file)
	for i, row := range d.result.rows {
		switch row.kind {
		case diffHunk:
			b.WriteString(d.result.hunkHeader(i) + "\n")
		case diffAdded:
			b.WriteString("+" + row.text + "\n")
		case diffRemoved:
			b.WriteString("-" + row.text + "\n")
		default:
			b.WriteString(" " + row.text + "\n")
		}
	}
	return b.String()
}
