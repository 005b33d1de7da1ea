package agent

import (
	"time"

	"example.com/hone/gpu"
)

// State is what the events of a session add up to so far. Apply is its only
// writer; everything that shows a session, live or stored, reads one of these.
type State struct {
	Session  SessionStarted
	Task     TaskPinned
	Facts    map[string]string
	Turns    []*Turn        // Turns[i].Number == i+1
	Running  int            // number of the earliest turn in progress, 0 when idle
	Current  int            // the turn that a plain "next" builds on
	Best     int            // the correct turn with the highest score, 0 for none
	Accepted int            // the accepted turn, 0 for none
	Pinned   int            // the turn that a person wants beaten, 0 for none
	Draft    *PromptDrafted // what would be sent next, as it was last asked for; nil once a turn starts
	Notices  []Notice
	Started  time.Time
	Last     time.Time // of the newest event
	Ended    *SessionEnded
	ID       string // of the session
}

// Notice is a Noticed with its time and turn.
type Notice struct {
	Noticed
	Time time.Time
	Turn int
}

// Phase is what a turn is doing.
type Phase string

// The phases, in order.
const (
	PhasePrompt Phase = "prompt" // building the prompt, waiting for the first token
	PhaseStream Phase = "stream"
	PhaseJudge  Phase = "judge"
	PhaseDone   Phase = "done"
)

// Turn is one node of the session's tree.
type Turn struct {
	Number int
	TurnStarted
	Started time.Time
	Phase   Phase

	Prompt    *PromptBuilt
	Request   *ModelRequested
	Sent      time.Time // when the newest attempt is sent, which may be yet to come
	Reasoning string    // grows while the reply streams
	Content   string
	Response  *ModelResponded
	Code      *CodeExtracted

	Stages  map[gpu.Stage]gpu.Event // latest event of each stage reached
	Verdict *gpu.Verdict
	Final   *gpu.Verdict // of the check made when the turn was accepted
	Error   string       // the harness's, when there is no verdict
	Score   *float64
	End     *TurnEnded

	Accepted  bool
	Rejected  bool
	Rejection string // why it was rejected
	Marks
}

// Speedup returns the turn's speedup over the baseline its score used.
func (t *Turn) Speedup() (float64, bool) {
	if t.Verdict == nil || !t.Verdict.Outcome.Correct() {
		return 0, false
	}
	s, ok := t.Verdict.Speedup[t.Verdict.ScoreBasis]
	return s, ok
}

// Kernel is the turn's source text, "" if it has none.
func (t *Turn) Kernel() string {
	if t.Code == nil {
		return ""
	}
	return t.Code.Kernel
}

// Turn returns turn n, or nil.
func (s *State) Turn(n int) *Turn {
	if n < 1 || n > len(s.Turns) {
		return nil
	}
	return s.Turns[n-1]
}

// Path lists the turns from the root to turn n, n included.
func (s *State) Path(n int) []*Turn {
	var path []*Turn
	for t := s.Turn(n); t != nil; t = s.Turn(t.Parent) {
		path = append([]*Turn{t}, path...)
	}
	return path
}

// Replay is the state after some events.
func Replay(events []Event) *State {
	var s State
	for _, e := range events {
		s.Apply(e)
	}
	return &s
}

// Apply adds one event. Events of unknown kinds, or about turns that never
// started, change nothing, so that logs of other versions still open.
func (s *State) Apply(e Event) {
	if !e.Time.IsZero() {
		s.Last = e.Time
	}
	switch d := e.Data.(type) {
	case *SessionStarted:
		s.Session, s.Started, s.ID = *d, e.Time, e.Session
	case *TaskPinned:
		s.Task = *d
	case *Environment:
		s.Facts = d.Facts
	case *ModelChanged:
		s.Session.Profile, s.Session.Model, s.Session.Endpoint, s.Session.Scripted = d.Profile, d.Model, d.Endpoint, d.Scripted
	case *Noticed:
		s.Notices = append(s.Notices, Notice{Noticed: *d, Time: e.Time, Turn: e.Turn})
	case *SessionEnded:
		s.Ended, s.Running = d, 0
	case *PromptDrafted:
		s.Draft = d
	case *TurnStarted:
		s.open(e, d)
	default:
		if t := s.Turn(e.Turn); t != nil {
			s.applyTurn(t, e)
		}
	}
}

