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
	turns   int          // turns that must end before the next command
	answer  agent.Action // what must be answered first though it opens no turn, "" for none
	asked   bool         // a command that opens a turn was sent, and no turn has started since
	running int          // turns
	begun   bool         // a turn has started
	seen    sight
	session interface{ Send(agent.Command) }
}

// idle reports whether the next command may be sent.
func (s *steering) idle() bool { return s.turns == 0 && s.answer == "" }

func (s *steering) send(c agent.Command) {
	switch c.Action {
	case agent.ActionAccept, agent.ActionReject, agent.ActionPrompt, agent.ActionModel, agent.ActionPin, agent.ActionRate, agent.ActionNote:
		s.answer = c.Action
	case agent.ActionNext, agent.ActionHint, agent.ActionRetry, agent.ActionBranch, agent.ActionEdit, agent.ActionSend:
		s.turns, s.asked = 1, true
	case agent.ActionAuto:
		s.turns, s.asked = expected(c.Plan), true
	}
	c.Shown = s.seen.of(c)
	s.session.Send(c)
}

// heard notes what an event answers. A warning or error answers an accept that
// failed and a command that was refused.
func (s *steering) heard(e agent.Event) {
	s.seen.heard(e)
	switch d := e.Data.(type) {
	case *agent.TurnStarted:
		s.asked, s.begun = false, true
		s.running++
	case *agent.TurnEnded:
		s.turns, s.running = max(0, s.turns-1), max(0, s.running-1)
		if s.running == 0 && failed(d) {
			s.turns = 0 // no more are taken without being asked
		}
	case *agent.PromptDrafted:
		if s.answer == agent.ActionPrompt {
			s.answer = ""
		}
	case *agent.HumanActed:
		if d.Action == s.answer {
			s.answer = ""
		}
	case *agent.Noticed:
		if d.Level == agent.LevelInfo {
			return
		}
		s.answer = ""
		if s.running == 0 && (s.asked || s.begun) {
			s.turns, s.asked = 0, false // refused, or a budget is used up
		}
	}
}

// failed reports whether a turn ended for no fault of its kernel, or was stopped.
func failed(d *agent.TurnEnded) bool {
	switch d.Outcome {
	case agent.OutcomeStopped, agent.OutcomeModelError, agent.OutcomeInfraError:
		return true
	}
	return false
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
				fmt.Fprintln(a.err, "hone:", err)
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
