package agent

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/hone/agent/prompt"
)

// obey does what a person asks, or says by a notice why it cannot be done.
func (s *Session) obey(ctx context.Context, c Command) {
	if s.ending != "" {
		return
	}
	if c.Turn == 0 {
		c.Turn = s.state.Current
	}
	if why := s.refusal(c); why != "" {
		s.notice(c.Turn, LevelWarn, why)
		return
	}
	acted := s.decision(c)
	switch c.Action {
	case ActionQuit:
		s.quit()
	case ActionStop:
		s.stop(acted)
	case ActionModel:
		s.choose(acted)
	case ActionAccept:
		s.check(ctx, c.Turn, acted)
	case ActionEdit:
		s.edit(ctx, c, acted)
	case ActionAuto:
		s.goOn(c, acted)
	case ActionPrompt:
		s.draft(c)
	case ActionSend:
		s.send(ctx, c, acted)
	case ActionRetry:
		s.emit(c.Turn, KindHumanActed, acted)
		s.retry(ctx, s.state.Turn(c.Turn))
	case ActionNext, ActionBranch, ActionHint:
		s.emit(c.Turn, KindHumanActed, acted)
		s.asked(ctx, s.ask(TurnStarted{
			Parent: c.Turn, Reason: reason(c, s.state.Current), Hint: c.Text, Sample: s.sample(c.Turn),
		}))
	default:
		s.emit(c.Turn, KindHumanActed, acted)
	}
}

// decision is a command as the record keeps it.
func (s *Session) decision(c Command) *HumanActed {
	now := stamp(s.opts.Clock())
	acted := &HumanActed{
		Action: c.Action, Text: c.Text, ShownAt: shown(c.Shown), DecidedAt: now, OnScreen: onScreen(c, now),
	}
	s.compare(c, acted)
	return acted
}

// refusal says why a command cannot be done now, "" if it can.
func (s *Session) refusal(c Command) string {
	t := s.state.Turn(c.Turn)
	switch {
	case c.Action == ActionQuit:
		return ""
	case c.Action == ActionStop:
		return unless(len(s.jobs) > 0, "nothing is running, so there is nothing to stop")
	case c.Action == ActionModel:
		return s.refuseModel(c.Text)
	case len(s.jobs) > 0 && !c.Action.duringTurns():
		return fmt.Sprintf("turn %d is still being worked on: wait for it, or stop it first", s.working())
	case t == nil && c.Turn != 0:
		return fmt.Sprintf("there is no turn %d: the newest is turn %d", c.Turn, len(s.state.Turns))
	}
	switch c.Action {
	case ActionNext, ActionBranch, ActionPrompt:
		return ""
	case ActionAuto:
		return unless(c.Plan.Turns > 0, "no turns were asked for: say how many, such as 4")
	case ActionSend:
		return refuseSend(c.Prompt)
	case ActionHint:
		said := strings.TrimSpace(c.Text) != ""
		return unless(said, "the hint is empty: write what the model should know")
	case ActionRetry:
		asked := t != nil && t.Source == SourceModel
		return unless(asked, "only a turn of the model can be retried: choose one, or ask for the next")
	case ActionEdit:
		return refuseEdit(t, c.Kernel)
	case ActionAccept:
		return refuseAccept(t)
	case ActionReject:
		return unless(t != nil && t.End != nil, "only a turn that has ended can be rejected")
	case ActionPin, ActionRate, ActionNote:
		return refuseMark(t, c)
	}
	return fmt.Sprintf("there is no action %q", c.Action)
}

func (s *Session) refuseModel(profile string) string {
	switch {
	case s.opts.Choose == nil:
		return "this session has one model: start another session to ask another"
	case strings.TrimSpace(profile) == "":
		return "no model profile is named: say which"
	}
	return ""
}

func refuseEdit(t *Turn, kernel string) string {
	switch {
	case strings.TrimSpace(kernel) == "":
		return "the edited kernel is empty, so nothing was evaluated"
	case !utf8.ValidString(kernel):
		return "the edited kernel is not UTF-8 text: save it as UTF-8 and edit again"
	case t != nil && t.Kernel() == kernel:
		return fmt.Sprintf("the kernel of turn %d was not changed, so nothing was evaluated", t.Number)
	}
	return ""
}

