package agent

import (
	"context"
	"sync"

	"example.com/hone/agent/extract"
	"example.com/hone/gpu"
)

// ahead is an evaluation that began before its reply ended, as far as the compiler: a
// model that sums up its thoughts after the kernel takes longer for it than most builds.
// The kernel runs when the reply is whole and holds it. A draft within a thought whose end
// comes late may be built in vain; what the reply holds is then judged as any other.
type ahead struct {
	kernel string
	cancel context.CancelFunc
	hold   chan struct{} // closed to let the kernel run
	result chan *Evaluated
	emit   emitter

	mu    sync.Mutex
	phase aheadPhase
	early []report // what happened before its turn
}

// aheadPhase says how what happens is told.
type aheadPhase int

const (
	replying aheadPhase = iota // for the eye alone, and again in its turn
	replied                    // in its turn
	judging                    // at once
)

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

// observe tells what happens, or keeps it: that the reply has a kernel is told first.
func (a *ahead) observe(k Kind, data any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.phase == judging {
		a.emit(k, data)
		return
	}
	if e, ok := data.(*gpu.Event); ok && e.Stage == gpu.StageQueue {
		a.early = nil // it gave way: all will be done again
	}
	a.early = append(a.early, report{kind: k, data: data})
	if a.phase == replying {
		a.emit(KindStageAhead, data)
	}
}

// end has it wait for its turn now that the reply has ended. Where that is not whole, the
// kernel will never run.
func (a *ahead) end(r *ModelResponded) {
	if a == nil {
		return
	}
	if !r.Complete || !extract.Whole(r.FinishReason) {
		a.cancel()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.phase = replied
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
	a.phase = judging
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
