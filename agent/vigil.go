package agent

import (
	"sync"
	"time"
)

// silence is how long a model may say nothing before a person is told so; told
// again after twice as long, and so on.
const silence = 20 * time.Second

// vigil notices a model that says nothing for long. A server that keeps the
// connection alive is no less silent for it. It resets a timer for each token
// rather than wake anybody.
type vigil struct {
	tell func(quiet time.Duration)

	mu    sync.Mutex
	timer *time.Timer
	quiet time.Duration // what is told of next
	due   time.Time     // when; zero once the vigil has ended
}

// watch begins a vigil, which its caller ends.
func watch(tell func(quiet time.Duration)) *vigil {
	v := &vigil{tell: tell, quiet: silence, due: time.Now().Add(silence)}
	v.timer = time.AfterFunc(silence, v.late)
	return v
}

// heard says that text came, or that the request is sent again after a pause.
func (v *vigil) heard(pause time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.due.IsZero() {
		v.quiet = silence
		v.next(pause + silence)
	}
}

func (v *vigil) late() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.due.IsZero() || time.Now().Before(v.due) {
		return
	}
	v.tell(v.quiet)
	v.next(v.quiet)
	v.quiet *= 2
}

func (v *vigil) next(d time.Duration) {
	v.due = time.Now().Add(d)
	v.timer.Reset(d)
}

// end returns once nothing more will be told.
func (v *vigil) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.due = time.Time{}
	v.timer.Stop()
}
