package ui

import "time"

// watch counts how long each turn that has ended was before the person's eyes:
// all its visits together, since what was seen before is not seen anew.
type watch struct {
	turn  int // on screen now, 0 for none
	since time.Time
	seen  map[int]time.Duration
}

// look turns to a turn, or with 0 away from all.
func (w *watch) look(turn int, now time.Time) {
	if w.seen == nil {
		w.seen = map[int]time.Duration{}
	}
	if w.turn != 0 {
		w.seen[w.turn] += now.Sub(w.since)
	}
	w.turn, w.since = turn, now
}

// of is how long a turn was seen.
func (w *watch) of(turn int, now time.Time) time.Duration {
	seen := w.seen[turn]
	if turn == w.turn && turn != 0 {
		seen += now.Sub(w.since)
	}
	return seen
}
