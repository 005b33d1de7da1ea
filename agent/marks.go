package agent

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Marks are what a person thinks of a turn, besides accepting or rejecting it.
type Marks struct {
	Pinned bool // the turn to beat
	Rating int  // 1 to 5, 0 for none
	Notes  []string
}

// MaxRating is the best rating; the worst is 1.
const MaxRating = 5

// duringTurns reports whether an action is about what has ended already, so that
// it need not wait for what runs.
func (a Action) duringTurns() bool {
	switch a {
	case ActionReject, ActionPin, ActionRate, ActionNote:
		return true
	}
	return false
}

func refuseMark(t *Turn, c Command) string {
	switch {
	case t == nil:
		return fmt.Sprintf("there is no turn to %s yet", c.Action)
	case c.Action == ActionPin:
		beatable := t.Verdict != nil && t.Verdict.Outcome.Correct()
		return unless(beatable, fmt.Sprintf("turn %d cannot be pinned: its kernel did not pass every check", t.Number))
	case c.Action == ActionRate:
		return refuseRating(t, c.Rating)
	}
	return unless(strings.TrimSpace(c.Text) != "", "the note is empty: write what should be remembered")
}

func refuseRating(t *Turn, rating int) string {
	switch {
	case rating < 1 || rating > MaxRating:
		return fmt.Sprintf("a rating is a number from 1 (poor) to %d (excellent)", MaxRating)
	case t.End == nil:
		return "only a turn that has ended can be rated"
	}
	return ""
}

// ParseRating reads "4 short and fast": a rating, and why if anything follows.
func ParseRating(text string) (rating int, why string, err error) {
	word, why, _ := strings.Cut(strings.TrimSpace(text), " ")
	if rating, err = strconv.Atoi(word); err != nil || rating < 1 || rating > MaxRating {
		return 0, "", fmt.Errorf("%q is no rating: begin with a number from 1 (poor) to %d (excellent)", word, MaxRating)
	}
	return rating, strings.TrimSpace(why), nil
}

// compare says what a decision changes about a turn, for its record. Edits of
// texts say that themselves.
func (s *Session) compare(c Command, acted *HumanActed) {
	t := s.state.Turn(c.Turn)
	switch c.Action {
	case ActionAccept, ActionReject:
		acted.Before, acted.After = standing(t), string(c.Action)+"ed"
	case ActionPin:
		acted.Before, acted.After = figure(s.state.Pinned), figure(c.Turn)
		if c.Turn == s.state.Pinned {
			acted.After = ""
		}
	case ActionRate:
		acted.Rating = c.Rating
		acted.Before, acted.After = figure(t.Rating), figure(c.Rating)
	}
}

func standing(t *Turn) string {
	switch {
	case t.Accepted:
		return "accepted"
	case t.Rejected:
		return "rejected"
	}
	return ""
}

func figure(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// mark applies what a person thinks of a turn.
func (s *State) mark(t *Turn, d *HumanActed) {
	switch d.Action {
	case ActionPin:
		s.pin(t, d.After != "")
	case ActionRate:
		t.Rating = d.Rating
	case ActionNote:
		t.Notes = append(t.Notes, d.Text)
	}
}

// pin makes a turn the one to beat, or no turn: there is one at most.
func (s *State) pin(t *Turn, on bool) {
	if old := s.Turn(s.Pinned); old != nil {
		old.Pinned = false
	}
	t.Pinned, s.Pinned = on, 0
	if on {
		s.Pinned = t.Number
	}
}

// ToBeat is the turn that new kernels are timed beside: the pinned one, else the
// best; nil while there is neither.
func (s *State) ToBeat() *Turn {
	if t := s.Turn(s.Pinned); t != nil {
		return t
	}
	return s.Turn(s.Best)
}

// onScreen is how long what was decided on had been before a person's eyes, nil
// if unknown. Whoever does not count it has at least said since when.
func onScreen(c Command, decided time.Time) *time.Duration {
	seen := c.OnScreen
	if seen == 0 && !c.Shown.IsZero() {
		seen = decided.Sub(c.Shown)
	}
	if seen <= 0 {
		return nil
	}
	return &seen
}
