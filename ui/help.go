package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/ui/keys"
	"example.com/hone/ui/theme"
)

// help is the overlay of all keys of the screen below it.
type help struct {
	screen keys.Screen
	filter string
	scroll scroll
}

// drawer is the width of help where it fits beside a session that goes on.
const drawer = 62

func (h *help) view(th theme.Theme, b rows, w, height int) []string {
	note := th.Dim.Render("/ filters, esc closes")
	if h.filter != "" {
		note = th.Dim.Render("filter: ") + h.filter
	}
	window := b.draw(h.scroll.start(b, height-1), height-1)
	out := make([]string, len(window))
	for i, row := range window {
		out[i] = " " + row
	}
	title := titleRule(th, "keys: "+h.screen.String(), true, w, note)
	return append([]string{title}, fill(th, out, w, height-1)...)
}

// helpRows is the overlay's text: what kernels are judged on where that needs a
// reason, then the keys.
func (m *Model) helpRows(w int) rows {
	h := m.help
	var out rows
	if h.filter == "" {
		out = m.machine.reason(m.Theme, w-2)
	}
	return append(out, keys.Overlay(h.screen, w-2, h.filter, m.refusals(), m.Theme)...)
}

// helpKey gives a key to the open overlay.
func (m *Model) helpKey(k tea.KeyMsg) tea.Cmd {
	action, ok := keys.Lookup(keys.Help, k.String())
	if !ok {
		return nil
	}
	w, height := m.helpSize()
	b := m.helpRows(w)
	switch action {
	case keys.Close, keys.Back, keys.Keys:
		m.help = nil
	case keys.Interrupt:
		return m.interrupt()
	case keys.Filter:
		return m.filterHelp()
	default:
		m.help.scroll.move(action, b, height-1)
	}
	return nil
}

func (m *Model) filterHelp() tea.Cmd {
	h := m.help
	d := m.askText("filter keys", "type part of a key or of what it does", 1, func(text string) tea.Cmd {
		h.filter = text
		return nil
	})
	d.changed = func(text string) { h.filter, h.scroll = text, scroll{} }
	d.closed = func() { h.filter = "" }
	return nil
}

// helpSize is the size of the overlay: a drawer beside a wide screen, else all
// of the body.
func (m *Model) helpSize() (w, h int) {
	area := m.area()
	if m.width >= wideWidth {
		return drawer, area.h
	}
	return m.width, area.h
}
