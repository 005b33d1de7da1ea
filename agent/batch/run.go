package batch

import (
	"context"
	"errors"
	"fmt"
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
	Observe   func(*Board)     // shows the board; called by one goroutine, a few times a second
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
	r := &runner{Options: o, board: newBoard(o.Manifest), reports: make(chan report), cancel: cancel}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	r.show()
	for r.launch(ctx) {
		select {
		case report := <-r.reports:
			r.hear(ctx, report)
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
	board   *Board
	reports chan report
	cancel  context.CancelFunc

	next    int // first entry that was not begun
	running int
	failed  int // turns in a row
	failure Failure
	gaveUp  bool
	err     error // the first of a session
	changed bool
}

// report is what a session tells the runner: its history, an event, or its end.
type report struct {
	entry int
	past  []agent.Event
	event *agent.Event
	err   error
}

// Reporter takes the events of one session.
type Reporter struct {
	entry   int
	reports chan<- report
}

// Past takes those that were on record before.
func (r *Reporter) Past(events []agent.Event) { r.reports <- report{entry: r.entry, past: events} }

// Event takes one that happens now.
func (r *Reporter) Event(e agent.Event) {
	if e.Kind != agent.KindTextDelta { // too many, and nobody reads along
		r.reports <- report{entry: r.entry, event: &e}
	}
}

// launch begins as many sessions as may run. It is false once none runs.
func (r *runner) launch(ctx context.Context) bool {
	for r.next < len(r.board.Entries) && r.running < max(1, r.Parallel) && ctx.Err() == nil && r.Allowance.Over() == "" {
		i := r.next
		r.next++
		r.running++
		r.changed = true
		r.board.begin(i)
		go func() {
			to := &Reporter{entry: i, reports: r.reports}
			r.reports <- report{entry: i, err: r.Session(ctx, r.Manifest.Trajectories[i], to)}
		}()
	}
	return r.running > 0
}

func (r *runner) hear(ctx context.Context, report report) {
	r.changed = true
	switch {
	case report.past != nil:
		r.board.recall(report.entry, report.past)
		return
	case report.event != nil:
		r.board.hear(report.entry, *report.event)
		if d, ok := report.event.Data.(*agent.TurnEnded); ok {
			r.judge(d)
		}
		return
	}
	r.running--
	r.board.end(report.entry)
	if report.err != nil && r.err == nil && (ctx.Err() == nil || !errors.Is(report.err, context.Canceled)) {
		r.err = fmt.Errorf("trajectory %s: %w", r.Manifest.Trajectories[report.entry].Session, report.err)
		r.cancel()
	}
}

// judge gives up once turns fail one after the other.
func (r *runner) judge(d *agent.TurnEnded) {
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

func (r *runner) show() {
	if r.changed || r.running == 0 {
		r.Observe(r.board)
	}
	r.changed = false
}

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
