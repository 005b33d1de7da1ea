package cuda

import (
	"fmt"
	"time"
)

// Stream is a queue of work on the device. The zero value is the default stream.
type Stream uintptr

// Event is a point in a stream.
type Event uintptr

// NewStream makes a stream that does not wait for the default one.
func (c *Context) NewStream() (Stream, error) {
	const nonBlocking = 1
	var s Stream
	if err := c.call("cuStreamCreate", &s, nonBlocking); err != nil {
		return 0, fmt.Errorf("make a stream: %w", err)
	}
	return s, nil
}

// CloseStream gives a stream back; its work still ends.
func (c *Context) CloseStream(s Stream) error { return c.call("cuStreamDestroy_v2", s) }

// SynchronizeStream waits for all work of a stream.
func (c *Context) SynchronizeStream(s Stream) error { return c.call("cuStreamSynchronize", s) }

// Wait makes later work of a stream wait for an event.
func (c *Context) Wait(s Stream, e Event) error { return c.call("cuStreamWaitEvent", s, e, 0) }

// NewEvent makes an event that can be timed.
func (c *Context) NewEvent() (Event, error) {
	var e Event
	if err := c.call("cuEventCreate", &e, 0); err != nil {
		return 0, fmt.Errorf("make an event: %w", err)
	}
	return e, nil
}

// CloseEvent gives an event back.
func (c *Context) CloseEvent(e Event) error { return c.call("cuEventDestroy_v2", e) }

// Record places an event behind the work that a stream has now.
func (c *Context) Record(e Event, s Stream) error { return c.call("cuEventRecord", e, s) }

// SynchronizeEvent waits for an event.
func (c *Context) SynchronizeEvent(e Event) error { return c.call("cuEventSynchronize", e) }

// Passed reports whether the device has reached an event.
func (c *Context) Passed(e Event) (bool, error) {
	const notReady = 600
	err := c.call("cuEventQuery", e)
	if codeOf(err) == notReady {
		return false, nil
	}
	return err == nil, err
}

// Elapsed is the device's time between two events that it has passed, in steps
// of about half a microsecond.
func (c *Context) Elapsed(from, to Event) (time.Duration, error) {
	var milliseconds float32
	if err := c.call("cuEventElapsedTime", &milliseconds, from, to); err != nil {
		return 0, fmt.Errorf("time between events: %w", err)
	}
	return time.Duration(float64(milliseconds) * float64(time.Millisecond)), nil
}
