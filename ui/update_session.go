package ui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
	"example.com/hone/tasks"
	"example.com/hone/ui/keys"
)

// open starts a session on a task and shows it at once.
func (m *Model) open(t tasks.Task) tea.Cmd {
	m.generation++
	m.refine = newRefine(m.Theme, m.generation, t.Title)
	m.refine.opening = true
	m.refine.pin(agent.Pin(t))
	m.screen = keys.Refine
	return tea.Batch(
		openCmd(m.ctx, m.Open, t, m.generation),
		colourTaskCmd(m.Theme, m.refine.state.Task, m.generation),
	)
}

// opened takes the session that was asked for. One that nobody waits for any
// more is ended again.
func (m *Model) opened(msg openedMsg) tea.Cmd {
	if msg.generation != m.generation {
		if msg.live == nil {
			return nil
		}
		m.closing++
		return closeCmd(msg.live, msg.generation)
	}
	m.refine.opening = false
	if msg.err != nil {
		m.screen = keys.Browse
		m.say(agent.LevelError, msg.err.Error())
		return nil
	}
	m.refine.live = msg.live
	return readCmd(m.ctx, msg.live, msg.generation)
}

// heard takes what a session did and listens on.
func (m *Model) heard(msg eventsMsg) tea.Cmd {
	r := m.refine
	if r == nil || msg.generation != r.generation || r.live == nil {
		return nil
	}
	declared := r.declared
	r.apply(msg.events, m.Clock())
	for _, e := range msg.events {
		m.announce(e)
	}
	m.machine.learn(r.state.Session)
	if msg.ended {
		return m.end(r)
	}
	read := readCmd(m.ctx, r.live, r.generation)
	if r.declared != declared { // running the reference has told it
		return tea.Batch(read, colourTaskCmd(m.Theme, r.state.Task, m.generation))
	}
	return read
}

// announce shows what a person has to see now. The log has everything.
func (m *Model) announce(e agent.Event) {
	switch d := e.Data.(type) {
	case *agent.Noticed:
		if d.Level != agent.LevelInfo {
			m.say(d.Level, d.Text)
		}
	case *agent.HumanActed:
		if d.Action == agent.ActionAccept {
			m.say(agent.LevelInfo, fmt.Sprintf("turn %d is accepted; q goes back to the tasks", e.Turn))
		}
	case *agent.TurnEnded:
		if m.toast.level == agent.LevelInfo {
			m.toast = toast{}
		}
	}
}

// tick asks to be woken where the screen changes with time alone: at most one
// wake-up is on its way, and none while nothing moves.
func (m *Model) tick() tea.Cmd {
	r := m.refine
	if r == nil || r.ticking || !r.moving() {
		return nil
	}
	r.ticking = true
	return m.after(tickTime, tickMsg{r.generation})
}

func (m *Model) ticked(msg tickMsg) {
	if m.refine != nil && msg.generation == m.refine.generation {
		m.refine.ticking = false
	}
}

// leave ends the session on screen and goes back to the tasks. A running turn
// is only given up after a question.
func (m *Model) leave() tea.Cmd {
	r := m.refine
	if r.live != nil && r.running() {
		m.askYes("leave while a turn runs?", []string{
			"The turn is stopped. Everything up to now stays on record.",
		}, m.leaveNow)
		return nil
	}
	return m.leaveNow()
}

func (m *Model) leaveNow() tea.Cmd {
	m.screen = pick(m.refine.stored, keys.Runs, keys.Browse)
	return tea.Batch(m.close(), m.listRuns())
}

// close ends the session on screen, if it has one that still lives.
func (m *Model) close() tea.Cmd {
	m.generation++
	if m.refine == nil {
		return nil
	}
	return m.end(m.refine)
}

// end closes a session once.
func (m *Model) end(r *refine) tea.Cmd {
	if r.live == nil || r.ended {
		return nil
	}
	r.ended = true
	m.closing++
	return closeCmd(r.live, r.generation)
}

// closed learns that a session is over and its record complete.
func (m *Model) closed(msg closedMsg) tea.Cmd {
	m.closing--
	if msg.err != nil {
		m.say(agent.LevelError, msg.err.Error())
		if m.err == nil {
			m.err = msg.err
		}
	}
	if m.quitting && m.closing == 0 {
		return tea.Quit
	}
	return m.listRuns()
}

// quit ends the program once every session is closed.
func (m *Model) quit() tea.Cmd {
	m.quitting = true
	cmd := m.close()
	if m.closing == 0 {
		return tea.Quit
	}
	m.say(agent.LevelInfo, "completing the record; ctrl+c quits at once")
	return cmd
}

// show opens a stored run.
func (m *Model) show(run string) tea.Cmd {
	m.generation++
	m.say(agent.LevelInfo, "reading run "+run)
	return loadCmd(m.ctx, m.Load, run, m.generation)
}

// loaded shows a stored run as the session that it was.
func (m *Model) loaded(msg loadedMsg) tea.Cmd {
	if msg.generation != m.generation {
		return nil
	}
	if msg.err != nil && len(msg.events) == 0 {
		m.say(agent.LevelError, msg.err.Error())
		return nil
	}
	m.toast = toast{}
	if msg.err != nil {
		m.say(agent.LevelWarn, msg.err.Error())
	}
	r := newRefine(m.Theme, m.generation, msg.run)
	r.stored = true
	r.apply(msg.events, m.Clock())
	m.refine, m.screen = r, keys.Refine
	return colourTaskCmd(m.Theme, r.state.Task, m.generation)
}

// coloured takes the colours of a text, unless it has changed since.
func (m *Model) coloured(msg colouredMsg) tea.Cmd {
	r := m.refine
	if r == nil || msg.generation != r.generation {
		return nil
	}
	if msg.turn == 0 {
		r.text = msg.task
	} else if s := r.sheet(msg.turn); s != nil {
		s.code.Recolour(msg.kernel)
	}
	return nil
}

func (m *Model) proseRendered(msg proseMsg) tea.Cmd {
	r := m.refine
	if r == nil || msg.generation != r.generation {
		return nil
	}
	if s := r.sheet(msg.turn); s != nil {
		s.markdown, s.rendered = msg.rows, msg.width
	}
	return nil
}

func (m *Model) copied(msg copiedMsg) tea.Cmd {
	if msg.err != nil {
		m.say(agent.LevelError, msg.err.Error())
		return nil
	}
	m.say(agent.LevelInfo, fmt.Sprintf("%s: %s", msg.what, msg.route))
	return nil
}
