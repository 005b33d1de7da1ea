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
	yield func() bool // has who is there give way, where it may, and reports whether it does; nil where it may not
	task  string      // that the judge was last asked about

	suspected int   // kernels that it had an error for and that others are asked about
	fault     error // of a kernel that it could not judge and another could: it is sick; nil when it is in order
	bouts     int   // how often it has fallen sick since it last judged a kernel
	found     int   // how often it was found in order or sick: an error from before the last time tells nothing new
	rest      int   // how many kernels the others judge before it is tried again
}

// out reports whether a judge is better left alone while another is in order.
func (s *seat[E]) out() bool { return s.suspected > 0 || s.rest > 0 }

// attempt is an evaluation that a judge had an error for.
type attempt[E gpu.Evaluator] struct {
	by    *seat[E]
	err   error
	found int  // of the seat, by then
	sound bool // the judge was not sick by then
}

// ticket is a place in the queue.
type ticket[E gpu.Evaluator] struct {
	task   string
	tried  []attempt[E]  // of judges that were asked already
	asked  bool          // somebody gives way to it
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
// whoever comes, and is then taken in its turn once its kernel may run. Where one of
// several judges has an error, another one tells whether the kernel is to blame.
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
	return q.ask(ctx, req, observe)
}

// ask has one judge after the other asked until one comes to a verdict. Those that had
// an error before are then to blame; where all have one, the kernel is, or its task.
func (q *Queue[E]) ask(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
	var tried []attempt[E]
	judged := false
	defer func() { q.settle(tried, judged) }()
	for len(tried) < len(q.seats) {
		if n := len(tried); n > 0 {
			observe(queued(q.title(tried[n-1].by) + " had an error: another judges it"))
		}
		v, failed := q.once(ctx, req, observe, tried)
		if failed.err == nil {
			judged = true
			v.Findings = append(v.Findings, q.findings(tried)...)
			return v, nil
		}
		if failed.by != nil {
			tried = append(tried, failed)
		}
		if ctx.Err() != nil {
			return gpu.Verdict{}, ctx.Err()
		}
	}
	return gpu.Verdict{}, likeliest(tried)
}

// findings tell in a verdict which judges had an error before one came to it.
func (q *Queue[E]) findings(tried []attempt[E]) (all []gpu.Finding) {
	for _, a := range tried {
		all = append(all, gpu.Finding{
			Kind: "judge_error", Severity: "warning", Evidence: fmt.Sprintf("%s had an error, and another judged it: %v", q.title(a.by), a.err),
		})
	}
	return all
}

// likeliest is the error of a judge that is thought to be in order, if there is one.
func likeliest[E gpu.Evaluator](tried []attempt[E]) error {
	for _, a := range tried {
		if a.sound {
			return a.err
		}
	}
	return tried[0].err
}

// once has one judge that was not tried yet evaluate a request in its turn. The attempt
// is by nobody where ctx ends before.
func (q *Queue[E]) once(ctx context.Context, req gpu.Request, observe func(gpu.Event), tried []attempt[E]) (v gpu.Verdict, failed attempt[E]) {
	wait := func(before int) { observe(queued(fmt.Sprintf("waiting for %s, %d before it", q.name(), before))) }
	failed.err = q.inTurn(ctx, req.Task.ID, tried, wait, func(s *seat[E]) (err error) {
		v, err = s.judge.Evaluate(ctx, req, observe)
		failed = q.note(s, err)
		return err
	})
	return v, failed
}

func queued(detail string) gpu.Event {
	return gpu.Event{Stage: gpu.StageQueue, Status: gpu.StatusRunning, Detail: detail}
}

// note keeps in mind how a judge did. One that has judged a kernel is in order, and the
// sick ones have sat that kernel out; one that had an error is suspected.
func (q *Queue[E]) note(s *seat[E], err error) attempt[E] {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		s.suspected++
		return attempt[E]{by: s, err: err, found: s.found, sound: s.fault == nil}
	}
	s.fault, s.rest, s.bouts = nil, 0, 0
	s.found++
	for _, other := range q.seats {
		other.rest = max(0, other.rest-1)
	}
	return attempt[E]{by: s}
}

// settle ends the suspicion against judges that had an error each: where another one
// judged the kernel they are sick.
func (q *Queue[E]) settle(tried []attempt[E], judged bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, a := range tried {
		a.by.suspected--
		if judged && a.found == a.by.found {
			a.by.fallSick(a.err)
		}
	}
	q.call()
}

// The kernels that a sick judge sits out are four times as many every time, up to a
// bound: one that has an error for everything, at once, would else be in the way.
const (
	restFactor = 4
	mostRest   = 1024
)

func (s *seat[E]) fallSick(fault error) {
	s.fault, s.rest = fault, restFactor
	for range s.bouts {
		s.rest = min(restFactor*s.rest, mostRest)
	}
	s.bouts++
	s.found++
}

