package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
	"example.com/hone/ui/keys"
	"example.com/hone/ui/theme"
)

// area is the rectangle between header and action bar, less an open dialog.
func (m *Model) area() rect {
	h := m.height - 2
	if m.dialog != nil {
		h -= m.dialogHeight()
	}
	return rect{0, 1, m.width, max(0, h)}
}

func (m *Model) dialogHeight() int { return len(m.dialog.view(m.Theme, m.width)) }

// frame draws the screen, its overlays and the two rows that are always there.
func (m *Model) frame() string {
	area := m.area()
	out := []string{m.header()}
	out = append(out, m.middle(area)...)
	if m.dialog != nil {
		out = append(out, m.dialog.view(m.Theme, m.width)...)
	}
	out = append(out, m.bar())
	return strings.Join(fill(m.Theme, out, m.width, m.height), "\n")
}

func (m *Model) header() string {
	switch m.screen {
	case keys.Browse:
		return m.browse.header(&m.Options, m.machine.label(m.Theme), m.width)
	case keys.Runs:
		return m.runs.header(m.Theme, m.width)
	case keys.Diff:
		return m.diff.header(m.Theme, m.width)
	}
	return m.refine.header(m.machine.label(m.Theme), m.width, m.Clock())
}

// middle draws the screen, with help over it or beside it.
func (m *Model) middle(area rect) []string {
	if m.help == nil {
		return m.screenRows(area)
	}
	w, h := m.helpSize()
	overlay := m.help.view(m.Theme, m.helpRows(w), w, h)
	if w == m.width {
		return overlay
	}
	left := rect{area.x, area.y, area.w - w - 1, area.h}
	return join(m.Theme, area, []panel{
		{left, fill(m.Theme, m.screenRows(left), left.w, left.h)},
		{rect{left.w + 1, area.y, w, h}, overlay},
	})
}

func (m *Model) screenRows(area rect) []string {
	switch m.screen {
	case keys.Browse:
		return m.browse.view(m.Theme, area, m.Clock())
	case keys.Runs:
		return m.runs.view(m.Theme, area, m.Clock())
	case keys.Diff:
		return m.diff.view(m.Theme, area)
	}
	return m.refine.view(area, m.Clock())
}

// bar is the last row: what the last key came to, else what keys there are.
func (m *Model) bar() string {
	if m.toast.text != "" {
		return m.Theme.Fit(" "+toastStyle(m.Theme, m.toast.level).Render(m.toast.text), m.width)
	}
	screen := m.screen
	switch {
	case m.dialog != nil:
		screen = m.dialog.screen()
	case m.help != nil:
		screen = keys.Help
	}
	return keys.Bar(screen, m.width, m.refusals(), m.Theme)
}

func toastStyle(th theme.Theme, l agent.Level) theme.Style {
	switch l {
	case agent.LevelWarn:
		return th.Warn
	case agent.LevelError:
		return th.Bad
	}
	return th.Accent
}

// settle asks, after every message, for what the screen needs and does not have
// yet: wrapped text at once, colours and rendered prose by commands.
func (m *Model) settle() tea.Cmd {
	switch {
	case m.width < minWidth || m.height < minHeight:
		return nil
	case m.screen == keys.Browse:
		return m.settlePreview()
	case m.screen == keys.Refine && m.refine != nil:
		return m.settleTurn()
	}
	return nil
}

func (m *Model) settlePreview() tea.Cmd {
	b := &m.browse
	t, ok := b.task()
	if _, have := b.texts[t.ID]; !ok || have || b.wanted == t.ID || b.hide || m.width < mediumWidth {
		return nil
	}
	b.wanted = t.ID
	return previewCmd(m.Theme, t)
}

func (m *Model) settleTurn() tea.Cmd {
	r := m.refine
	t := r.turn()
	m.settlePrompt(t)
	if t == nil {
		return nil
	}
	s := r.sheet(t.Number)
	var commands []tea.Cmd
	if t.Phase == agent.PhaseDone && !s.coloured && s.code.Len() > 0 {
		s.coloured = true
		commands = append(commands, colourKernelCmd(m.Theme, r.language(), s.code.Text(), t.Number, r.generation))
	}
	if tl, ok := m.tileOf(paneReply); ok {
		w := tl.w - 2
		s.thought.fit(w)
		s.prose.fit(w)
		if t.Phase == agent.PhaseDone && !s.prose.empty() && s.rendered != w && len(s.prose.text()) < maxProse {
			s.rendered, s.markdown = w, nil
			commands = append(commands, proseCmd(m.Theme, s.prose.text(), t.Number, w, r.generation))
		}
	}
	return tea.Batch(commands...)
}

// settlePrompt lays out what the turn was asked, or what would be asked next.
func (m *Model) settlePrompt(t *agent.Turn) {
	r := m.refine
	tl, ok := m.tileOf(panePrompt)
	switch {
	case !ok:
		r.ahead.close()
	case r.ahead.shown && r.idleReason() == "":
		m.settleAhead(tl.w - 2)
	case t != nil:
		r.layPrompt(t, tl.w-2)
	}
}

// maxProse is the longest reply whose Markdown is rendered; a longer one stays
// plain.
const maxProse = 64 << 10

// layPrompt writes out what a turn was asked.
func (r *refine) layPrompt(t *agent.Turn, w int) {
	r.prompt.fit(w)
	if r.promptOf == t.Number || t.Prompt == nil {
		return
	}
	r.prompt, r.promptOf = paper{width: w}, t.Number
	writeMessages(&r.prompt, t.Prompt.Messages)
}

func sortByBest(list []Run) {
	slices.SortStableFunc(list, func(a, b Run) int {
		switch {
		case a.Best == nil && b.Best == nil:
			return 0
		case a.Best == nil:
			return 1
		case b.Best == nil:
			return -1
		}
		return cmp.Compare(*b.Best, *a.Best)
	})
}

// resized fits an open text field; all else is laid out as it is drawn.
func (m *Model) resized() {
	if m.dialog != nil && m.dialog.field != nil {
		m.dialog.field.setWidth(fieldWidth(m.width))
		if m.dialog.editor {
			m.dialog.field.area.SetHeight(editorHeight(m.height))
		}
	}
}