// open adds a turn. A parent is always an earlier turn, so that every path ends.
func (s *State) open(e Event, d *TurnStarted) {
	if e.Turn != len(s.Turns)+1 || d.Parent < 0 || d.Parent >= e.Turn {
		return
	}
	s.Turns = append(s.Turns, &Turn{
		Number: e.Turn, TurnStarted: *d, Started: e.Time,
		Phase: PhasePrompt, Stages: map[gpu.Stage]gpu.Event{},
	})
	s.Current, s.Draft, s.Ended = e.Turn, nil, nil // a session may go on after its end
	if s.Running == 0 {
		s.Running = e.Turn
	}
}

// earliestRunning is the first turn in progress, 0 for none.
func (s *State) earliestRunning() int {
	for _, t := range s.Turns {
		if t.running() {
			return t.Number
		}
	}
	return 0
}

func (s *State) applyTurn(t *Turn, e Event) {
	switch d := e.Data.(type) {
	case *PromptBuilt:
		t.Prompt = d
	case *ModelRequested:
		t.Request, t.Sent = d, e.Time.Add(d.Wait)
	case *TextDelta:
		t.Phase = PhaseStream
		if d.Reasoning {
			t.Reasoning += d.Text
		} else {
			t.Content += d.Text
		}
	case *ModelResponded:
		kept := *d
		kept.Raw = "" // many times the size of the text, and nothing shows it
		t.Response, t.Content, t.Reasoning = &kept, d.Content, d.Reasoning
		clear(t.Stages) // of what was built ahead: it is told again if it is what the reply holds
		t.Phase = PhaseJudge
	case *CodeExtracted:
		t.Code, t.Phase = d, PhaseJudge
	case *gpu.Event:
		if d.Stage == gpu.StageQueue {
			clear(t.Stages) // what gave way to others begins anew
		}
		delete(t.Stages, gpu.StageQueue) // over with the next stage
		t.Stages[d.Stage] = *d
	case *Evaluated:
		s.evaluated(t, d)
	case *Scored:
		t.Score = d.Score
	case *HumanActed:
		s.acted(t, d)
	case *TurnEnded:
		t.End, t.Phase = d, PhaseDone
		s.Running = s.earliestRunning()
		s.rank(t)
	}
}

// evaluated replaces the progress shown by what the verdict says of each stage;
// after a final check the stages of the turn's own verdict show again.
func (s *State) evaluated(t *Turn, d *Evaluated) {
	if d.Accept {
		t.Final = d.Verdict
	} else {
		t.Verdict, t.Error = d.Verdict, d.Error
	}
	t.Stages = map[gpu.Stage]gpu.Event{}
	if t.Verdict == nil {
		return
	}
	for _, st := range t.Verdict.Stages {
		t.Stages[st.Name] = gpu.Event{
			Stage: st.Name, Status: st.Status, Detail: st.Detail,
			Elapsed: time.Duration(st.MS * float64(time.Millisecond)),
		}
	}
}

func (s *State) acted(t *Turn, d *HumanActed) {
	switch d.Action {
	case ActionAccept:
		if old := s.Turn(s.Accepted); old != nil {
			old.Accepted = false
		}
		t.Accepted, t.Rejected, s.Accepted = true, false, t.Number
	case ActionReject:
		t.Rejected, t.Rejection = true, d.Text
		if t.Accepted {
			t.Accepted, s.Accepted = false, 0
		}
	default:
		s.mark(t, d)
	}
}

// rank keeps Best: only a correct, scored turn, and the earlier of two equals.
func (s *State) rank(t *Turn) {
	if t.Verdict == nil || !t.Verdict.Outcome.Correct() || t.Score == nil {
		return
	}
	best := s.Turn(s.Best)
	if best == nil || best.Score == nil || *t.Score > *best.Score {
		s.Best = t.Number
	}
}
