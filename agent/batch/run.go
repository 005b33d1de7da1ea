package batch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/hone/agent"
)

// Options are what a run is made of.
type Options struct {
	Manifest Manifest
	Parallel int // sessions at once, at least 1

	// Session takes one trajectory to its end, and reports all of its events. An
	// error says that going on is of no use to any other either.
	Session func(ctx context.Context, p Planned, report *Reporter) error

	Allowance *agent.Allowance // shared by the sessions, nil: no bounds
	Observe   func(*Board)     // shows a copy of the board, from the goroutine of Run, a few times a second
}

// What ends a run, beside the budgets of agent.Allowance.
const (
	EndDone        = "done"
	EndInterrupted = "interrupted"
	EndError       = "error"
)

// Ending is why a run ended.
type Ending struct {
	Reason string
	Cause  *Failure // of EndError where turns failed, else nil
}

// Failure is a turn that failed for no fault of its kernel.
type Failure struct {
	Outcome string // agent.OutcomeModelError or agent.OutcomeInfraError
	Summary string
}

// giveUp is after how many turns that failed in a row, over all sessions, the run
// ends: the endpoint or the judge is gone, and every other would fail as well.
const giveUp = 3

// Run takes all trajectories and returns the board at the end. Interrupted by
// ctx, it lets what runs wind up on record. The error is that of a Session.
func Run(ctx context.Context, o Options) (*Board, Ending, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &runner{Options: o, board: newBoard(o.Manifest), ended: make(chan end), cancel: cancel}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	r.show()
	for r.launch(ctx) {
		select {
		case end := <-r.ended:
			r.end(ctx, end)
		case <-ticker.C:
			r.show()
		}
	}
	r.changed = true
	r.show()
	return r.board, r.ending(ctx), r.err
}

type runner struct {
	Options
	ended  chan end
	cancel context.CancelFunc

	next    int // first entry that was not begun
	running int
	err     error // the first of a session

	mu      sync.Mutex // the sessions write what follows, each in its own goroutine
	board   *Board
	changed bool // since the board was shown
	failed  int  // turns in a row
	failure Failure
	gaveUp  bool
}

// end is how a session ended.
type end struct {
	entry int
	err   error
}

// Reporter takes the events of one session. It never waits for whoever looks at
// the board.
type Reporter struct {
	entry  int
	runner *runner
}

// Past takes those that were on record before.
func (r *Reporter) Past(events []agent.Event) {
	r.runner.write(func(b *Board) { b.recall(r.entry, events) })
}

// Event takes one that happens now.
func (r *Reporter) Event(e agent.Event) {
	if e.Kind == agent.KindTextDelta { // too many, and nobody reads along
		return
	}
	r.runner.write(func(b *Board) { b.hear(r.entry, e) })
	if d, ok := e.Data.(*agent.TurnEnded); ok {
		r.runner.judge(d)
	}
}

// write changes the board.
func (r *runner) write(change func(*Board)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r.board)
	r.changed = true
}

// launch begins as many sessions as may run. It is false once none runs.
func (r *runner) launch(ctx context.Context) bool {
	for r.next < len(r.Manifest.Trajectories) && r.running < max(1, r.Parallel) && ctx.Err() == nil && r.Allowance.Over() == "" {
		i := r.next
		r.next++
		r.running++
		r.write(func(b *Board) { b.begin(i) })
		go func() {
			r.ended <- end{entry: i, err: r.Session(ctx, r.Manifest.Trajectories[i], &Reporter{entry: i, runner: r})}
		}()
	}
	return r.running > 0
}

func (r *runner) end(ctx context.Context, e end) {
	r.running--
	r.write(func(b *Board) { b.end(e.entry) })
	if e.err != nil && r.err == nil && (ctx.Err() == nil || !errors.Is(e.err, context.Canceled)) {
		r.err = fmt.Errorf("trajectory %s: %w", r.Manifest.Trajectories[e.entry].Session, e.err)
		r.cancel()
	}
}

// judge gives up once turns fail one after the other.
func (r *runner) judge(d *agent.TurnEnded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch d.Outcome {
	case agent.OutcomeModelError, agent.OutcomeInfraError:
		r.failed++
		r.failure = Failure{Outcome: d.Outcome, Summary: d.Summary}
	case agent.OutcomeStopped:
	default:
		r.failed = 0
	}
	if r.failed >= giveUp {
		r.gaveUp = true
		r.cancel()
	}
}

// show has a copy of the board shown, so that no session waits meanwhile.
func (r *runner) show() {
	r.mu.Lock()
	changed, board := r.changed || r.running == 0, r.board.copy()
	r.changed = false
	r.mu.Unlock()
	if changed {
		r.Observe(board)
	}
}

// ending is asked for once no session runs.
func (r *runner) ending(ctx context.Context) Ending {
	switch {
	case r.gaveUp:
		return Ending{Reason: EndError, Cause: &r.failure}
	case r.err != nil:
		return Ending{Reason: EndError}
	case ctx.Err() != nil:
		return Ending{Reason: EndInterrupted}
	}
	for _, t := range r.board.Trajectories() {
		if t.Complete {
			continue
		}
		if why := r.Allowance.Over(); why != "" {
			return Ending{Reason: why}
		}
		return Ending{Reason: EndError, Cause: r.last()}
	}
	return Ending{Reason: EndDone}
}

// last is the newest failure, nil if there was none.
func (r *runner) last() *Failure {
	if r.failure.Outcome == "" {
		return nil
	}
	return &r.failure
}
