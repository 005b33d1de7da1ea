package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"example.com/hone/agent"
	"example.com/hone/ui/keys"
)

// doRefine does an action of the session's screen that is not refused.
func (m *Model) doRefine(a keys.Action) tea.Cmd {
	r := m.refine
	switch a {
	case keys.Next:
		return m.next()
	case keys.Alone:
		return m.goOn()
	case keys.Branch:
		return m.send(agent.Command{Action: agent.ActionBranch})
	case keys.Retry:
		return m.send(agent.Command{Action: agent.ActionRetry})
	case keys.Accept:
		return m.accept()
	case keys.Writer:
		return m.askModel()
	case keys.Hint:
		return m.hint()
	case keys.Reject:
		return m.reject()
	case keys.AcceptWhy, keys.Pin, keys.Rate, keys.Note:
		return m.doMark(a)
	case keys.Edit:
		return m.edit()
	case keys.EditHere:
		return m.editHere(r.toEdit())
	case keys.Stop:
		return m.stop("x")
	case keys.Back:
		return m.leave()
	case keys.DiffPrevious:
		return m.compare(r.previous(r.turn()))
	case keys.DiffBest:
		return m.compare(r.state.Turn(r.state.Best))
	case keys.DiffOther:
		return m.askOther()
	case keys.Copy:
		return m.copyKernel()
	case keys.CopyLog:
		return m.copyLog()
	}
	return m.lookAround(a)
}

// send hands a command about the viewed turn to the session. What comes of it
// is followed from here on.
func (m *Model) send(c agent.Command) tea.Cmd {
	r := m.refine
	if c.Turn == 0 {
		c.Turn = r.number()
	}
	c.Shown, c.OnScreen = r.shown, r.watch.of(c.Turn, m.Clock())
	r.live.Send(c)
	switch c.Action {
	case agent.ActionAccept, agent.ActionReject, agent.ActionPin, agent.ActionRate, agent.ActionNote, agent.ActionModel:
	default:
		r.viewed = 0
	}
	return nil
}

// next asks for a turn on top of the viewed one: a branch, if that is not the
// newest.
func (m *Model) next() tea.Cmd {
	action := pick(m.refine.number() == m.refine.state.Current, agent.ActionNext, agent.ActionBranch)
	return m.send(agent.Command{Action: action})
}

func (m *Model) accept() tea.Cmd {
	m.refine.checking = m.refine.number()
	return m.send(agent.Command{Action: agent.ActionAccept})
}

func (m *Model) hint() tea.Cmd {
	turn := m.refine.number()
	title := "hint for the next turn"
	if turn > 0 {
		title = fmt.Sprintf("hint for the turn after turn %d", turn)
	}
	m.askText(title, "what should the model know? enter sends, ctrl+j starts a line", 4, func(text string) tea.Cmd {
		if text == "" {
			m.say(agent.LevelInfo, "no hint, so nothing was asked")
			return nil
		}
		return m.send(agent.Command{Action: agent.ActionHint, Turn: turn, Text: text})
	})
	return nil
}

func (m *Model) reject() tea.Cmd {
	turn := m.refine.number()
	m.askText(fmt.Sprintf("reject turn %d", turn), "why? (may be empty)", 2, func(text string) tea.Cmd {
		return m.send(agent.Command{Action: agent.ActionReject, Turn: turn, Text: text})
	})
	return nil
}

func (m *Model) copyKernel() tea.Cmd {
	r := m.refine
	t := r.turn()
	return copyCmd(m.ctx, m.Copy, fmt.Sprintf("kernel of turn %d", t.Number), r.kernelFile(), r.kernelText(t))
}

// copyLog copies what went wrong in the viewed turn, or else the log.
func (m *Model) copyLog() tea.Cmd {
	r := m.refine
	if t := r.turn(); t != nil && t.Verdict != nil && !t.Verdict.Outcome.Correct() {
		return copyCmd(m.ctx, m.Copy, "verdict", "verdict.txt", ansi.Strip(strings.Join(verdictRows(r.theme, t, false, 100), "\n"))+"\n")
	}
	var b strings.Builder
	for _, row := range (logBody{r.theme, &r.log}).draw(0, len(r.log.entries)) {
		b.WriteString(ansi.Strip(row) + "\n")
	}
	return copyCmd(m.ctx, m.Copy, "log", "log.txt", b.String())
}

