package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"example.com/hone/gpu"
)

// Queue is a gpu.Evaluator that has each request judged by one of several judges, which
// judge one kernel at a time.
type Queue[E gpu.Evaluator] struct {
	mu      sync.Mutex
	seats   []*seat[E]
	waiting []*ticket[E]
}

// seat is a judge and who is there.
type seat[E gpu.Evaluator] struct {
	judge E
	busy  bool
	sick  bool        // its last evaluation came to no result
	yield func() bool // has who is there give way, where it may, and reports whether it does; nil where it may not
	task  string      // that the judge was last asked about
}

// ticket is a place in the queue.
type ticket[E gpu.Evaluator] struct {
	task   string
	moved  chan struct{} // holds a token when the place has changed
	called chan *seat[E] // holds the seat, once it is its turn
}

// New makes the queue of some judges, at least one.
func New[E gpu.Evaluator](judges ...E) *Queue[E] {
	q := &Queue[E]{}
	for _, j := range judges {
		q.seats = append(q.seats, &seat[E]{judge: j})
	}
	return q
}

// Evaluate implements gpu.Evaluator. While the request waits it observes
// [gpu.StageQueue], each time that it comes nearer. A request whose kernel may not run
// yet never has another one wait: it is begun where a judge is free, gives way to
// whoever comes, and is then taken in its turn once its kernel may run.
func (q *Queue[E]) Evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (v gpu.Verdict, err error) {
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
		observe(gpu.Event{Stage: gpu.StageQueue, Status: gpu.StatusRunning, Detail: fmt.Sprintf("waiting for %s, %d before it", q.name(), before)})
	}
	err = q.inTurn(ctx, req.Task.ID, wait, func(s *seat[E]) error {
		v, err = s.judge.Evaluate(ctx, req, observe)
		err = q.mark(ctx, s, err)
		return err
	})
	return v, err
}

// mark notes whether a judge is in order, and says so in the error that it is not. It
// would have an error for every kernel in no time, and so take them all from the others.
func (q *Queue[E]) mark(ctx context.Context, s *seat[E], err error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	s.sick = err != nil && ctx.Err() == nil
	if s.sick && len(q.seats) > 1 {
		return fmt.Errorf("judge %d of %d, which gets no kernel while another is in order: %w", slices.Index(q.seats, s)+1, len(q.seats), err)
	}
	return err
}

func (q *Queue[E]) name() string {
	if len(q.seats) == 1 {
		return "the judge"
	}
	return fmt.Sprintf("one of %d judges", len(q.seats))
}

// Do has a judge do something else for a task, in its turn.
func (q *Queue[E]) Do(ctx context.Context, task string, work func(judge E) error) error {
	return q.inTurn(ctx, task, func(int) {}, func(s *seat[E]) error { return work(s.judge) })
}

// inTurn does work once a judge is free and nobody is before it. It says of each place
// how many are.
func (q *Queue[E]) inTurn(ctx context.Context, task string, wait func(before int), work func(s *seat[E]) error) error {
	s, t := q.join(task)
	for s == nil {
		if before := q.before(t); before > 0 {
			wait(before)
		}
		select {
		case s = <-t.called:
		case <-t.moved:
		case <-ctx.Done():
			q.giveUp(t)
			return ctx.Err()
		}
	}
	defer q.leave(s)
	return work(s)
}

// errWanted is why an evaluation that was begun early ends: somebody needs the judge.
var errWanted = errors.New("the judge is wanted")

// early begins an evaluation that may not run yet, if a judge is free. It is not done
// where none is, or somebody came before the kernel was allowed to run.
func (q *Queue[E]) early(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (v gpu.Verdict, done bool, err error) {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := q.take(req.Task.ID, func() bool {
		if !req.Held() {
			return false
		}
		cancel(errWanted)
		return true
	})
	if s == nil {
		return v, false, nil
	}
	defer q.leave(s)
	v, err = s.judge.Evaluate(inner, req, observe)
	if err != nil && errors.Is(context.Cause(inner), errWanted) {
		observe(gpu.Event{Stage: gpu.StageQueue, Status: gpu.StatusRunning, Detail: "gave way to another kernel"})
		return v, false, nil
	}
	return v, true, q.mark(ctx, s, err)
}

// join takes a free seat, or the last place of those that wait for one.
func (q *Queue[E]) join(task string) (*seat[E], *ticket[E]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s := q.free(task); s != nil {
		return s, nil
	}
	t := &ticket[E]{task: task, moved: make(chan struct{}, 1), called: make(chan *seat[E], 1)}
	q.waiting = append(q.waiting, t)
	for _, s := range q.seats {
		if s.yield != nil && s.yield() {
			s.yield = nil // the next one who comes needs another
			break
		}
	}
	return nil, t
}

// take takes a free seat that is given up to whoever comes and finds none, or nil.
func (q *Queue[E]) take(task string, yield func() bool) *seat[E] {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.free(task)
	if s != nil {
		s.yield = yield
	}
	return s
}

// free occupies a free seat, or is nil. A judge that knows the task has its reference
// ready; one that knows another would have to drop that. A sick one is free while no
// other is in order.
func (q *Queue[E]) free(task string) *seat[E] {
	sound := slices.ContainsFunc(q.seats, func(s *seat[E]) bool { return !s.sick })
	for _, known := range []func(s *seat[E]) bool{
		func(s *seat[E]) bool { return s.task == task },
		func(s *seat[E]) bool { return s.task == "" },
		func(*seat[E]) bool { return true },
	} {
		for _, s := range q.seats {
			if !s.busy && !(s.sick && sound) && known(s) {
				s.busy, s.task = true, cmp.Or(task, s.task)
				return s
			}
		}
	}
	return nil
}

// before is how many kernels have to be judged before one that waits.
func (q *Queue[E]) before(t *ticket[E]) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Index(q.waiting, t) + 1
}

// leave gives a seat up.
func (q *Queue[E]) leave(s *seat[E]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.vacate(s)
}

// vacate frees a seat, and calls those who wait to what seats there are.
func (q *Queue[E]) vacate(s *seat[E]) {
	s.busy, s.yield = false, nil
	for len(q.waiting) > 0 {
		next := q.waiting[0]
		s := q.free(next.task)
		if s == nil {
			return
		}
		q.remove(0)
		next.called <- s
	}
}

// giveUp leaves the queue, or the seat that was come by meanwhile.
func (q *Queue[E]) giveUp(t *ticket[E]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if at := slices.Index(q.waiting, t); at >= 0 {
		q.remove(at)
		return
	}
	q.vacate(<-t.called)
}

// remove takes a place away and tells those behind it that they have moved.
func (q *Queue[E]) remove(at int) {
	q.waiting = slices.Delete(q.waiting, at, at+1)
	for _, later := range q.waiting[at:] {
		select {
		case later.moved <- struct{}{}:
		default:
		}
	}
}
