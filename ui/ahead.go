package ui

import (
	"fmt"

	"example.com/hone/agent"
	"example.com/hone/agent/prompt"
)

// ahead is the prompt pane while it shows what would be asked next. The session
// writes that prompt when it is asked to.
type ahead struct {
	shown bool
	asked bool // for the turn of, since it was shown
	of    int  // the turn that it goes on from
	draft *agent.PromptDrafted
	text  paper // of draft
}

func (a *ahead) close() { *a = ahead{} }

// settleAhead asks the session for the prompt that goes on from the viewed turn,
// once, and lays out what it wrote.
func (m *Model) settleAhead(w int) {
	r := m.refine
	a := &r.ahead
	if !a.asked || a.of != r.number() {
		*a = ahead{shown: true, asked: true, of: r.number()}
		r.live.Send(agent.Command{Action: agent.ActionPrompt, Turn: a.of})
	}
	a.text.fit(w)
	if d := r.state.Draft; d != nil && d != a.draft && d.Parent == a.of {
		a.draft, a.text = d, paper{width: w}
		writeMessages(&a.text, d.Prompt.Messages)
	}
}

func writeMessages(p *paper, messages []prompt.Message) {
	for _, message := range messages {
		p.write(message.Role + ":\n\n" + message.Content + "\n\n")
	}
}

// prompts goes on from what the turn was asked to what would be asked next, and
// from there back to the kernel.
func (m *Model) prompts() {
	r := m.refine
	t := r.turn()
	sent := t != nil && t.Prompt != nil
	switch {
	case r.focus != panePrompt && sent:
		r.ahead.close()
		m.focus(panePrompt)
	case !r.ahead.shown && r.idleReason() == "":
		r.ahead = ahead{shown: true}
		r.scrolls[panePrompt] = &scroll{}
		m.focus(panePrompt)
	default:
		r.ahead.close()
		m.focus(paneKernel)
	}
}

// editing is the prompt that the edit key is about, nil where it is about the
// kernel.
func (r *refine) editing() *agent.PromptDrafted {
	if r.focus != panePrompt || !r.ahead.shown {
		return nil
	}
	return r.ahead.draft
}

// aheadNotes are those of the pane's title.
func (r *refine) aheadNotes() []string {
	notes := []string{r.theme.Accent.Render("not sent yet")}
	if d := r.ahead.draft; d != nil {
		about := fmt.Sprintf("%d tokens", d.Prompt.Tokens)
		if n := len(d.Prompt.DroppedTurns); n > 0 {
			about += fmt.Sprintf(", %d left out", n)
		}
		notes = append([]string{r.theme.Dim.Render("about " + about), r.theme.Dim.Render("e edits")}, notes...)
	}
	return notes
}
