package agenttest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"example.com/hone/gpu"
)

// Judgement is one scripted result of an [Evaluator].
type Judgement struct {
	Verdict gpu.Verdict
	Error   error
	Hang    bool   // wait until the context ends, then return its error
	Panic   string // panic with this
}

// Evaluator gives its judgements in order and then fails.
type Evaluator struct {
	Judgements []Judgement

	mu   sync.Mutex
	seen []gpu.Request
}

var _ gpu.Evaluator = (*Evaluator)(nil)

// Requests are all kernels judged so far.
func (e *Evaluator) Requests() []gpu.Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.seen)
}

func (e *Evaluator) next(req gpu.Request) (Judgement, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen = append(e.seen, req)
	if len(e.seen) > len(e.Judgements) {
		return Judgement{}, false
	}
	return e.Judgements[len(e.seen)-1], true
}

// Evaluate implements [gpu.Evaluator]. It observes each stage of the verdict
// twice: running, and as it ended. A kernel that may not run yet waits.
func (e *Evaluator) Evaluate(
	ctx context.Context, req gpu.Request, observe func(gpu.Event),
) (gpu.Verdict, error) {
	j, ok := e.next(req)
	if !ok {
		return gpu.Verdict{}, errors.New("the script has no more judgements")
	}
	for _, e := range stageEvents(j.Verdict) {
		if e.Stage == gpu.StageRun && e.Status == gpu.StatusRunning && !waited(ctx, req.Hold) {
			return gpu.Verdict{}, ctx.Err()
		}
		observe(e)
	}
	if j.Panic != "" {
		panic(j.Panic)
	}
	if j.Hang {
		<-ctx.Done()
		return gpu.Verdict{}, ctx.Err()
	}
	return j.Verdict, j.Error
}

// waited reports whether a kernel may run, once that is known.
func waited(ctx context.Context, hold <-chan struct{}) bool {
	if hold == nil {
		return true
	}
	select {
	case <-hold:
		return true
	case <-ctx.Done():
		return false
	}
}

func stageEvents(v gpu.Verdict) []gpu.Event {
	var events []gpu.Event
	for _, s := range v.Stages {
		if s.Status == gpu.StatusSkipped {
			continue
		}
		events = append(events,
			gpu.Event{Stage: s.Name, Status: gpu.StatusRunning},
			gpu.Event{
				Stage: s.Name, Status: s.Status, Detail: s.Detail,
				Elapsed: time.Duration(s.MS * float64(time.Millisecond)),
			})
	}
	return events
}
