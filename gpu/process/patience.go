package process

import (
	"net"
	"sync"
	"time"
)

// patience is the deadline of the exchange under way. Time for which the process is
// paused meanwhile does not count.
type patience struct {
	conn *net.UnixConn

	mu     sync.Mutex
	until  time.Time     // zero while no exchange waits, or time stands still
	left   time.Duration // of an exchange under way when the process was paused, else 0
	paused bool
}

// begin limits the exchange that begins now.
func (w *patience) begin(limit time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until, w.left = time.Now().Add(limit), 0
	return w.conn.SetDeadline(w.until)
}

// end says that no exchange is under way any more.
func (w *patience) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until, w.left = time.Time{}, 0
}

// giveUp ends the exchange under way at once.
func (w *patience) giveUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until, w.left = time.Time{}, 0
	_ = w.conn.SetDeadline(time.Unix(1, 0))
}

// pause has time stand still for the exchange under way.
func (w *patience) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.until.IsZero() && !w.paused {
		w.left, w.until = max(time.Until(w.until), time.Millisecond), time.Time{}
		_ = w.conn.SetDeadline(time.Time{})
	}
	w.paused = true
}

// resume gives the exchange that was paused what it had left.
func (w *patience) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left > 0 {
		w.until, w.left = time.Now().Add(w.left), 0
		_ = w.conn.SetDeadline(w.until)
	}
	w.paused = false
}
