package agent

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"example.com/hone/agent/prompt"
	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

// Options are what a session is made of. Task, Model, Evaluator and Recorder
// are needed; every other field may be left zero.
type Options struct {
	ID        string // ULID of the session and name of its record
	Task      tasks.Task
	Model     Model
	Price     Price                                // of Model
	Choose    func(profile string) (Choice, error) // another model; it must not block. Nil: there is none
	Evaluator gpu.Evaluator
	Recorder  Recorder
	Observe   func(Event)      // called in order, by one goroutine, once an event is recorded; must not block
	Clock     func() time.Time // time.Now when nil
	NewID     func() string    // a new ULID for each event

	Start   SessionStarted // recorded as given
	Facts   map[string]string
	Limits  gpu.Limits  // of every evaluation
	Prompts *prompt.Set // nil: Kevin's
	Budget  int         // most tokens a prompt should take, 0: no limit

	Plan       Plan       // turns to take without being asked
	Parallel   int        // turns of the plan under way at once, 0: no limit
	Early      bool       // build a kernel while the model writes what comes after it, where one turn at a time is taken
	Allowance  *Allowance // that turns of the plan need, and every turn of the model uses up; nil: no limit
	Unattended bool       // end the session once the plan is done, or fails for no fault of the kernel
	History    []Event    // of a session that is taken up again, as its record has them
}

// Session is one run: a task, a model and a person taking turns until somebody
// ends it. The goroutine in [Session.Run] owns every field but the inbox. Its
// jobs, one or more turns or a final check, run beside it and report to it.
type Session struct {
	opts    Options
	inbox   *inbox
	reports chan report

	state    State // what the events so far add up to
	seq      int64 // of the newest durable event
	begun    time.Time
	plan     *Plan         // turns still to take without being asked, nil for none
	recalled int           // the newest turn of the history
	jobs     map[int]*job  // by turn, empty when idle
	text     chan struct{} // holds a token while text of a job may wait to be shown
	ending   string        // why the session ends once it is idle; "" while it goes on
	lost     error         // why the record is incomplete
}

