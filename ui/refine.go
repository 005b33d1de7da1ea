package ui

import (
	"time"

	"example.com/hone/agent"
	"example.com/hone/gpu"
	"example.com/hone/ui/code"
	"example.com/hone/ui/theme"
)

// refine is the screen of one session, live or stored. What it shows of the
// session is its state and the texts of its turns, both fed by events alone.
type refine struct {
	theme      theme.Theme
	generation int
	title      string // until the session says what its task is
	live       Live   // nil while opening and for a stored run
	opening    bool
	stored     bool
	ended      bool // no more events will come
	ticking    bool // a tick is on its way

	state    agent.State
	sheets   map[int]*sheet
	log      eventLog
	text     taskText
	declared string // the signature that text shows
	prompt   paper  // what the turn promptOf was asked
	promptOf int
	ahead    ahead // what would be asked next
	checking int   // turn under its final check, 0 for none
	drift    drift // whether the model still writes as usual

	viewed   int       // the turn on screen; 0: always the newest
	shown    time.Time // when what is decided on came on screen
	watch    watch     // and how long it was there
	main     pane      // what the main column shows
	focus    pane
	zoom     bool
	wrap     bool
	thoughts bool // the thoughts in full, in place of two lines
	scrolls  map[pane]*scroll
	found    match
}

func newRefine(th theme.Theme, generation int, title string) *refine {
	r := &refine{
		theme: th, generation: generation, title: title,
		sheets: map[int]*sheet{}, scrolls: map[pane]*scroll{},
		main: paneKernel, focus: paneKernel,
	}
	for p := paneTask; p <= panePrompt; p++ {
		r.scrolls[p] = &scroll{follow: p == paneLog}
	}
	return r
}

// pin shows a task, also before its session has started.
func (r *refine) pin(t agent.TaskPinned) {
	r.state.Task, r.text, r.declared = t, plainTask(t), t.Signature
}

// apply takes what happened. Order matters: the texts look at the state that
// each event leaves behind.
func (r *refine) apply(events []agent.Event, now time.Time) {
	for _, e := range events {
		before := r.number()
		r.state.Apply(e)
		r.log.add(e)
		r.note(e)
		if s := r.sheet(e.Turn); s != nil {
			s.hear(e, r.state.Turn(e.Turn))
		}
		if r.number() != before {
			r.look(r.viewed, now)
		}
		if e.Kind == agent.KindTurnEnded && e.Turn == r.number() {
			r.shown = now
			r.watch.look(e.Turn, now)
		}
	}
}

// note keeps what is only about the present: nothing of it is in the record.
func (r *refine) note(e agent.Event) {
	switch d := e.Data.(type) {
	case *agent.TaskPinned:
		if r.stored || r.declared != d.Signature || len(r.text.reference) == 0 {
			r.pin(*d)
		}
	case *agent.TurnStarted:
		r.ahead.close()
	case *agent.Evaluated:
		if d.Accept {
			r.checking = 0
		}
	case *agent.Noticed:
		if d.Level != agent.LevelInfo {
			r.checking = 0 // a refusal; if it was not, the next stage says so
		}
	case *agent.SessionEnded:
		r.checking = 0
	}
	if e.Kind == agent.KindStageChanged {
		if t := r.state.Turn(e.Turn); t != nil && t.Phase == agent.PhaseDone {
			r.checking = e.Turn
		}
	}
}

// number is the turn on screen, 0 when there is none.
func (r *refine) number() int {
	if r.viewed != 0 {
		return r.viewed
	}
	return len(r.state.Turns)
}

func (r *refine) turn() *agent.Turn { return r.state.Turn(r.number()) }

func (r *refine) isChecking(t *agent.Turn) bool { return t != nil && t.Number == r.checking }

func (r *refine) running() bool { return r.state.Running != 0 || r.checking != 0 }

// look puts a turn on screen: its kernel, stages and verdict together. Turn 0
// is the newest, whichever that is.
func (r *refine) look(turn int, now time.Time) {
	if turn >= len(r.state.Turns) {
		turn = 0
	}
	r.viewed, r.shown = turn, now
	if t := r.turn(); t != nil && t.End != nil {
		r.watch.look(t.Number, now)
	} else {
		r.watch.look(0, now)
	}
	r.scrolls[paneVerdict] = &scroll{}
	r.scrolls[paneReply] = &scroll{follow: r.state.Running == r.number()}
	r.scrolls[panePrompt] = &scroll{}
	r.found = match{}
}

// step views an older or a newer turn.
func (r *refine) step(delta int, now time.Time) {
	n := r.number() + delta
	if n >= 1 && n <= len(r.state.Turns) {
		r.look(n, now)
	}
}

// sheet is the texts of a turn, nil if there is no such turn.
func (r *refine) sheet(turn int) *sheet {
	t := r.state.Turn(turn)
	if t == nil {
		return nil
	}
	if r.sheets[turn] == nil {
		r.sheets[turn] = newSheet(r.theme, r.language())
	}
	return r.sheets[turn]
}

// language is that of the session's answers.
func (r *refine) language() code.Language {
	if r.state.Session.Dialect == string(gpu.Torch) {
		return code.Python
	}
	return code.CUDA
}

// kernelFile is what an answer of the session is called.
func (r *refine) kernelFile() string {
	if r.language() == code.Python {
		return "answer.py"
	}
	return "kernel.cu"
}

// previous is the turn that a turn was made from, or the one before it.
func (r *refine) previous(t *agent.Turn) *agent.Turn {
	if t == nil {
		return nil
	}
	if parent := r.state.Turn(t.Parent); parent != nil {
		return parent
	}
	return r.state.Turn(t.Number - 1)
}

// diffWith is the turn that the viewed one is compared with, or why it cannot be.
func (r *refine) diffWith(other *agent.Turn) (*agent.Turn, string) {
	t := r.turn()
	switch {
	case t == nil || t.Kernel() == "":
		return nil, "this turn has no kernel"
	case other == nil:
		return nil, "there is no other turn to compare with"
	case other.Number == t.Number:
		return nil, "this is the turn itself"
	case other.Kernel() == "":
		return nil, "the other turn has no kernel"
	}
	return other, ""
}

// kernelText is the kernel of a turn, or as much of it as has been written.
func (r *refine) kernelText(t *agent.Turn) string {
	if t == nil {
		return ""
	}
	if k := t.Kernel(); k != "" {
		return k
	}
	if s := r.sheets[t.Number]; s != nil {
		return s.raw()
	}
	return ""
}

// scroll is where the reader is in a pane. The kernel's belongs to its turn.
func (r *refine) scroll(p pane) *scroll {
	if p == paneKernel {
		if s := r.sheet(r.number()); s != nil {
			return &s.scroll
		}
	}
	return r.scrolls[p]
}

// elapsed is how long the session has taken: by the clock while something runs,
// else up to its newest event, so that a stored run shows the same.
func (r *refine) elapsed(now time.Time) time.Duration {
	if r.state.Started.IsZero() {
		return 0
	}
	if r.running() && !r.stored {
		return now.Sub(r.state.Started)
	}
	return r.state.Last.Sub(r.state.Started)
}

// moving reports whether the screen changes with time alone.
func (r *refine) moving() bool {
	return !r.stored && !r.ended && (r.running() || r.opening)
}
