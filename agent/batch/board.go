package batch

import (
	"slices"
	"time"

	"example.com/hone/agent"
	"example.com/hone/gpu"
)

// Board is how far a run is.
type Board struct {
	Manifest Manifest
	Entries  []Entry // in the order of the manifest
}

// Entry is one session of a run.
type Entry struct {
	Planned
	Stage        Stage
	Turns        int // that came to a result
	Trajectories []Trajectory

	state *agent.State // while it runs
}

// Stage is what a session is doing.
type Stage string

// The stages. A search of several samples asks and is judged at once: then it
// counts as asking.
const (
	StageTodo    Stage = "to do"
	StageAsking  Stage = "asking"  // the model
	StageWaiting Stage = "waiting" // for the device
	StageJudging Stage = "judging"
	StageDone    Stage = "done"
)

func newBoard(m Manifest) *Board {
	b := &Board{Manifest: m}
	for _, p := range m.Trajectories {
		b.Entries = append(b.Entries, Entry{Planned: p, Stage: StageTodo, Trajectories: Trajectories(p, m.Settings.Plan, nil)})
	}
	return b
}

// copy is the board as it is now, without the states of the sessions that go on.
func (b *Board) copy() *Board {
	c := &Board{Manifest: b.Manifest, Entries: slices.Clone(b.Entries)}
	for i := range c.Entries {
		c.Entries[i].state = nil
	}
	return c
}

// begin opens an entry.
func (b *Board) begin(i int) {
	b.Entries[i].state, b.Entries[i].Stage = &agent.State{}, StageAsking
}

// recall takes the history of an entry.
func (b *Board) recall(i int, events []agent.Event) {
	entry := &b.Entries[i]
	for _, e := range events {
		entry.state.Apply(e)
	}
	entry.sum(b.Manifest.Settings.Plan)
}

// hear takes an event of an entry.
func (b *Board) hear(i int, e agent.Event) {
	entry := &b.Entries[i]
	entry.state.Apply(e)
	entry.Stage = stageOf(entry.state)
	if e.Kind == agent.KindTurnEnded || e.Kind == agent.KindSessionEnded {
		entry.sum(b.Manifest.Settings.Plan)
	}
}

func (e *Entry) sum(plan agent.Plan) {
	e.Trajectories = Trajectories(e.Planned, plan, e.state)
	e.Turns = 0
	for _, t := range e.state.Turns {
		if t.Told() {
			e.Turns++
		}
	}
}

// end closes an entry and lets its texts go.
func (b *Board) end(i int) {
	entry := &b.Entries[i]
	entry.sum(b.Manifest.Settings.Plan)
	entry.Stage, entry.state = StageDone, nil
}

// complete reports whether a session has all its turns.
func (e *Entry) complete() bool {
	return !slices.ContainsFunc(e.Trajectories, func(t Trajectory) bool { return !t.Complete })
}

// stageOf is what the session's earliest running turn is doing.
func stageOf(s *agent.State) Stage {
	t := s.Turn(s.Running)
	switch {
	case t == nil || t.Phase == agent.PhasePrompt || t.Phase == agent.PhaseStream:
		return StageAsking
	case t.Stages[gpu.StageQueue].Status == gpu.StatusRunning:
		return StageWaiting
	}
	return StageJudging
}

// Progress is how far the trajectories of one task, or all of them, are.
type Progress struct {
	Task     string
	Sessions int
	Ended    int // sessions
	Done     int // of these, with all their turns
	Turns    int // that came to a result
	Wanted   int // turns, all in all
	Correct  int // trajectories with a correct turn so far
	Best     *float64
	Asking   int
	Waiting  int
	Judging  int
}

// Active reports whether any of the sessions runs.
func (p Progress) Active() bool { return p.Asking+p.Waiting+p.Judging > 0 }

// Over reports whether all of the sessions have ended.
func (p Progress) Over() bool { return p.Ended == p.Sessions }

func (p *Progress) add(e Entry, plan agent.Plan) {
	p.Sessions++
	p.Wanted += plan.Turns * plan.Replies()
	p.Turns += e.Turns
	switch e.Stage {
	case StageDone:
		p.Ended++
		if e.complete() {
			p.Done++
		}
	case StageAsking:
		p.Asking++
	case StageWaiting:
		p.Waiting++
	case StageJudging:
		p.Judging++
	}
	for _, t := range e.Trajectories {
		p.trajectory(t)
	}
}

func (p *Progress) trajectory(t Trajectory) {
	correct := false
	for _, s := range t.Samples {
		correct = correct || s.Outcome == string(gpu.OutcomeCorrect)
		if s.Speedup != nil && (p.Best == nil || *s.Speedup > *p.Best) {
			p.Best = s.Speedup
		}
	}
	if correct {
		p.Correct++
	}
}

// Tasks is the progress of every task, in the order of the manifest.
func (b *Board) Tasks() []Progress {
	var all []Progress
	at := map[string]int{}
	for _, e := range b.Entries {
		i, ok := at[e.Task]
		if !ok {
			i = len(all)
			at[e.Task] = i
			all = append(all, Progress{Task: e.Task})
		}
		all[i].add(e, b.Manifest.Settings.Plan)
	}
	return all
}

// Total is the progress of all.
func (b *Board) Total() Progress {
	var p Progress
	for _, e := range b.Entries {
		p.add(e, b.Manifest.Settings.Plan)
	}
	return p
}

// Trajectories are those of all sessions.
func (b *Board) Trajectories() []Trajectory {
	var all []Trajectory
	for _, e := range b.Entries {
		all = append(all, e.Trajectories...)
	}
	return all
}

// tick is how often a board that changes is shown.
const tick = 250 * time.Millisecond
