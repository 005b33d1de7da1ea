package ui

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
	"example.com/hone/agent/canary"
)

// drift is whether a session's model still writes as usual. Nothing of it is in the
// record: it follows from what is there.
type drift struct {
	taken   int             // turns handed to be measured, from the first on
	samples []canary.Sample // of the session
	asked   string          // the model that earlier is of, or will be
	waiting bool            // for earlier: nothing is compared meanwhile
	earlier []canary.Sample
	drifts  []canary.Drift
}

// samplesMsg: turns of a session were measured.
type samplesMsg struct {
	generation int
	samples    []canary.Sample
}

// earlierMsg: what a model showed before; nothing where that cannot be read.
type earlierMsg struct {
	generation int
	model      string
	samples    []canary.Sample
}

// observe measures the turns that have ended, and asks for the record of the model
// that wrote the newest, each once.
func (m *Model) observe() tea.Cmd {
	r := m.refine
	if r == nil {
		return nil
	}
	var commands []tea.Cmd
	if turns := r.untaken(); len(turns) > 0 {
		r.drift.taken += len(turns)
		commands = append(commands, measureCmd(r.state.Session.Model, r.state.ID, turns, m.Usual, r.generation))
	}
	model := canary.Writer(r.state.Session.Model, r.state.Turn(len(r.state.Turns)))
	if m.Earlier != nil && model != "" && model != r.drift.asked {
		r.drift.asked, r.drift.waiting = model, true
		commands = append(commands, earlierCmd(m.ctx, m.Earlier, r.state.ID, model, r.generation))
	}
	return tea.Batch(commands...)
}

// untaken are copies of the turns that have ended since they were last taken.
func (r *refine) untaken() []agent.Turn {
	var turns []agent.Turn
	for _, t := range r.state.Turns[r.drift.taken:] {
		if t.End == nil {
			break
		}
		turns = append(turns, *t)
	}
	return turns
}

// measureCmd measures turns beside the screen: a reply may be megabytes long.
func measureCmd(model, session string, turns []agent.Turn, usual canary.Usual, generation int) tea.Cmd {
	return func() tea.Msg {
		msg := samplesMsg{generation: generation}
		for _, t := range turns {
			if s, ok := canary.Take(model, session, t, usual); ok {
				msg.samples = append(msg.samples, s)
			}
		}
		return msg
	}
}

func earlierCmd(
	ctx context.Context, earlier func(context.Context, string, string) ([]canary.Sample, error), run, model string, generation int,
) tea.Cmd {
	return func() tea.Msg {
		samples, err := earlier(ctx, run, model)
		if err != nil {
			samples = nil // the session's own start serves as well
		}
		return earlierMsg{generation, model, samples}
	}
}

func (m *Model) sampled(msg samplesMsg) {
	r := m.refine
	if r == nil || msg.generation != r.generation {
		return
	}
	r.drift.samples = append(r.drift.samples, msg.samples...)
	slices.SortFunc(r.drift.samples, func(a, b canary.Sample) int { return a.Turn - b.Turn }) // commands may overtake
	r.compare()
}

func (m *Model) remembered(msg earlierMsg) {
	r := m.refine
	if r == nil || msg.generation != r.generation || msg.model != r.drift.asked {
		return
	}
	r.drift.earlier, r.drift.waiting = msg.samples, false
	r.compare()
}

// compare finds what drifts now, and tells the log of what did not before.
func (r *refine) compare() {
	if r.drift.waiting {
		return
	}
	before := r.drifting()
	r.drift.drifts = canary.Drifts(r.drift.samples, r.drift.earlier)
	for _, d := range r.drift.drifts {
		if slices.Contains(before, d.Measure) {
			continue
		}
		last := r.drift.samples[len(r.drift.samples)-1]
		r.log.add(agent.Event{
			Turn: last.Turn, Mono: r.state.Last.Sub(r.state.Started),
			Data: &agent.Noticed{Level: agent.LevelWarn, Text: d.Text},
		})
	}
}

// drifting names the measures that drift.
func (r *refine) drifting() []string {
	var names []string
	for _, d := range r.drift.drifts {
		names = append(names, d.Measure)
	}
	return names
}

// driftNote is the quiet mark; the log says how much, and against what.
func (r *refine) driftNote() string {
	if len(r.drift.drifts) == 0 {
		return ""
	}
	return r.theme.Warn.Render("drift: " + strings.Join(r.drifting(), ", "))
}