// lookAround does the actions that change only what is on screen.
func (m *Model) lookAround(a keys.Action) tea.Cmd {
	r := m.refine
	switch a {
	case keys.TurnPrev:
		r.step(-1, m.Clock())
	case keys.TurnNext:
		r.step(1, m.Clock())
	case keys.TurnBest:
		r.look(r.state.Best, m.Clock())
	case keys.TurnNewest:
		r.look(0, m.Clock())
	case keys.Pane1, keys.Pane2, keys.Pane3, keys.Pane4, keys.Pane5:
		m.focus(numberedPanes()[int(a[len(a)-1]-'1')])
	case keys.PaneNext:
		m.cycle(1)
	case keys.PanePrev:
		m.cycle(-1)
	case keys.Log:
		m.focus(pick(r.focus == paneLog, paneKernel, paneLog))
	case keys.Request:
		m.prompts()
	case keys.Thoughts:
		r.thoughts = !r.thoughts
		m.focus(pick(r.thoughts, paneReply, paneKernel))
	case keys.Zoom:
		r.zoom = !r.zoom
	case keys.Wrap:
		r.wrap = !r.wrap
	case keys.Follow:
		r.scroll(r.focus).end()
	case keys.Close:
		r.zoom, r.found = false, match{}
	case keys.Open:
		m.enter()
	case keys.Search:
		m.search()
	case keys.MatchNext:
		m.findNext(1)
	case keys.MatchPrev:
		m.findNext(-1)
	default:
		m.moveIn(r.focus, a)
	}
	return nil
}

// focus gives a pane the keys, and the main column if it is not on screen.
func (m *Model) focus(p pane) {
	r := m.refine
	r.focus = p
	if !slices.ContainsFunc(r.tiles(m.area()), func(t tile) bool { return t.pane == p }) {
		r.main = p
	}
}

// cycle focuses the next pane on screen, or the next tab where there is one pane.
func (m *Model) cycle(step int) {
	r := m.refine
	var panes []pane
	for _, t := range r.tiles(m.area()) {
		panes = append(panes, t.pane)
	}
	if len(panes) == 1 {
		panes = numberedPanes()
	}
	at := slices.Index(panes, r.focus)
	m.focus(panes[(at+step+len(panes))%len(panes)])
}

// enter goes from a verdict to the line it is about, and from a turn to its
// kernel.
func (m *Model) enter() {
	r := m.refine
	t := r.turn()
	if t == nil || r.focus != paneVerdict && r.focus != paneTurns {
		return
	}
	line := firstError(t)
	m.focus(paneKernel)
	if tl, ok := m.tileOf(paneKernel); ok && line > 0 {
		r.scroll(paneKernel).reveal(line-1, r.body(paneKernel, tl.w), r.windowHeight(tl))
	}
}

// moveIn moves in a pane. In the list of turns the cursor is the turn on screen.
func (m *Model) moveIn(p pane, a keys.Action) {
	r := m.refine
	tl, ok := m.tileOf(p)
	if !ok {
		return
	}
	if p == paneTurns && m.moveTurn(a) {
		return
	}
	r.scroll(p).move(a, r.body(p, tl.w), r.windowHeight(tl))
}

// moveTurn views the turn above or below in the tree.
func (m *Model) moveTurn(a keys.Action) bool {
	r := m.refine
	step := map[keys.Action]int{keys.Down: 1, keys.Up: -1}[a]
	if step == 0 {
		return false
	}
	tree := growTree(r.state.Turns)
	at := slices.IndexFunc(tree, func(b branch) bool { return b.turn.Number == r.number() })
	if at += step; at >= 0 && at < len(tree) {
		r.look(tree[at].turn.Number, m.Clock())
	}
	return true
}

func (m *Model) tileOf(p pane) (tile, bool) {
	for _, t := range m.refine.tiles(m.area()) {
		if t.pane == p {
			return t, true
		}
	}
	return tile{}, false
}

// windowHeight is the rows of a tile that show its body.
func (r *refine) windowHeight(t tile) int { return max(0, t.h-1-len(r.strip(t))) }
