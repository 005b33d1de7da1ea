package agent

import (
	"sync"
	"time"
)

// frame is the least time between two looks at a streaming reply: a person sees
// text flow at twenty of them a second, and each costs a frame of the screen.
const frame = 50 * time.Millisecond

// stream passes the text of a reply from the job that hears it to the owner,
// who shows it. Pieces are merged, never reordered or lost. Text that follows a
// quiet frame is ready at once; more waits for the frame's end without waking
// the owner for each token.
type stream struct {
	ready chan<- struct{} // gets a token when there may be text to show; shared by the streams of a session

	mu      sync.Mutex
	waiting []piece
	resting bool // text was shown within the last frame
}

// piece is text of one kind.
type piece struct {
	reasoning bool
	text      []byte
}

func newStream(ready chan<- struct{}) *stream { return &stream{ready: ready} }

// put adds text. It never blocks.
func (s *stream) put(d TextDelta) {
	if d.Text == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.waiting); n == 0 || s.waiting[n-1].reasoning != d.Reasoning {
		s.waiting = append(s.waiting, piece{reasoning: d.Reasoning})
	}
	last := &s.waiting[len(s.waiting)-1]
	last.text = append(last.text, d.Text...)
	if !s.resting {
		s.wake()
	}
}

// take returns what waits, in order, and lets a frame pass before more is ready.
func (s *stream) take() []*TextDelta {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ready []*TextDelta
	for _, p := range s.waiting {
		ready = append(ready, &TextDelta{Reasoning: p.reasoning, Text: string(p.text)})
	}
	s.waiting = nil
	if len(ready) > 0 && !s.resting {
		s.resting = true
		time.AfterFunc(frame, s.rested)
	}
	return ready
}

func (s *stream) rested() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resting = false
	if len(s.waiting) > 0 {
		s.wake()
	}
}

func (s *stream) wake() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}
