package main

import (
	"bufio"
	"fmt"
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
		s.asked = false
	case *agent.TurnEnded:
		s.turns = max(0, s.turns-1)
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
		if s.asked {
			s.turns, s.asked = 0, false
		}
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
	default:
		return c, usageError{fmt.Sprintf("no command %q, only: %s", word, commandWords)}
	}
	if err != nil {
		return c, usageError{fmt.Sprintf("%s: %v", word, err)}
	}
	return c, nil
}
