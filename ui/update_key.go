package ui

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
	"example.com/hone/ui/keys"
)

// toast is one line in place of the action bar, until the next key.
type toast struct {
	level agent.Level
	text  string
}

// arming remembers the first of two presses.
type arming struct {
	action keys.Action
	until  time.Time
}

// typed handles the keys of one message: what is typed fast, or over a slow line,
// arrives as one.
func (m *Model) typed(k tea.KeyMsg) tea.Cmd {
	if k.Type != tea.KeyRunes || k.Paste || len(k.Runes) < 2 {
		return m.key(k)
	}
	var commands []tea.Cmd
	for _, r := range k.Runes {
		one := k
		one.Runes = []rune{r}
		commands = append(commands, m.key(one))
	}
	return tea.Batch(commands...)
}

// key handles one key: the dialog on top takes it, else help, else the screen.
// A key without a meaning does nothing.
func (m *Model) key(k tea.KeyMsg) tea.Cmd {
	m.toast = toast{}
	switch {
	case m.dialog != nil:
		return m.dialogKey(k)
	case m.help != nil:
		return m.helpKey(k)
	case k.Paste:
		return nil
	}
	action, ok := keys.Lookup(m.screen, k.String())
	if !ok {
		return nil
	}
	if why := m.refusals()[action]; why != "" {
		m.say(agent.LevelWarn, why)
		return nil
	}
	if cmd, done := m.doAnywhere(action); done {
		return cmd
	}
	switch m.screen {
	case keys.Browse:
		return m.doBrowse(action)
	case keys.Diff:
		return m.doDiff(action)
	case keys.Runs:
		return m.doRuns(action)
	}
	return m.doRefine(action)
}

func (m *Model) say(level agent.Level, text string) { m.toast = toast{level, oneLine(text)} }

// doAnywhere does the actions that mean the same on every screen.
func (m *Model) doAnywhere(a keys.Action) (tea.Cmd, bool) {
	switch a {
	case keys.Keys:
		m.help = &help{screen: m.screen}
	case keys.Interrupt:
		return m.interrupt(), true
	case keys.Suspend:
		return tea.Suspend, true
	case keys.Redraw:
		return tea.ClearScreen, true
	case keys.Mouse:
		return m.toggleMouse(), true
	default:
		return nil, false
	}
	return nil, true
}

func (m *Model) toggleMouse() tea.Cmd {
	m.freeMouse = !m.freeMouse
	if m.freeMouse {
		m.say(agent.LevelInfo, "the mouse is the terminal's: select text as usual, m takes it back")
	} else {
		m.say(agent.LevelInfo, "the mouse scrolls panes again")
	}
	return m.mouseMode()
}

// mouseMode asks for mouse events again, which an editor or a suspended program
// has switched off.
func (m *Model) mouseMode() tea.Cmd {
	if m.freeMouse {
		return tea.DisableMouse
	}
	return tea.EnableMouseCellMotion
}

// interrupt is ctrl+c: it stops what runs, else quits, if it is pressed twice.
// While sessions are being closed it quits at once.
func (m *Model) interrupt() tea.Cmd {
	switch {
	case m.quitting:
		return tea.Quit
	case m.screen != keys.Browse && m.refine != nil && m.refine.live != nil && m.refine.running():
		return m.stop("ctrl+c")
	case m.twice(keys.Interrupt):
		return m.quit()
	}
	m.say(agent.LevelWarn, "press ctrl+c again to quit")
	return m.after(armed, disarmMsg{})
}

// twice reports whether an action was asked for shortly before as well.
func (m *Model) twice(a keys.Action) bool {
	now := m.Clock()
	if m.armed.action == a && now.Before(m.armed.until) {
		m.armed = arming{}
		return true
	}
	m.armed = arming{a, now.Add(armed)}
	return false
}

// stop stops the running turn when it is asked for twice.
func (m *Model) stop(key string) tea.Cmd {
	r := m.refine
	if m.twice(keys.Stop) {
		r.live.Send(agent.Command{Action: agent.ActionStop, Shown: r.shown})
		m.say(agent.LevelInfo, "stopping")
		return nil
	}
	what := fmt.Sprintf("turn %d", r.state.Running)
	if r.state.Running == 0 {
		what = "the final check"
	}
	m.say(agent.LevelWarn, fmt.Sprintf("press %s again to stop %s", key, what))
	return m.after(armed, disarmMsg{})
}

func (m *Model) disarmed() tea.Cmd {
	if m.armed.action != "" && !m.Clock().Before(m.armed.until) {
		m.armed, m.toast = arming{}, toast{}
	}
	return nil
}
