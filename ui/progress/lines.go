package progress

import (
	"fmt"
	"io"

	"example.com/hone/agent/batch"
	"example.com/hone/ui/figures"
)

// Shower shows a board, again and again.
type Shower interface {
	Show(*batch.Board)
	// Err is the first failure to write; nothing is shown after it.
	Err() error
}

// Lines prints a line for each session that has ended.
type Lines struct {
	w    io.Writer
	told map[string]bool // sessions
	err  error
}

// NewLines prints to w.
func NewLines(w io.Writer) *Lines { return &Lines{w: w, told: map[string]bool{}} }

// Show implements [Shower].
func (l *Lines) Show(b *batch.Board) {
	for _, e := range b.Entries {
		if e.Stage != batch.StageDone || l.told[e.Session] || l.err != nil {
			continue
		}
		l.told[e.Session] = true
		_, l.err = fmt.Fprintf(l.w, "%d/%d  %s\n", len(l.told), len(b.Entries), clean(ended(e)))
	}
}

// Err implements [Shower].
func (l *Lines) Err() error { return l.err }

// ended is a session that has ended, in one line.
func ended(e batch.Entry) string {
	var best *float64
	complete := false
	for _, t := range e.Trajectories {
		complete = complete || t.Complete
		for _, s := range t.Samples {
			if s.Speedup != nil && (best == nil || *s.Speedup > *best) {
				best = s.Speedup
			}
		}
	}
	text := fmt.Sprintf("%s #%d: %s in %s", e.Task, e.Index+1, speed(best), figures.Plural(e.Turns, "turn"))
	if !complete {
		text += ", not complete"
		if why := e.Trajectories[0].Stopped; why != "" {
			text += " (" + why + ")"
		}
	}
	return text
}

func speed(best *float64) string {
	if best == nil {
		return "no correct kernel"
	}
	return fmt.Sprintf("best %.2fx", *best)
}
