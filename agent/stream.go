package agent

import "time"

// frame is the least time between two deltas shown: about two frames of a
// screen. Faster ones are merged, never reordered or lost.
const frame = 50 * time.Millisecond

// stream merges the text of a reply. Text that follows a quiet frame is ready at
// once; all that comes within the next frame waits for its end.
type stream struct {
	timer     *time.Timer // runs for a frame after text was shown, else nil
	waiting   []byte
	reasoning bool // what waiting is
}

// add takes a piece of text and returns what is to be shown now, in order.
func (s *stream) add(d TextDelta) []*TextDelta {
	if d.Text == "" {
		return nil
	}
	if s.timer == nil {
		s.timer = time.NewTimer(frame)
		return []*TextDelta{&d}
	}
	var ready []*TextDelta
	if len(s.waiting) > 0 && s.reasoning != d.Reasoning {
		ready = append(ready, s.take())
	}
	s.waiting, s.reasoning = append(s.waiting, d.Text...), d.Reasoning
	return ready
}

// tick fires at the end of a frame; then tock is to be called.
func (s *stream) tick() <-chan time.Time {
	if s.timer == nil {
		return nil
	}
	return s.timer.C
}

// tock returns what came in the frame that ended.
func (s *stream) tock() *TextDelta {
	s.timer = nil
	ready := s.take()
	if ready != nil {
		s.timer = time.NewTimer(frame)
	}
	return ready
}

// take returns what waits, nil if nothing does.
func (s *stream) take() *TextDelta {
	if len(s.waiting) == 0 {
		return nil
	}
	d := &TextDelta{Reasoning: s.reasoning, Text: string(s.waiting)}
	s.waiting = s.waiting[:0]
	return d
}
