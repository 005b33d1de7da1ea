package agent

import "sync"

// inbox queues commands between any goroutine and the session's. It grows as
// needed: commands come as rarely as keys are pressed.
type inbox struct {
	ready chan struct{} // holds a token while the queue may not be empty

	mu    sync.Mutex
	queue []Command
}

func newInbox() *inbox { return &inbox{ready: make(chan struct{}, 1)} }

func (b *inbox) put(c Command) {
	b.mu.Lock()
	b.queue = append(b.queue, c)
	b.mu.Unlock()
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

func (b *inbox) take() []Command {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.queue
	b.queue = nil
	return taken
}
