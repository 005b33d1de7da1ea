package ui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
	"example.com/hone/ui/keys"
)

// drafted hands the terminal to the editor. The session goes on meanwhile: its
// events wait to be read.
func (m *Model) drafted(msg draftMsg) tea.Cmd {
	if msg.err != nil {
		m.say(agent.LevelError, msg.err.Error())
		return nil
	}
	if m.refine == nil || msg.generation != m.refine.generation {
		return nil
	}
	return editCmd(slices.Clone(m.Editor), msg, m.terminal)
}

// edited sends what the editor left: a kernel as a turn of the person's own, a
// prompt to the model.
func (m *Model) edited(msg editedMsg) tea.Cmd {
	mouse := m.mouseMode()
	r := m.refine
	switch {
	case msg.err != nil:
		m.say(agent.LevelError, msg.err.Error()+"; the "+msg.what()+" is unchanged")
	case msg.after == msg.before:
		m.say(agent.LevelInfo, "nothing was changed, so nothing is "+pick(msg.prompt, "sent: n sends it as it is", "judged"))
	case r == nil || msg.generation != r.generation || r.live == nil || r.ended:
		m.say(agent.LevelWarn, "the session ended while you edited; the edit is not "+pick(msg.prompt, "sent", "judged"))
	case msg.prompt:
		return tea.Batch(mouse, m.send(agent.Command{Action: agent.ActionSend, Turn: msg.turn, Prompt: msg.after}))
	default:
		return tea.Batch(mouse, m.send(agent.Command{Action: agent.ActionEdit, Turn: msg.turn, Kernel: msg.after}))
	}
	return mouse
}

// mouse scrolls the pane under the pointer with the wheel, and focuses the one
// that is clicked.
func (m *Model) mouse(e tea.MouseEvent) tea.Cmd {
	if m.dialog != nil || m.help != nil || m.screen != keys.Refine {
		if delta := wheel(e); delta != 0 && m.dialog == nil {
			return m.wheelElsewhere(delta)
		}
		return nil
	}
	r := m.refine
	for _, t := range r.tiles(m.area()) {
		if !t.contains(e.X, e.Y) {
			continue
		}
		if delta := wheel(e); delta != 0 {
			r.scroll(t.pane).by(delta, r.body(t.pane, t.w), r.windowHeight(t))
		} else if e.Button == tea.MouseButtonLeft && e.Action == tea.MouseActionPress {
			m.focus(t.pane)
		}
	}
	return nil
}

// wheel is the rows that a turn of the wheel scrolls.
func wheel(e tea.MouseEvent) int {
	const step = 3
	switch e.Button {
	case tea.MouseButtonWheelUp:
		return -step
	case tea.MouseButtonWheelDown:
		return step
	}
	return 0
}

// wheelElsewhere moves the cursor of a list or the rows of a diff.
func (m *Model) wheelElsewhere(delta int) tea.Cmd {
	action := pick(delta > 0, keys.Down, keys.Up)
	switch {
	case m.help != nil:
		_, h := m.helpSize()
		m.help.scroll.move(action, rows(keys.Overlay(m.help.screen, m.width, m.help.filter, nil, m.Theme)), h)
	case m.screen == keys.Browse:
		return m.doBrowse(action)
	case m.screen == keys.Runs:
		return m.doRuns(action)
	case m.screen == keys.Diff:
		return m.doDiff(action)
	}
	return nil
}
