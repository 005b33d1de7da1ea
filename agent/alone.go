package agent

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
)

// advance starts the turns that the plan wants now.
func (s *Session) advance(ctx context.Context) {
	if s.plan == nil || s.ending != "" {
		return
	}
	next := s.plan.Next(&s.state, s.recalled)
	for _, start := range next {
		if s.opts.Parallel > 0 && len(s.jobs) >= s.opts.Parallel {
			return
		}
		if why := s.opts.Allowance.Take(); why != "" {
			s.spent(why)
			return
		}
		s.begin(ctx, s.ask(start))
	}
	if len(s.jobs) == 0 {
		s.planned()
	}
}

// planned ends a plan that wants no more turns. Where it would want some that came
// to nothing taken again, it has not come to its end: they failed for no fault of
// their kernels, and another at once would most likely meet the same.
func (s *Session) planned() {
	failed := len(s.plan.Next(&s.state, len(s.state.Turns))) > 0
	s.plan = nil
	if failed && s.opts.Unattended {
		s.ending = cmp.Or(s.ending, "error")
	}
}

// spent ends a plan for which there is no more allowance.
func (s *Session) spent(why string) {
	s.plan = nil
	next := "ask for one, or start again with more"
	if s.opts.Unattended {
		next = "start again with more" // nobody is there to ask
	}
	text := fmt.Sprintf("the %s is used up, so no more turns are taken: %s", strings.ReplaceAll(why, "_", " "), next)
	s.emit(0, KindNoticed, &Noticed{Level: LevelWarn, Text: text, Budget: why})
	if s.opts.Unattended {
		s.ending = cmp.Or(s.ending, why)
	}
}

// recall takes up the session that the history tells of.
func (s *Session) recall() {
	for _, e := range s.opts.History {
		s.state.Apply(e)
		s.seq = max(s.seq, e.Seq)
	}
	s.recalled = len(s.state.Turns)
	if s.seq > 0 {
		s.opts.Start = s.state.Session
	}
}

// begins is when the session would have begun that has run as long as its
// history and begins to run again now.
func (s *Session) begins() time.Time {
	now := s.opts.Clock()
	if n := len(s.opts.History); n > 0 {
		return now.Add(-s.opts.History[n-1].Mono)
	}
	return now
}
