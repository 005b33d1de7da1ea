package ui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"example.com/hone/agent"
	"example.com/hone/ui/code"
	"example.com/hone/ui/figures"
	"example.com/hone/ui/keys"
)

// match is a line found in a pane; the zero match is none.
type match struct {
	query string
	pane  pane
	line  int
}

// on reports whether a row of a pane is the one found. A kernel marks its line
// itself.
func (f match) on(p pane, line int) bool {
	return f.query != "" && p != paneKernel && f.pane == p && f.line == line
}

// place is a body on screen with the reader's place in it.
type place struct {
	body
	height int
	scroll *scroll
	found  *match
}

// searched is what a search on this screen looks through.
func (m *Model) searched() (place, bool) {
	if m.screen == keys.Diff {
		d := &m.diff
		return place{d.body(m.Theme, m.width), m.diffHeight(), &d.scroll, &d.found}, true
	}
	r := m.refine
	tl, ok := m.tileOf(r.found.pane)
	return place{r.body(tl.pane, tl.w), r.windowHeight(tl), r.scroll(tl.pane), &r.found}, ok
}

func (m *Model) search() {
	where := "the diff"
	if m.screen == keys.Refine {
		where = "the " + m.refine.focus.String()
	}
	m.askText("find in "+where, "text to find", 1, func(text string) tea.Cmd {
		m.diff.found = match{query: text, line: -1}
		if m.refine != nil {
			m.refine.found = match{query: text, pane: m.refine.focus, line: -1}
		}
		m.findNext(1)
		return nil
	})
}

// findNext goes to the next line, or the one before, that holds what is searched
// for, round the end if need be.
func (m *Model) findNext(step int) {
	p, ok := m.searched()
	if !ok || p.found.query == "" {
		m.say(agent.LevelInfo, "nothing is searched for: / starts")
		return
	}
	lines := textOf(p.body)
	hits, next := 0, 0
	for i := len(lines); i > 0; i-- {
		at := ((p.found.line+i*step)%len(lines) + len(lines)) % len(lines)
		if contains(lines[at], p.found.query) {
			hits, next = hits+1, at
		}
	}
	if hits == 0 {
		m.say(agent.LevelWarn, fmt.Sprintf("%q is not here", p.found.query))
		return
	}
	p.found.line = next
	p.scroll.reveal(next, p.body, p.height)
	m.say(agent.LevelInfo, fmt.Sprintf("%s with %q: ; next, , previous", figures.Plural(hits, "line"), p.found.query))
}

func contains(line, query string) bool {
	return strings.Contains(strings.ToLower(line), strings.ToLower(query))
}

// textOf is all lines of a body without colours.
func textOf(b body) []string {
	if k, ok := b.(kernelBody); ok {
		out := make([]string, k.size())
		for i := range out {
			out[i] = k.code.Line(i).Raw
		}
		return out
	}
	drawn := b.draw(0, b.size())
	out := make([]string, len(drawn))
	for i, row := range drawn {
		out[i] = ansi.Strip(row)
	}
	return out
}

// markFound marks the line found in a kernel.
func (f match) markFound(marks map[int]code.Mark) map[int]code.Mark {
	if f.query == "" || f.pane != paneKernel || f.line < 0 {
		return marks
	}
	if marks == nil {
		marks = map[int]code.Mark{}
	}
	if _, taken := marks[f.line+1]; !taken {
		marks[f.line+1] = code.Mark{Kind: code.MarkFound}
	}
	return marks
}
