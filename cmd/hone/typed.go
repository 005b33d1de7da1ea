package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.com/hone/agent"
)

// about takes the turn off what follows a typed word: "@3 too clever" is about
// turn 3. Without one it is about the current turn.
func about(rest string) (turn int, text string, err error) {
	if !strings.HasPrefix(rest, "@") {
		return 0, rest, nil
	}
	number, text, _ := strings.Cut(rest[1:], " ")
	turn, err = turnNumber(number)
	return turn, strings.TrimSpace(text), err
}

func turnNumber(word string) (int, error) {
	turn, err := strconv.Atoi(word)
	if err != nil || turn < 1 {
		return 0, fmt.Errorf("%q is no turn: give its number, such as 3", word)
	}
	return turn, nil
}

// numbered reads "3 because it is short", and "@3 because it is short" as well.
func numbered(c *agent.Command, text string) error {
	var err error
	if word, reason, _ := strings.Cut(text, " "); c.Turn == 0 && word != "" {
		c.Turn, err = turnNumber(word)
		text = reason
	}
	c.Text = strings.TrimSpace(text)
	return err
}

// sight is since when a person can see the turns that were printed.
type sight struct {
	newest int
	ended  map[int]time.Time
}

func (s *sight) heard(e agent.Event) {
	switch e.Data.(type) {
	case *agent.TurnStarted:
		s.newest = e.Turn
	case *agent.TurnEnded:
		if s.ended == nil {
			s.ended = map[int]time.Time{}
		}
		s.ended[e.Turn] = e.Time
	}
}

// of is when the turn that a command is about was printed, zero if it was not.
func (s *sight) of(c agent.Command) time.Time {
	if c.Turn == 0 {
		return s.ended[s.newest]
	}
	return s.ended[c.Turn]
}