// Sick says which judges could not judge what another one could, and why.
func (q *Queue[E]) Sick() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []string
	for _, s := range q.seats {
		if s.fault != nil {
			all = append(all, fmt.Sprintf("%s is out of order: %v", q.title(s), s.fault))
		}
	}
	return all
}

// title is which judge it is.
func (q *Queue[E]) title(s *seat[E]) string {
	return fmt.Sprintf("judge %d of %d", slices.Index(q.seats, s)+1, len(q.seats))
}

func (q *Queue[E]) name() string {
	if len(q.seats) == 1 {
		return "the judge"
	}
	return fmt.Sprintf("one of %d judges", len(q.seats))
}

// Do has a judge do something else for a task, in its turn.
func (q *Queue[E]) Do(ctx context.Context, task string, work func(judge E) error) error {
	return q.inTurn(ctx, task, nil, func(int) {}, func(s *seat[E]) error { return work(s.judge) })
}

// inTurn does work once a judge is free that was not tried yet, and nobody is before it.
// It says of each place how many are.
func (q *Queue[E]) inTurn(ctx context.Context, task string, tried []attempt[E], wait func(before int), work func(s *seat[E]) error) error {
	s, t := q.join(task, tried)
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
// where none is, where somebody came before the kernel was allowed to run, or where one
// of several judges had an error.
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
	switch {
	case err != nil && errors.Is(context.Cause(inner), errWanted):
		observe(queued("gave way to another kernel"))
		return v, false, nil
	case err != nil && ctx.Err() == nil && len(q.seats) > 1:
		observe(queued(q.title(s) + " had an error: it is judged once it may run"))
		return v, false, nil
	case err == nil:
		q.note(s, nil)
	}
	return v, true, err
}

// join takes a free seat, or the last place of those that wait for one: before those who
// have tried none, where judges were tried already.
func (q *Queue[E]) join(task string, tried []attempt[E]) (*seat[E], *ticket[E]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s := q.free(task, tried); s != nil {
		return s, nil
	}
	t := &ticket[E]{task: task, tried: tried, moved: make(chan struct{}, 1), called: make(chan *seat[E], 1)}
	at := len(q.waiting)
	if len(tried) > 0 {
		if first := slices.IndexFunc(q.waiting, func(o *ticket[E]) bool { return len(o.tried) == 0 }); first >= 0 {
			at = first
		}
	}
	q.waiting = slices.Insert(q.waiting, at, t)
	q.tell(at + 1)
	q.want(t)
	return nil, t
}

// want has one that was begun early give way to who waits, once.
func (q *Queue[E]) want(t *ticket[E]) {
	for _, s := range q.open(t.tried) {
		if !t.asked && s.yield != nil && s.yield() {
			s.yield = nil // the next one who comes needs another
			t.asked = true
		}
	}
}

// take occupies a seat if one is free for who may be asked to give it up again.
func (q *Queue[E]) take(task string, yield func() bool) *seat[E] {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.free(task, nil)
	if s != nil {
		s.yield = yield
	}
	return s
}

// open are the seats that somebody may be given who has tried some: those of judges in
// order, or any where none of the rest is.
func (q *Queue[E]) open(tried []attempt[E]) []*seat[E] {
	rest := slices.DeleteFunc(slices.Clone(q.seats), func(s *seat[E]) bool { return slices.ContainsFunc(tried, func(a attempt[E]) bool { return a.by == s }) })
	sound := slices.DeleteFunc(slices.Clone(rest), (*seat[E]).out)
	if len(sound) > 0 {
		return sound
	}
	return rest
}

// free occupies a free seat, or is nil. A judge that knows the task has its reference
// ready; one that knows another would have to drop that.
func (q *Queue[E]) free(task string, tried []attempt[E]) *seat[E] {
	open := q.open(tried)
	for _, known := range []func(s *seat[E]) bool{
		func(s *seat[E]) bool { return s.task == task },
		func(s *seat[E]) bool { return s.task == "" },
		func(*seat[E]) bool { return true },
	} {
		for _, s := range open {
			if !s.busy && known(s) {
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

// vacate frees a seat.
func (q *Queue[E]) vacate(s *seat[E]) {
	s.busy, s.yield = false, nil
	q.call()
}

// call has those who wait take what seats are free.
func (q *Queue[E]) call() {
	for at := 0; at < len(q.waiting); {
		next := q.waiting[at]
		s := q.free(next.task, next.tried)
		if s == nil { // one behind it may take a seat that it has tried
			q.want(next)
			at++
			continue
		}
		q.remove(at)
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
	q.tell(at)
}

// tell has those from a place on know that they have moved.
func (q *Queue[E]) tell(from int) {
	for _, later := range q.waiting[from:] {
		select {
		case later.moved <- struct{}{}:
		default:
		}
	}
}
