package queue

import (
	"context"
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
}

// New makes the queue of an evaluator.
func New(e gpu.Evaluator) *Queue { return &Queue{evaluator: e} }

// Evaluate implements gpu.Evaluator. While the request waits it observes
// [gpu.StageQueue], each time that it comes nearer.
func (q *Queue) Evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
	t := q.join()
	defer q.leave(t)
	for {
		before := q.before(t)
		if before == 0 {
			return q.evaluator.Evaluate(ctx, req, observe)
		}
		observe(gpu.Event{Stage: gpu.StageQueue, Status: gpu.StatusRunning, Detail: fmt.Sprintf("waiting for the judge, %d before it", before)})
		select {
		case <-t.moved:
		case <-ctx.Done():
			return gpu.Verdict{}, ctx.Err()
		}
	}
}

func (q *Queue) join() *ticket {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &ticket{moved: make(chan struct{}, 1)}
	q.waiting = append(q.waiting, t)
	return t
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