// NewSession prepares a session. Nothing happens before [Session.Run].
func NewSession(o Options) *Session {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.NewID == nil {
		o.NewID = func() string { return ulid.Make().String() }
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	o.ID = cmp.Or(o.ID, o.NewID())
	if o.Prompts == nil {
		o.Prompts = prompt.Kevin()
	}
	o.Start.PromptSet, o.Start.PromptSetSHA256 = o.Prompts.Name, o.Prompts.SHA256
	o.Start.Endpoint = hostOnly(o.Start.Endpoint)
	s := &Session{
		opts: o, inbox: newInbox(), reports: make(chan report), jobs: map[int]*job{}, text: make(chan struct{}, 1),
	}
	if o.Plan.Turns > 0 {
		s.plan = &o.Plan
	}
	s.recall()
	return s
}

// Send asks the session for something. It never blocks, and any goroutine may
// call it, also before Run: such commands come before any automatic turn. What
// cannot be done is answered by a notice that says why.
func (s *Session) Send(c Command) { s.inbox.put(c) }

// Run serves the session until a person quits or ctx ends; both let a running
// job wind up and be recorded as stopped. The error says only that the record
// is incomplete: whatever else goes wrong is an event.
func (s *Session) Run(ctx context.Context) error {
	s.open()
	s.attend(ctx)
	interrupted := ctx.Done()
	for s.proceed(ctx) {
		select {
		case <-interrupted:
			interrupted = nil
			s.quit()
		case <-s.inbox.ready:
			s.attend(ctx)
		case r := <-s.reports:
			s.hear(r)
		case <-s.text:
			s.showText()
		}
	}
	if s.lost != nil {
		return fmt.Errorf("record of session %s is incomplete: %w", s.opts.ID, s.lost)
	}
	return nil
}

func (s *Session) open() {
	s.begun = s.begins()
	if s.seq == 0 {
		s.emit(0, KindSessionStarted, &s.opts.Start)
	}
	if s.state.Task.ID == "" {
		pinned := Pin(s.opts.Task)
		s.emit(0, KindTaskPinned, &pinned)
	}
	if !maps.Equal(s.opts.Facts, s.state.Facts) {
		s.emit(0, KindEnvironment, &Environment{Facts: s.opts.Facts})
	}
}

// attend does what was sent.
func (s *Session) attend(ctx context.Context) {
	for _, c := range s.inbox.take() {
		s.obey(ctx, c)
	}
}

// proceed does what comes next without being asked, if the session is idle. It
// is false once the session is over.
func (s *Session) proceed(ctx context.Context) bool {
	s.advance(ctx)
	switch {
	case len(s.jobs) > 0:
	case s.ending != "":
		s.end(s.ending)
		return false
	case s.opts.Unattended:
		s.end("max_turns")
		return false
	}
	return true
}

// quit lets the session end once nothing runs.
func (s *Session) quit() {
	s.ending = cmp.Or(s.ending, "quit")
	s.cancel()
}

// cancel stops every job.
func (s *Session) cancel() {
	for _, j := range s.jobs {
		j.cancel()
	}
}

// working is the earliest turn that a job is about, 0 when idle.
func (s *Session) working() int {
	if len(s.jobs) == 0 {
		return 0
	}
	return slices.Min(slices.Collect(maps.Keys(s.jobs)))
}

func (s *Session) end(reason string) {
	if s.state.Accepted != 0 {
		reason = "accepted"
	}
	s.emit(0, KindSessionEnded, &SessionEnded{
		Reason: reason, Best: s.state.Best, Accepted: s.state.Accepted,
	})
}

// job is what runs beside the owner: a turn, or the final check of one.
type job struct {
	turn    int
	accept  *HumanActed // of a final check: recorded if it passes
	counted bool        // a turn of the model, which uses up the allowance
	price   Price       // of its model
	text    *stream     // of a reply, not yet shown
	cancel  context.CancelFunc
}

// report is what a job tells the owner. The last one of a job is its result.
type report struct {
	turn int
	kind Kind
	data any
	last bool
}

// emitter hands one event of a job to the owner.
type emitter func(Kind, any)

// launch runs work beside the owner. The event that work returns ends the job.
func (s *Session) launch(ctx context.Context, j *job, work func(context.Context, emitter) (Kind, any)) {
	ctx, j.cancel = context.WithCancel(ctx)
	s.jobs[j.turn], j.text = j, newStream(s.text)
	emit := func(k Kind, data any) {
		if d, ok := data.(*TextDelta); ok {
			j.text.put(*d)
			return
		}
		s.reports <- report{turn: j.turn, kind: k, data: data}
	}
	go func() {
		defer j.cancel()
		last := report{turn: j.turn, last: true}
		if err := guard(func() { last.kind, last.data = work(ctx, emit) }); err != nil {
			last.kind, last.data = j.crashed(err)
		}
		s.reports <- last
	}()
}

// crashed is how a job ends that could not end itself.
func (j *job) crashed(err error) (Kind, any) {
	if j.accept != nil {
		return KindEvaluated, &Evaluated{Accept: true, Error: line(err)}
	}
	return KindTurnEnded, &TurnEnded{Outcome: OutcomeInfraError, Summary: line(err)}
}

// hear takes one report of the running job.
func (s *Session) hear(r report) {
	j := s.jobs[r.turn]
	if j == nil {
		return // from a model that goes on talking after its turn
	}
	s.emit(r.turn, r.kind, r.data)
	if response, ok := r.data.(*ModelResponded); ok {
		s.opts.Allowance.Spend(response.Usage, j.price)
	}
	if !r.last {
		return
	}
	delete(s.jobs, r.turn)
	switch d := r.data.(type) {
	case *TurnEnded:
		if j.counted && s.state.Turn(r.turn).Void() {
			s.opts.Allowance.add(-1)
		}
		s.turnEnded(d)
	case *Evaluated:
		s.decide(r.turn, d, j.accept)
	}
}

// turnEnded gives up the plan when a turn was stopped.
func (s *Session) turnEnded(d *TurnEnded) {
	if d.Outcome != OutcomeStopped {
		return
	}
	s.plan = nil
	if s.opts.Unattended {
		s.ending = cmp.Or(s.ending, "quit")
	}
}

// emit makes one event durable, then visible. Text that still waits to be shown
// comes first.
func (s *Session) emit(turn int, kind Kind, data any) {
	if kind != KindTextDelta {
		s.showText()
	}
	now := s.opts.Clock()
	e := Event{
		Kind: kind, Time: stamp(now), Mono: now.Sub(s.begun),
		Session: s.opts.ID, Group: s.opts.Start.Group, Turn: turn, Actor: actorOf(kind), Data: data,
	}
	failed := false
	if !kind.Live() {
		s.seq++
		e.Seq, e.ID = s.seq, s.opts.NewID()
		failed = !s.record(e)
	}
	s.state.Apply(e)
	s.opts.Observe(e)
	if failed {
		s.notice(0, LevelError, fmt.Sprintf("%v; the session goes on, but nothing more is recorded", s.lost))
	}
}

// record appends e, unless an earlier event could not be: a log with a gap
// would not be believed. It is false for the first event lost.
func (s *Session) record(e Event) bool {
	if s.lost != nil {
		return true
	}
	s.lost = s.opts.Recorder.Append(e)
	return s.lost == nil
}

// showText shows what was heard of every reply.
func (s *Session) showText() {
	for _, turn := range slices.Sorted(maps.Keys(s.jobs)) {
		for _, text := range s.jobs[turn].text.take() {
			s.emit(turn, KindTextDelta, text)
		}
	}
}

func (s *Session) notice(turn int, level Level, text string) {
	s.emit(turn, KindNoticed, &Noticed{Level: level, Text: text})
}

// stamp is a time as the record keeps it, so that a live session and a stored
// one show the same.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func actorOf(k Kind) Actor {
	switch k {
	case KindTextDelta, KindModelResponded:
		return ActorModel
	case KindHumanActed:
		return ActorHuman
	}
	return ActorHarness
}
