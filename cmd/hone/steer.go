package main

import (
	"bufio"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"example.com/hone/agent"
)

// steering hands the lines of standard input to a session one at a time: the
// next only once the one before has had its effect, so that a script can be
// piped in whole. From a terminal, stop and quit do not wait.
type steering struct {
	state   *agent.State // of the session, up to the event that is heard
	plan    *agent.Plan  // of the turns that are taken without being asked, nil once there are no more
	asked   bool         // a command that opens a turn was sent, and nothing has come of it yet
	answer  agent.Action // what must be answered first though it opens no turn, "" for none
	seen    sight
	session interface{ Send(agent.Command) }
}

// idle reports whether the next command may be sent.
func (s *steering) idle() bool {
	return s.plan == nil && !s.asked && s.answer == "" && s.state.Running == 0
}

func (s *steering) send(c agent.Command) {
	switch c.Action {
	case agent.ActionAccept, agent.ActionReject, agent.ActionPrompt, agent.ActionModel, agent.ActionPin, agent.ActionRate, agent.ActionNote:
		s.answer = c.Action
	case agent.ActionNext, agent.ActionHint, agent.ActionRetry, agent.ActionBranch, agent.ActionEdit, agent.ActionSend, agent.ActionAuto:
		s.asked = true
	}
	c.Shown = s.seen.of(c)
	s.session.Send(c)
}

// heard notes what an event answers.
func (s *steering) heard(e agent.Event) {
	s.seen.heard(e)
	switch d := e.Data.(type) {
	case *agent.TurnStarted:
		s.asked = false
	case *agent.TurnEnded:
		if d.Outcome == agent.OutcomeStopped {
			s.plan = nil
		}
	case *agent.PromptDrafted:
		s.answered(agent.ActionPrompt)
	case *agent.HumanActed:
		s.answered(d.Action)
		switch {
		case d.Plan != nil:
			s.plan, s.asked = d.Plan, false
		case d.Action == agent.ActionStop:
			s.plan = nil // also where the turn came to its own end before it heard
		}
	case *agent.Noticed:
		s.noticed(d)
	}
	if s.plan != nil && s.state.Running == 0 && len(s.plan.Next(s.state, 0)) == 0 {
		s.plan = nil
	}
}

func (s *steering) answered(a agent.Action) {
	if a == s.answer {
		s.answer = ""
	}
}

// noticed takes a warning or an error for the answer to an accept that failed and
// to a command that was refused.
func (s *steering) noticed(d *agent.Noticed) {
	if d.Budget != "" {
		s.plan = nil
	}
	if d.Level == agent.LevelInfo {
		return
	}
	s.answer = ""
	if s.state.Running == 0 {
		s.asked = false
	}
}

// readCommands parses standard input line by line until it or done ends.
func (a *app) readCommands(session interface{ Send(agent.Command) }, done <-chan struct{}) <-chan agent.Command {
	commands := make(chan agent.Command)
	go func() {
		defer close(commands)
		input := bufio.NewScanner(a.in)
		for input.Scan() {
			if strings.TrimSpace(input.Text()) == "" {
				continue
			}
			c, err := a.parseCommand(input.Text())
			switch {
			case err != nil:
				a.say("%v", err)
				continue
			case a.inTTY && (c.Action == agent.ActionStop || c.Action == agent.ActionQuit):
				session.Send(c)
				continue
			}
			select {
			case commands <- c:
			case <-done:
				return
			}
		}
	}()
	return commands
}

// parsePlan reads how many turns to take and, after it, how many samples of each.
func parsePlan(text string) (agent.Plan, error) {
	var p agent.Plan
	words := strings.Fields(text)
	for i, target := range []*int{&p.Turns, &p.Samples} {
		if i >= len(words) {
			break
		}
		n, err := strconv.Atoi(words[i])
		if err != nil || n < 1 {
			return p, fmt.Errorf("%q is no number of turns or samples", words[i])
		}
		*target = n
	}
	if len(words) < 1 || len(words) > 2 {
		return p, errors.New("want how many turns, and perhaps how many samples of each")
	}
	return p, nil
}

// parseCommand reads one line such as "hint use shared memory" or "note @3 spills".
func (a *app) parseCommand(line string) (agent.Command, error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	turn, rest, err := about(strings.TrimSpace(rest))
	c := agent.Command{Action: agent.Action(word), Turn: turn}
	if err != nil {
		return c, usageError{fmt.Sprintf("%s: %v", word, err)}
	}
	switch c.Action {
	case agent.ActionNext, agent.ActionStop, agent.ActionQuit:
	case agent.ActionHint, agent.ActionReject, agent.ActionPrompt, agent.ActionModel, agent.ActionNote:
		c.Text = rest
	case agent.ActionSend:
		c.Prompt, err = readFile(rest, "prompt", "a file with the edited prompt")
	case agent.ActionRate:
		c.Rating, c.Text, err = agent.ParseRating(rest)
	case agent.ActionAccept, agent.ActionPin, agent.ActionRetry, agent.ActionBranch:
		err = numbered(&c, rest)
	case agent.ActionEdit:
		c.Kernel, err = a.readKernel(rest)
	case agent.ActionAuto:
		c.Plan, err = parsePlan(rest)
	default:
		return c, usageError{fmt.Sprintf("no command %q, only: %s", word, commandWords)}
	}
	if err != nil {
		return c, usageError{fmt.Sprintf("%s: %v", word, err)}
	}
	return c, nil
}
