package ui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
	"example.com/hone/ui/figures"
	"example.com/hone/ui/keys"
	"example.com/hone/ui/theme"
)

// doMark asks for what a person thinks of the viewed turn.
func (m *Model) doMark(a keys.Action) tea.Cmd {
	t := m.refine.turn()
	switch a {
	case keys.AcceptWhy:
		m.askWhy(fmt.Sprintf("accept turn %d after a final check", t.Number), agent.Command{Action: agent.ActionAccept, Turn: t.Number})
	case keys.Pin:
		title := pick(t.Pinned, "let go of turn %d: the best is the one to beat again", "pin turn %d as the one to beat")
		m.askWhy(fmt.Sprintf(title, t.Number), agent.Command{Action: agent.ActionPin, Turn: t.Number})
	case keys.Rate:
		m.rate(t)
	case keys.Note:
		m.askNote(t)
	}
	return nil
}

// askWhy asks for a reason that may be empty.
func (m *Model) askWhy(title string, c agent.Command) {
	m.askText(title, "why? (may be empty)", 2, func(text string) tea.Cmd {
		c.Text = text
		if c.Action == agent.ActionAccept {
			m.refine.checking = c.Turn
		}
		return m.send(c)
	})
}

func (m *Model) rate(t *agent.Turn) {
	title := fmt.Sprintf("rate turn %d", t.Number)
	if t.Rating > 0 {
		title += fmt.Sprintf(", now %d of %d", t.Rating, agent.MaxRating)
	}
	about := fmt.Sprintf("1 (poor) to %d (excellent), then why if you like: 4 short and fast", agent.MaxRating)
	m.askText(title, about, 2, func(text string) tea.Cmd {
		rating, why, err := agent.ParseRating(text)
		if err != nil {
			m.say(agent.LevelWarn, err.Error())
			return nil
		}
		return m.send(agent.Command{Action: agent.ActionRate, Turn: t.Number, Rating: rating, Text: why})
	})
}

func (m *Model) askNote(t *agent.Turn) {
	m.askText(fmt.Sprintf("note on turn %d", t.Number), "what should be remembered? enter keeps it, ctrl+j starts a line", 4, func(text string) tea.Cmd {
		if text == "" {
			m.say(agent.LevelInfo, "no note, so nothing was kept")
			return nil
		}
		return m.send(agent.Command{Action: agent.ActionNote, Turn: t.Number, Text: text})
	})
}

// markNames are the marks of a turn in a row of the tree, the most telling first.
func markNames(th theme.Theme, k agent.Marks) []string {
	var names []string
	if k.Pinned {
		names = append(names, th.Accent.Render("pinned"))
	}
	if k.Rating > 0 {
		names = append(names, th.Text.Render(fmt.Sprintf("%d/%d", k.Rating, agent.MaxRating)))
	}
	switch n := len(k.Notes); {
	case n == 1:
		names = append(names, th.Dim.Render("note"))
	case n > 1:
		names = append(names, th.Dim.Render(figures.Plural(n, "note")))
	}
	return names
}

// marks says in the verdict pane what a person thinks of the turn.
func (v *verdictView) marks(k agent.Marks) {
	if !k.Pinned && k.Rating == 0 && len(k.Notes) == 0 {
		return
	}
	v.blank()
	if k.Pinned {
		v.text(v.Accent, 1, v.Glyphs.Pointer+" pinned: new kernels are timed beside this one")
	}
	if k.Rating > 0 {
		v.text(v.Text, 1, fmt.Sprintf("  rated %d of %d", k.Rating, agent.MaxRating))
	}
	for _, note := range k.Notes {
		v.text(v.Dim, 1, "  note")
		v.text(v.Text, 3, note)
	}
}

// describeMark says an action that marks a turn, "" for any other.
func describeMark(d *agent.HumanActed) string {
	text := ""
	switch d.Action {
	case agent.ActionPin:
		text = pick(d.After == "", "you let it go: the best is the one to beat", "you made it the one to beat")
	case agent.ActionRate:
		text = fmt.Sprintf("you rated it %d of %d", d.Rating, agent.MaxRating)
	case agent.ActionNote:
		text = "your note"
	default:
		return ""
	}
	return strings.TrimSuffix(text+": "+d.Text, ": ")
}

// refuseMarks says which marks a turn cannot be given.
func refuseMarks(refuse func(keys.Action, bool, string), t *agent.Turn) {
	for _, a := range []keys.Action{keys.Pin, keys.Rate, keys.Note} {
		refuse(a, t == nil, "there is no turn yet")
	}
	refuse(keys.Pin, t != nil && (t.Verdict == nil || !t.Verdict.Outcome.Correct()), "only a correct kernel can be the one to beat")
	refuse(keys.Rate, t != nil && t.End == nil, "only a turn that has ended can be rated")
}
