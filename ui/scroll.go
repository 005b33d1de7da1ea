package ui

import "example.com/hone/ui/keys"

// body is what a pane shows: lines below one another, of which a window is
// drawn. Lines outside the window cost nothing.
type body interface {
	size() int           // lines
	last(height int) int // the top from which height rows show the end
	draw(top, height int) []string
}

// rows is a body that is ready, one row a line.
type rows []string

func (r rows) size() int           { return len(r) }
func (r rows) last(height int) int { return max(0, len(r)-height) }
func (r rows) draw(top, height int) []string {
	return r[top:min(len(r), top+height)]
}

// scroll is where a reader is in a body. A reader who has scrolled up is never
// moved by what arrives below.
type scroll struct {
	top    int
	x      int  // columns panned to the right
	follow bool // stay at the end as it grows
	seen   int  // lines there were when following stopped
}

// start is the first line shown.
func (s scroll) start(b body, height int) int {
	last := b.last(height)
	if s.follow {
		return last
	}
	return max(0, min(s.top, last))
}

// by moves a number of lines and stops following.
func (s *scroll) by(delta int, b body, height int) { s.to(s.start(b, height)+delta, b, height) }

// to puts a line at the top and stops following.
func (s *scroll) to(line int, b body, height int) {
	if s.follow {
		s.seen = b.size()
	}
	s.follow = false
	s.top = max(0, min(line, b.last(height)))
}

// reveal brings a line to the upper third unless it is on screen.
func (s *scroll) reveal(line int, b body, height int) {
	start := s.start(b, height)
	if line < start || line >= start+height {
		s.to(line-height/3, b, height)
	}
}

// end goes to the last line and follows it.
func (s *scroll) end() { s.follow = true }

// pan moves sideways.
func (s *scroll) pan(columns int) { s.x = max(0, s.x+columns) }

// fresh counts the lines that arrived since following stopped and are still
// below the window.
func (s scroll) fresh(b body, height int) int {
	if s.follow || s.seen == 0 {
		return 0
	}
	return max(0, min(b.size()-s.seen, b.last(height)-s.start(b, height)))
}

// move does what a movement key asks and reports whether it was one.
func (s *scroll) move(a keys.Action, b body, height int) bool {
	const sideways = 8
	switch a {
	case keys.Down:
		s.by(1, b, height)
	case keys.Up:
		s.by(-1, b, height)
	case keys.HalfDown:
		s.by(max(1, height/2), b, height)
	case keys.HalfUp:
		s.by(-max(1, height/2), b, height)
	case keys.PageDown:
		s.by(max(1, height-2), b, height)
	case keys.PageUp:
		s.by(-max(1, height-2), b, height)
	case keys.Top:
		s.to(0, b, height)
	case keys.Bottom:
		s.end()
	case keys.Left:
		s.pan(-sideways)
	case keys.Right:
		s.pan(sideways)
	default:
		return false
	}
	return true
}
