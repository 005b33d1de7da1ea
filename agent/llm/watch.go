package llm

import (
	"context"
	"fmt"
	"io"
	"time"
)

// watch ends a request that takes too long. It cancels the request's context
// with an *Error as the cause.
type watch struct {
	first *time.Timer // until the first byte
	idle  *time.Timer // between bytes; runs from the first one on
	limit time.Duration
	stop  func()
}

// newWatch starts the clocks. The caller calls stop at the end.
func newWatch(parent context.Context, host string, limits Limits) (context.Context, *watch) {
	late := func(what string, limit time.Duration) *Error {
		return &Error{Kind: KindTimeout, Cause: fmt.Sprintf("model endpoint %s %s %s", host, what, limit),
			Next: "retry the turn, or raise the profile's limits"}
	}
	total, endTotal := context.WithTimeoutCause(parent, limits.Total, late("did not finish its reply within", limits.Total))
	ctx, cancel := context.WithCancelCause(total)
	w := &watch{limit: limits.Idle}
	w.first = time.AfterFunc(limits.FirstByte, func() { cancel(late("sent nothing for", limits.FirstByte)) })
	w.idle = time.AfterFunc(limits.Idle, func() { cancel(late("fell silent for", limits.Idle)) })
	w.idle.Stop()
	w.stop = func() {
		w.first.Stop()
		w.idle.Stop()
		cancel(nil)
		endTotal()
	}
	return ctx, w
}

// reader tells the watch of every byte read.
func (w *watch) reader(r io.Reader) io.Reader { return &watched{Reader: r, watch: w} }

// A stream brings a few hundred pieces a second, and waking up for each costs
// more than all that is done with it. Text is shown every 50 ms, so reads may be
// a few of them apart, unless one brings so much that more must be waiting.
const (
	pace    = 16 * time.Millisecond
	backlog = 2 << 10
)

type watched struct {
	io.Reader
	*watch
	next time.Time // when the next read is due
}

// Read implements io.Reader.
func (r *watched) Read(p []byte) (int, error) {
	time.Sleep(time.Until(r.next))
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.first.Stop()
		r.idle.Reset(r.limit)
	}
	if n < backlog {
		r.next = time.Now().Add(pace)
	}
	return n, err
}
