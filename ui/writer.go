package ui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
)

// Profile is a model that a session may go over to.
type Profile struct {
	Name     string // as the configuration calls it
	Model    string
	Endpoint string // its host; empty for the scripted model
}

// about is what a row of the choice says beside the name.
func (p Profile) about() string {
	if p.Endpoint == "" {
		return p.Model + " (scripted)"
	}
	return p.Model + " at " + p.Endpoint
}

// askModel asks who is to write from the next turn on.
func (m *Model) askModel() tea.Cmd {
	now := m.refine.state.Session.Profile
	options, marked := make([]option, len(m.Profiles)), 0
	for i, p := range m.Profiles {
		options[i] = option{p.Name, p.about()}
		if p.Name == now {
			options[i].about, marked = options[i].about+", now", i
		}
	}
	m.askChoice("who writes from the next turn on?", newChoice(options, marked), func(name string) tea.Cmd {
		if name == "" || name == now {
			m.say(agent.LevelInfo, fmt.Sprintf("the model stays as it is: %s", now))
			return nil
		}
		return m.send(agent.Command{Action: agent.ActionModel, Text: name})
	})
	return nil
}
