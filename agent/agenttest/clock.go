package agenttest

import (
	"fmt"
	"sync"
	"time"
)

// Clock is a clock that only its readers move: each reading is a Step later
// than the one before.
type Clock struct {
	Step time.Duration

	mu  sync.Mutex
	now time.Time
}

// NewClock starts at a fixed moment.
func NewClock(step time.Duration) *Clock {
	return &Clock{Step: step, now: epoch()}
}

func epoch() time.Time { return time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC) }

// Now reads the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now
	c.now = now.Add(c.Step)
	return now
}

// IDs returns a source of ULIDs that counts up from 1.
func IDs() func() string {
	var mu sync.Mutex
	n := 0
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return id(n)
	}
}

// id is a ULID whose time is the epoch's and whose rest is n.
func id(n int) string { return fmt.Sprintf("01KKNTQ1T8%016d", n) }