func refuseSend(text string) string {
	if !utf8.ValidString(text) {
		return "the edited prompt is not UTF-8 text: save it as UTF-8 and edit again"
	}
	messages, err := prompt.Parse(text)
	if err != nil {
		return fmt.Sprintf("the edited prompt was not sent: %v", err)
	}
	last := messages[len(messages)-1]
	said := last.Role == "user" && strings.TrimSpace(last.Content) != ""
	return unless(said, "the edited prompt does not end with words of the user, so it was not sent")
}

func refuseAccept(t *Turn) string {
	switch {
	case t == nil:
		return "there is no turn to accept yet"
	case t.Accepted:
		return fmt.Sprintf("turn %d is accepted already", t.Number)
	case t.Verdict == nil || !t.Verdict.Outcome.Correct():
		return fmt.Sprintf("turn %d cannot be accepted: its kernel did not pass every check", t.Number)
	}
	return ""
}

// stop ends what runs, and the turns that were to follow by themselves.
func (s *Session) stop(acted *HumanActed) {
	s.emit(s.working(), KindHumanActed, acted)
	s.plan = nil
	s.cancel()
}

// goOn takes turns by itself from here.
func (s *Session) goOn(c Command, acted *HumanActed) {
	plan := c.Plan
	plan.From, plan.After = c.Turn, len(s.state.Turns)
	s.plan, acted.Plan = &plan, &plan
	s.emit(c.Turn, KindHumanActed, acted)
}

// choose has another model asked from the next turn on. A turn that runs keeps
// the one it began with.
func (s *Session) choose(acted *HumanActed) {
	chosen, err := s.opts.Choose(acted.Text)
	if err != nil {
		s.notice(0, LevelWarn, "the model stays as it is: "+line(err))
		return
	}
	s.opts.Model, s.opts.Price, s.opts.Budget = chosen.Model, chosen.Price, chosen.Budget
	asked := chosen.Model.Describe()
	s.emit(0, KindHumanActed, acted)
	s.emit(0, KindModelChanged, &ModelChanged{
		Profile: chosen.Profile, Model: asked.Model, Endpoint: hostOnly(asked.Endpoint), Scripted: chosen.Scripted,
	})
}

// check starts the final check of a turn; decide ends it.
func (s *Session) check(ctx context.Context, number int, acted *HumanActed) {
	req := s.request(number)
	req.Kernel, req.Accept = s.state.Turn(number).Kernel(), true
	s.notice(number, LevelInfo, fmt.Sprintf("final check of turn %d: fresh inputs, and sizes it has not seen", number))
	s.launch(ctx, &job{turn: number, accept: acted}, func(ctx context.Context, emit emitter) (Kind, any) {
		return KindEvaluated, evaluate(ctx, s.opts.Evaluator, req, emit)
	})
}

// decide accepts a turn if its final check passed.
func (s *Session) decide(number int, d *Evaluated, acted *HumanActed) {
	switch {
	case d.Verdict == nil:
		s.notice(number, LevelError, fmt.Sprintf("turn %d is not accepted: the final check came to no result (%s)", number, d.Error))
	case !d.Verdict.Outcome.Correct():
		s.notice(number, LevelWarn, fmt.Sprintf("turn %d is not accepted: in the final check, %s", number, d.Verdict.Summary))
	default:
		s.emit(number, KindHumanActed, acted)
	}
}

// unless is text, or "" if ok.
func unless(ok bool, text string) string {
	if ok {
		return ""
	}
	return text
}

// shown is when what a person decided on came on screen, nil if unknown.
func shown(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = stamp(t)
	return &t
}

// reason is why the turn starts that c asks for.
func reason(c Command, current int) Action {
	if c.Action == ActionBranch || c.Turn != current {
		return ActionBranch
	}
	return ActionNext
}
