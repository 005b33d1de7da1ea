package ui

import (
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
)

// goOn asks how many turns to take without being asked, on top of the viewed one.
func (m *Model) goOn() tea.Cmd {
	turn := m.refine.number()
	hint := fmt.Sprintf("how many turns? enter: %d; 4x3: 4 turns of 3 samples, each on the best", agent.UsualTurns)
	m.askText("let the model go on alone", hint, 1, func(text string) tea.Cmd {
		plan, ok := parsePlan(text)
		if !ok {
			m.say(agent.LevelWarn, fmt.Sprintf("%q is no number of turns, such as 4 or 4x3: nothing was asked", strings.TrimSpace(text)))
			return nil
		}
		return m.send(agent.Command{Action: agent.ActionAuto, Turn: turn, Plan: plan})
	})
	return nil
}

// parsePlan reads "4", "4x3" or nothing.
func parsePlan(text string) (agent.Plan, bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return agent.Plan{Turns: agent.UsualTurns}, true
	}
	turns, samples, many := strings.Cut(text, "x")
	p := agent.Plan{}
	var err error
	if p.Turns, err = strconv.Atoi(strings.TrimSpace(turns)); err != nil || p.Turns < 1 {
		return p, false
	}
	if many {
		if p.Samples, err = strconv.Atoi(strings.TrimSpace(samples)); err != nil || p.Samples < 1 {
			return p, false
		}
	}
	return p, true
}
