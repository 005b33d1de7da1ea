package ui

import (
	"fmt"
	"slices"

	"example.com/hone/agent"
	"example.com/hone/ui/keys"
)

// refusals says of every action that cannot be done now why not. The action bar
// dims them, help explains them, and pressing one shows the reason.
func (m *Model) refusals() map[keys.Action]string {
	off := map[keys.Action]string{}
	if m.Runs == nil || m.Load == nil {
		off[keys.History] = "nothing is recorded"
	}
	switch m.screen {
	case keys.Runs:
		for _, a := range []keys.Action{keys.PaneNext, keys.PanePrev, keys.Pane1, keys.Pane2, keys.Pane3, keys.Pane4, keys.Pane5} {
			off[a] = "the list is the only pane here"
		}
		off[keys.Copy] = "open the run to copy a kernel"
		fallthrough
	case keys.Diff:
		off[keys.Wrap] = "lines are cut here: pan with left and right"
	}
	if m.screen == keys.Refine && m.refine != nil {
		m.refuseSession(off)
		m.refuseView(off)
	}
	if m.screen == keys.Browse && len(m.browse.shown) == 0 {
		off[keys.Open] = "no task matches"
	}
	return off
}

// sessionActions change the session; viewing a stored run allows none of them.
func sessionActions() []keys.Action {
	return []keys.Action{
		keys.Next, keys.Hint, keys.Edit, keys.EditHere, keys.Retry, keys.Branch, keys.Alone, keys.Writer,
		keys.Accept, keys.AcceptWhy, keys.Reject, keys.Pin, keys.Rate, keys.Note,
	}
}

func (m *Model) refuseSession(off map[keys.Action]string) {
	r := m.refine
	t := r.turn()
	idle := r.idleReason()
	later := []keys.Action{keys.Reject, keys.Pin, keys.Rate, keys.Note, keys.Writer} // not of what runs
	for _, a := range sessionActions() {
		if idle != "" && !(slices.Contains(later, a) && r.running() && r.readOnlyReason() == "") {
			off[a] = idle
		}
	}
	refuse := func(a keys.Action, when bool, why string) {
		if when && off[a] == "" {
			off[a] = why
		}
	}
	refuse(keys.Writer, len(m.Profiles) < 2, "no other model is configured: add [models.NAME] with base_url and model")
	refuse(keys.Stop, !r.running(), "nothing is running")
	for _, a := range []keys.Action{keys.Edit, keys.EditHere} {
		refuse(a, r.editing() == nil && (t == nil || t.Kernel() == "") && !r.declares(), "the signature of a kernel is not known yet: the reference is being run")
	}
	refuse(keys.Retry, t == nil || t.Source != agent.SourceModel, "only a turn of the model can be retried")
	refuse(keys.Branch, t == nil, "there is no turn yet")
	for _, a := range []keys.Action{keys.Accept, keys.AcceptWhy} {
		refuse(a, t == nil || t.Verdict == nil || !t.Verdict.Outcome.Correct(), "only a correct kernel can be accepted")
		refuse(a, t != nil && t.Accepted, "accepted already")
	}
	refuse(keys.Reject, t == nil || t.End == nil, "only a turn that has ended can be rejected")
	refuse(keys.Reject, t != nil && t.Rejected, "rejected already")
	refuseMarks(refuse, t)
}

func (m *Model) refuseView(off map[keys.Action]string) {
	r := m.refine
	t := r.turn()
	if t == nil || r.kernelText(t) == "" {
		off[keys.Copy] = "there is no kernel to copy"
	}
	if _, why := r.diffWith(r.previous(t)); why != "" {
		off[keys.DiffPrevious] = why
	}
	if _, why := r.diffWith(r.state.Turn(r.state.Best)); why != "" {
		off[keys.DiffBest] = why
	}
	if t == nil || t.Kernel() == "" || len(r.state.Turns) < 2 {
		_, off[keys.DiffOther] = r.diffWith(nil)
	}
	if r.number() <= 1 {
		off[keys.TurnPrev] = pick(t == nil, "there is no turn yet", "this is the first turn")
	}
	if r.number() == len(r.state.Turns) {
		off[keys.TurnNext] = pick(t == nil, "there is no turn yet", "this is the newest turn")
	}
	if r.state.Best == 0 {
		off[keys.TurnBest] = "no kernel is correct yet"
	}
	if why := r.idleReason(); why != "" && (t == nil || t.Prompt == nil) {
		off[keys.Request] = pick(t == nil, why, "this turn has no prompt")
	}
}

// readOnlyReason is why the session takes no commands at all.
func (r *refine) readOnlyReason() string {
	switch {
	case r.stored:
		return "this is a stored run: open its task to go on"
	case r.opening:
		return "the session is starting"
	case r.ended || r.state.Ended != nil:
		return "the session has ended"
	}
	return ""
}

// idleReason is why the session takes no command that needs it idle.
func (r *refine) idleReason() string {
	if why := r.readOnlyReason(); why != "" {
		return why
	}
	switch {
	case r.state.Running != 0:
		return fmt.Sprintf("turn %d is running: wait, or stop it", r.state.Running)
	case r.checking != 0:
		return fmt.Sprintf("turn %d is being checked: wait, or stop it", r.checking)
	}
	return ""
}
