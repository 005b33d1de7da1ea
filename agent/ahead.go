package agent

import (
	"context"
	"sync"

	"example.com/hone/agent/extract"
)

// ahead is an evaluation that began before its reply ended, as far as the compiler: a
// model that sums up its thoughts after the kernel takes longer for it than most builds.
// The kernel runs when the reply is whole and holds it.
type ahead struct {
	kernel string
	cancel context.CancelFunc
	hold   chan struct{} // closed to let the kernel run
	result chan *Evaluated

	emit emitter

	mu    sync.Mutex
	early []report // what happened while the reply went on
	whole bool     // the reply is
}

// goAhead begins the evaluation of the reply's kernel once its block has closed.
func (t *turn) goAhead(ctx context.Context, parts *extract.Stream, d TextDelta) {
	if !t.early || t.ahead != nil {
		return
	}
	parts.Write(d.Reasoning, d.Text)
	kernel, ok := parts.Settled()
	if !ok {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	a := &ahead{kernel: kernel, cancel: cancel, hold: make(chan struct{}), result: make(chan *Evaluated, 1), emit: t.emit}
	t.ahead = a
	req := t.request
	req.Kernel, req.Hold = kernel, a.hold
	go func() { a.result <- evaluate(ctx, t.evaluator, req, a.observe) }()
}

// observe tells what happens. Before the reply is whole that is for the eye alone, and is
// told again in its turn: that the reply has a kernel comes first.
func (a *ahead) observe(k Kind, data any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.whole {
		a.early = append(a.early, report{kind: k, data: data})
		k = KindStageAhead
	}
	a.emit(k, data)
}

// finish lets the kernel run and waits for its result. It is not done where the reply
// turned out to hold another one.
func (a *ahead) finish(kernel string) (result *Evaluated, done bool) {
	if a == nil || a.kernel != kernel {
		a.drop()
		return nil, false
	}
	a.mu.Lock()
	for _, r := range a.early {
		a.emit(r.kind, r.data)
	}
	a.whole = true
	a.mu.Unlock()
	close(a.hold)
	result = <-a.result
	a.result <- result // for drop
	return result, true
}

// drop ends an evaluation that nobody wants, and waits until nothing of it runs.
func (a *ahead) drop() {
	if a == nil {
		return
	}
	a.cancel()
	a.result <- <-a.result
}
