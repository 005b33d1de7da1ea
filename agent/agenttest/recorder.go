package agenttest

import (
	"slices"
	"sync"

	"example.com/hone/agent"
)

// Recorder keeps events in memory.
type Recorder struct {
	Limit int   // after so many events Append fails; 0: never
	Fault error // with this

	mu     sync.Mutex
	events []agent.Event
	tried  int
}

var _ agent.Recorder = (*Recorder)(nil)

// Append implements [agent.Recorder].
func (r *Recorder) Append(e agent.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tried++
	if r.Limit > 0 && r.tried > r.Limit {
		return r.Fault
	}
	r.events = append(r.events, e)
	return nil
}

// Events are those kept so far.
func (r *Recorder) Events() []agent.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// Tried counts the calls of Append.
func (r *Recorder) Tried() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tried
}
