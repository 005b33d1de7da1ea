package progress

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"example.com/hone/agent/batch"
	"example.com/hone/ui/figures"
	"example.com/hone/ui/term"
)

// Live draws the tasks that are worked on and a total below the lines of those
// that are done.
type Live struct {
	w     io.Writer
	size  func() (width, height int)
	clock func() time.Time
	begun time.Time

	told  map[string]bool // tasks whose line is printed for good
	drawn int             // rows of the table on screen
	last  string          // the table on screen, without the clock
	err   error
}

// NewLive draws on a terminal of a size that may change.
func NewLive(w io.Writer, size func() (width, height int), clock func() time.Time) *Live {
	return &Live{w: w, size: size, clock: clock, begun: clock(), told: map[string]bool{}}
}

// Err implements [Shower].
func (l *Live) Err() error { return l.err }

// Show implements [Shower].
func (l *Live) Show(b *batch.Board) {
	width, height := l.size()
	var done, active []string
	for _, p := range b.Tasks() {
		switch {
		case p.Over() && !l.told[p.Task]:
			l.told[p.Task] = true
			done = append(done, row(p))
		case p.Active():
			active = append(active, row(p))
		}
	}
	if room := max(1, height-3); len(active) > room {
		hidden := len(active) - room + 1
		active = append(active[:room-1], fmt.Sprintf("and %s more", figures.Plural(hidden, "task")))
	}
	table := append(active, total(b.Total()))
	text := strings.Join(table, "\n")
	if text == l.last && len(done) == 0 {
		return // nothing moves where nothing happens
	}
	l.last = text
	table[len(table)-1] += ", " + figures.Clock(l.clock().Sub(l.begun))
	l.draw(done, table, width)
}

// draw replaces the table by lines that stay and a new table. It is one write, so
// that no half of it is seen.
func (l *Live) draw(done, table []string, width int) {
	if l.err != nil {
		return
	}
	var b strings.Builder
	if l.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", l.drawn)
	}
	for _, line := range append(done, table...) {
		b.WriteString("\r" + ansi.Truncate(clean(line), max(1, width-1), "") + "\x1b[K\n")
	}
	b.WriteString("\x1b[J")
	l.drawn = len(table)
	_, l.err = io.WriteString(l.w, b.String())
}

// clean makes a line of names that others gave safe to print.
func clean(line string) string { return strings.ReplaceAll(term.Clean(line), "\n", " ") }

// row is a task in one line of steady columns.
func row(p batch.Progress) string {
	text := fmt.Sprintf("%-32s %3d/%d done  %4d/%d turns  %3d correct  %-17s", p.Task, p.Done, p.Sessions, p.Turns, p.Wanted, p.Correct, speed(p.Best))
	return strings.TrimRight(text+"  "+doing(p), " ")
}

func total(p batch.Progress) string {
	text := fmt.Sprintf("total: %d/%d done, %d/%d turns, %d correct", p.Done, p.Sessions, p.Turns, p.Wanted, p.Correct)
	if now := doing(p); now != "" {
		text += "; " + now
	}
	return text
}

// doing says what the sessions wait for, the queue before the device included.
func doing(p batch.Progress) string {
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{p.Asking, "asking"}, {p.Judging, "judging"}, {p.Waiting, "in the queue"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	return strings.Join(parts, ", ")
}
