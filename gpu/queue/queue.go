package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"example.com/hone/gpu"
)

// Queue is a gpu.Evaluator that passes on one request at a time.
type Queue struct {
	evaluator gpu.Evaluator

	mu      sync.Mutex
	waiting []*ticket // the first is being served
}

var _ gpu.Evaluator = (*Queue)(nil)

// ticket is a place in the queue.
type ticket struct {
	moved chan struct{} // holds a token when the place has changed
	yield func()        // has what is served give way to others, where it may
}

func newTicket(yield func()) *ticket {
	return &ticket{moved: make(chan struct{}, 1), yield: yield}
}

// New makes the queue of an evaluator.
func New(e gpu.Evaluator) *Queue { return &Queue{evaluator: e} }

// Evaluate implements gpu.Evaluator. While the request waits it observes
// [gpu.StageQueue], each time that it comes nearer. A request whose kernel may not run
// yet never has another one wait: it is begun where nobody else is there, gives way to
// whoever comes, and is then taken in its turn once its kernel may run.
func (q *Queue) Evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (v gpu.Verdict, err error) {
	if req.Held() {
		v, done, err := q.early(ctx, req, observe)
		if done {
			return v, err
		}
		select {
		case <-req.Hold:
		case <-ctx.Done():
			return gpu.Verdict{}, ctx.Err()
		}
	}
	wait := func(before int) {
		observe(gpu.Event{Stage: gpu.StageQueue, Status: gpu.StatusRunning, Detail: fmt.Sprintf("waiting for the judge, %d before it", before)})
	}
	err = q.inTurn(ctx, wait, func() error {
		v, err = q.evaluator.Evaluate(ctx, req, observe)
		return err
	})
	return v, err
}

// Do has the evaluator do something else, in its turn.
func (q *Queue) Do(ctx context.Context, work func() error) error {
	return q.inTurn(ctx, func(int) {}, work)
}

// inTurn does work once nobody is before it. It says of each place how many are.
func (q *Queue) inTurn(ctx context.Context, wait func(before int), work func() error) error {
	t := newTicket(func() {})
	q.join(t)
	defer q.leave(t)
	for {
		before := q.before(t)
		if before == 0 {
			return work()
		}
		wait(before)
		select {
		case <-t.moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// errWanted is why an evaluation that was begun early ends: somebody needs the judge.
var errWanted = errors.New("the judge is wanted")

// early begins an evaluation that may not run yet, if nobody else is there. It is not done
// where somebody is, or came before the kernel was allowed to run.
func (q *Queue) early(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (v gpu.Verdict, done bool, err error) {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := newTicket(func() {
		if req.Held() {
			cancel(errWanted)
		}
	})
	if !q.joinIdle(t) {
		return v, false, nil
	}
	defer q.leave(t)
	v, err = q.evaluator.Evaluate(inner, req, observe)
	return v, err == nil || !errors.Is(context.Cause(inner), errWanted), err
}

func (q *Queue) join(t *ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) > 0 {
		q.waiting[0].yield()
	}
	q.waiting = append(q.waiting, t)
}

// joinIdle takes a place if it is the first.
func (q *Queue) joinIdle(t *ticket) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) > 0 {
		return false
	}
	q.waiting = append(q.waiting, t)
	return true
}

func (q *Queue) before(t *ticket) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Index(q.waiting, t)
}

func (q *Queue) leave(t *ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.Index(q.waiting, t)
	q.waiting = slices.Delete(q.waiting, at, at+1)
	for _, later := range q.waiting[at:] {
		select {
		case later.moved <- struct{}{}:
		default:
		}
	}
}
