package agent_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/agent/prompt"
	"example.com/hone/gpu"
)

// bench is one session with fakes around it, inside a synctest bubble, so that
// wait returns when nothing can happen without another command.
type bench struct {
	t         *testing.T
	session   *agent.Session
	model     *agenttest.Model
	evaluator *agenttest.Evaluator
	recorder  *agenttest.Recorder
	cancel    context.CancelFunc
	done      chan error

	mu   sync.Mutex
	seen []agent.Event
}

// inSession runs play beside a session made of opts, and ends both. Commands, if
// any, were sent before it runs.
func inSession(t *testing.T, opts agent.Options, play func(*bench), first ...agent.Command) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, done: make(chan error, 1)}
		b.model, _ = opts.Model.(*agenttest.Model)
		b.evaluator, _ = opts.Evaluator.(*agenttest.Evaluator)
		if opts.Recorder == nil {
			opts.Recorder = &agenttest.Recorder{}
		}
		b.recorder, _ = opts.Recorder.(*agenttest.Recorder)
		opts.Task, opts.NewID, opts.Observe = agenttest.Task(), agenttest.IDs(), b.observe
		b.session = agent.NewSession(opts)
		for _, c := range first {
			b.session.Send(c)
		}
		ctx, cancel := context.WithCancel(t.Context())
		b.cancel = cancel
		go func() { b.done <- b.session.Run(ctx) }()
		synctest.Wait()
		play(b)
		cancel()
		synctest.Wait()
	})
}

func (b *bench) observe(e agent.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = append(b.seen, e)
}

// send gives commands one after the other, each when the session is at rest.
func (b *bench) send(commands ...agent.Command) {
	for _, c := range commands {
		b.session.Send(c)
		b.rest()
	}
}

// rest lets a second pass, so that text still held back is shown.
func (b *bench) rest() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func (b *bench) events() []agent.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]agent.Event(nil), b.seen...)
}

func (b *bench) state() *agent.State {
	var s agent.State
	for _, e := range b.events() {
		s.Apply(e)
	}
	return &s
}

// end quits and returns what Run returned.
func (b *bench) end() error {
	b.session.Send(agent.Command{Action: agent.ActionQuit})
	return <-b.done
}

// kinds are the durable events of a turn, in order.
func kinds(events []agent.Event, turn int) string {
	var all []string
	for _, e := range events {
		if e.Turn == turn && !e.Kind.Live() {
			all = append(all, string(e.Kind))
		}
	}
	return strings.Join(all, " ")
}

func (b *bench) lastNotice() string {
	notices := b.state().Notices
	if len(notices) == 0 {
		return ""
	}
	return notices[len(notices)-1].Text
}

// answer is a reply that holds the kernel of turn n of the story.
func answer(n int) agenttest.Answer {
	return agenttest.Answer{
		Reasoning: "Rows are independent.",
		Content:   "A plan.\n\n```cuda\n" + agenttest.Kernel(n) + "```\n\nWhat it does.\n",
	}
}

func correct(n int, speedup float64) agenttest.Judgement {
	return agenttest.Judgement{Verdict: agenttest.Correct(agenttest.Kernel(n), speedup)}
}

func model(answers ...agenttest.Answer) *agenttest.Model { return &agenttest.Model{Answers: answers} }

func evaluator(js ...agenttest.Judgement) *agenttest.Evaluator {
	return &agenttest.Evaluator{Judgements: js}
}

var (
	next   = agent.Command{Action: agent.ActionNext}
	stop   = agent.Command{Action: agent.ActionStop}
	accept = agent.Command{Action: agent.ActionAccept}
)

// modelTurn is a turn of the model and what has to come of it.
type modelTurn struct {
	name      string
	answer    agenttest.Answer
	judgement *agenttest.Judgement // nil: nothing may be evaluated
	outcome   string
	score     *float64
	kinds     string
	says      string // part of the summary
}

func modelTurns() []modelTurn {
	whole := "turn.start prompt.built model.request model.response code.extracted eval.result score.assigned turn.end"
	half := 0.5
	return []modelTurn{
		{
			name: "correct", answer: answer(4), judgement: ptr(correct(4, 0.2)), outcome: "correct", score: &half, kinds: whole,
		},
		{
			name: "compile error", answer: answer(1), judgement: &agenttest.Judgement{Verdict: agenttest.CompileError(agenttest.Kernel(1))},
			outcome: "compile_error", score: new(float64), kinds: whole, says: "line 15",
		},
		{
			name: "unsupported here", answer: answer(1),
			judgement: &agenttest.Judgement{Verdict: gpu.Verdict{Outcome: gpu.OutcomeUnsupported, Summary: "unsupported on CPU"}},
			outcome:   "unsupported", kinds: whole,
		},
		{
			name: "harness could not tell", answer: answer(1), judgement: &agenttest.Judgement{Error: errors.New("judge died:\nsignal 9")},
			outcome: agent.OutcomeInfraError, kinds: whole, says: "judge died: signal 9",
		},
		{
			name: "evaluator panics", answer: answer(1), judgement: &agenttest.Judgement{Panic: "index out of range"},
			outcome: agent.OutcomeInfraError, kinds: whole, says: "internal error at evaluator.go:",
		},
		{
			name: "no code", answer: agenttest.Answer{Content: "I would rather not."},
			outcome: "parse_error", score: new(float64), kinds: whole, says: "no kernel in the reply",
		},
		{
			name: "length limit", answer: agenttest.Answer{Content: answer(4).Content, Finish: "length"},
			outcome: agent.OutcomeTruncated, score: new(float64), says: "cut off",
			kinds: strings.Replace(whole, "eval.result ", "", 1),
		},
		{
			name: "stream fails", answer: agenttest.Answer{Content: "Half of", Error: errors.New("connection reset; retry")},
			outcome: agent.OutcomeModelError, says: "connection reset; retry",
			kinds: strings.Replace(whole, "eval.result score.assigned ", "", 1),
		},
		{
			name: "model panics", answer: agenttest.Answer{Content: "Half of", Panic: "nil map"},
			outcome: agent.OutcomeModelError, says: "internal error at model.go:",
			kinds: strings.Replace(whole, "eval.result score.assigned ", "", 1),
		},
	}
}

func TestTurnsOfAModel(t *testing.T) {
	t.Parallel()
	for _, test := range modelTurns() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := evaluator()
			if test.judgement != nil {
				e = evaluator(*test.judgement)
			}
			inSession(t, agent.Options{Model: model(test.answer), Evaluator: e}, func(b *bench) {
				b.send(next)
				turn := b.state().Turn(1)
				if turn == nil || turn.End == nil {
					t.Fatal("the turn did not end")
				}
				if turn.End.Outcome != test.outcome || !strings.Contains(turn.End.Summary, test.says) {
					t.Errorf("end = %+v, want %s with %q", *turn.End, test.outcome, test.says)
				}
				if !reflect.DeepEqual(turn.Score, test.score) {
					t.Errorf("score = %v, want %v", turn.Score, test.score)
				}
				if got := kinds(b.recorder.Events(), 1); got != test.kinds {
					t.Errorf("events:\n got %s\nwant %s", got, test.kinds)
				}
				if turn.Content != test.answer.Content || turn.Reasoning != test.answer.Reasoning {
					t.Errorf("text = %q, %q, want all that was streamed", turn.Reasoning, turn.Content)
				}
				if got := len(b.evaluator.Requests()); (got > 0) != (test.judgement != nil) {
					t.Errorf("%d evaluations", got)
				}
				if b.state().Running != 0 {
					t.Error("still running")
				}
			})
		})
	}
}

func ptr[T any](v T) *T { return &v }

func TestStop(t *testing.T) {
	t.Parallel()
	hang := answer(4)
	hang.Hang = true
	tests := []struct {
		name      string
		answer    agenttest.Answer
		judgement agenttest.Judgement
		summary   string
	}{
		{"while streaming", hang, correct(4, 1), "while the model was writing"},
		{"while evaluating", answer(4), agenttest.Judgement{Hang: true}, "while the kernel was evaluated"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			opts := agent.Options{Model: model(test.answer, answer(3)), Evaluator: evaluator(test.judgement, correct(3, 1))}
			inSession(t, opts, func(b *bench) {
				b.send(next)
				if b.state().Running != 1 {
					t.Fatal("turn 1 does not run")
				}
				b.send(stop)
				s := b.state()
				turn := s.Turn(1)
				if s.Running != 0 || turn.End.Outcome != agent.OutcomeStopped || !strings.Contains(turn.End.Summary, test.summary) {
					t.Errorf("end = %+v", turn.End)
				}
				if turn.Content != answer(4).Content || turn.Kernel() != agenttest.Kernel(4) || turn.Score != nil {
					t.Errorf("what came before the stop is not kept: %+v", turn)
				}
				b.send(next)
				if b.state().Turn(2) == nil {
					t.Error("the session did not go on")
				}
			})
		})
	}
}

func TestStopEndsTheAutomaticTurns(t *testing.T) {
	t.Parallel()
	opts := agent.Options{Model: model(agenttest.Answer{Hang: true}, answer(3)), Evaluator: evaluator(correct(3, 1)), Plan: agent.Plan{Turns: 5}}
	inSession(t, opts, func(b *bench) {
		b.send(stop)
		if s := b.state(); len(s.Turns) != 1 || s.Running != 0 || s.Ended != nil {
			t.Errorf("%d turns, %d runs", len(s.Turns), s.Running)
		}
	})
}

func TestEndWhileATurnRuns(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*bench){
		"quit":        func(b *bench) { b.session.Send(agent.Command{Action: agent.ActionQuit}) },
		"interrupted": func(b *bench) { b.cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := agent.Options{Model: model(agenttest.Answer{Content: "half", Hang: true}), Evaluator: evaluator()}
			inSession(t, opts, func(b *bench) {
				b.send(next)
				end(b)
				if err := <-b.done; err != nil {
					t.Error(err)
				}
				s := b.state()
				if s.Ended == nil || s.Ended.Reason != "quit" || s.Turn(1).End.Outcome != agent.OutcomeStopped {
					t.Errorf("end %+v of turn %+v", s.Ended, s.Turn(1).End)
				}
				if r := s.Turn(1).Response; r == nil || r.Content != "half" || r.CancelledBy != "human" || r.Complete {
					t.Errorf("response = %+v", r)
				}
			})
		})
	}
}

func TestEventsAreNumberedAndDurableFirst(t *testing.T) {
	t.Parallel()
	opts := threeTurns()
	recorder := &agenttest.Recorder{}
	opts.Recorder = recorder
	opts.Clock = agenttest.NewClock(1500 * time.Nanosecond).Now
	inSession(t, opts, func(b *bench) {
		b.send(next, next)
		recorded := recorder.Events()
		ids := map[string]bool{}
		var seq int64
		for _, e := range b.events() {
			if e.Time != e.Time.UTC().Truncate(time.Microsecond) || e.Session == "" || e.Actor == "" {
				t.Errorf("event %+v", e)
			}
			if e.Kind.Live() {
				if e.Seq != 0 || e.ID != "" {
					t.Errorf("live event %+v", e)
				}
				continue
			}
			seq++
			if e.Seq != seq || ids[e.ID] || recorded[seq-1].ID != e.ID {
				t.Errorf("event %+v, want seq %d and an id of its own", e, seq)
			}
			ids[e.ID] = true
		}
		if int(seq) != len(recorded) {
			t.Errorf("%d durable events seen, %d recorded", seq, len(recorded))
		}
	})
}

// orderly fails the test if an event was observed before it was recorded.
type orderly struct {
	agenttest.Recorder
	t    *testing.T
	seen int64
}

func (o *orderly) Append(e agent.Event) error {
	if o.seen != e.Seq-1 {
		o.t.Errorf("seq %d is recorded after seq %d was shown", e.Seq, o.seen)
	}
	return o.Recorder.Append(e)
}

func TestNothingIsShownBeforeItIsRecorded(t *testing.T) {
	t.Parallel()
	o := &orderly{t: t}
	session := agent.NewSession(agent.Options{
		Task: agenttest.Task(), Model: model(answer(3)), Evaluator: evaluator(correct(3, 1)), Recorder: o,
		Plan: agent.Plan{Turns: 1}, Unattended: true,
		Observe: func(e agent.Event) {
			if !e.Kind.Live() {
				o.seen = e.Seq
			}
		},
	})
	if err := session.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if o.seen == 0 || o.seen != int64(len(o.Events())) {
		t.Errorf("%d shown, %d recorded", o.seen, len(o.Events()))
	}
}

func TestAFullDiskIsSaidOnce(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full: free some space")
	opts := threeTurns()
	recorder := &agenttest.Recorder{Limit: 7, Fault: full}
	opts.Recorder = recorder
	inSession(t, opts, func(b *bench) {
		b.send(next, next)
		s := b.state()
		if len(s.Turns) != 2 || s.Turn(2).End == nil {
			t.Error("the session did not go on in memory")
		}
		said := 0
		for _, n := range s.Notices {
			if strings.Contains(n.Text, "disk is full") && n.Level == agent.LevelError {
				said++
			}
		}
		if said != 1 {
			t.Errorf("said %d times, want once", said)
		}
		if got := recorder.Tried(); got != 8 {
			t.Errorf("%d appends, want none after the one that failed", got)
		}
		if err := b.end(); !errors.Is(err, full) || !strings.Contains(err.Error(), "incomplete") {
			t.Errorf("Run returned %v", err)
		}
	})
}

// slow gives a reply piece by piece, a millisecond apart.
type slow struct {
	agenttest.Model
	text string
}

func (s *slow) Stream(_ context.Context, _ []prompt.Message, emit func(agent.ModelEvent)) (agent.Reply, error) {
	for i, r := range s.text {
		time.Sleep(time.Millisecond)
		emit(agent.ModelEvent{Delta: agent.TextDelta{Reasoning: i < len(s.text)/2, Text: string(r)}})
	}
	return agent.Reply{
		Reasoning: s.text[:len(s.text)/2], Content: s.text[len(s.text)/2:], Complete: true, FinishReason: "stop",
	}, nil
}

func TestDeltasAreMerged(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 40)
	opts := agent.Options{Model: &slow{text: text}, Evaluator: evaluator()}
	inSession(t, opts, func(b *bench) {
		b.send(next)
		var shown [2]string
		var last time.Time
		var deltas, early int
		for _, e := range b.events() {
			d, ok := e.Data.(*agent.TextDelta)
			if e.Kind == agent.KindModelResponded && shown[0]+shown[1] != text {
				t.Errorf("shown before the response: %q %q", shown[0], shown[1])
			}
			if !ok {
				continue
			}
			deltas++
			if d.Reasoning {
				shown[0] += d.Text
			} else {
				shown[1] += d.Text
			}
			if e.Time.Sub(last) < 50*time.Millisecond {
				early++
			}
			last = e.Time
		}
		if shown[0] != text[:200] || shown[1] != text[200:] {
			t.Errorf("shown %q and %q", shown[0], shown[1])
		}
		// 400 ms of text: one each frame, and one more before the switch to the
		// answer, before the response, and at the end of the frame of the switch.
		if deltas < 7 || deltas > 11 || early > 3 {
			t.Errorf("%d deltas, %d of them early", deltas, early)
		}
	})
}

func TestTextIsShownBeforeANotice(t *testing.T) {
	t.Parallel()
	opts := agent.Options{Model: model(agenttest.Answer{Content: "abcdefgh", Hang: true}), Evaluator: evaluator()}
	inSession(t, opts, func(b *bench) {
		b.session.Send(next)
		b.session.Send(accept) // refused
		synctest.Wait()
		b.session.Send(accept)
		synctest.Wait()
		var text string
		for _, e := range b.events() {
			if d, ok := e.Data.(*agent.TextDelta); ok {
				text += d.Text
			}
		}
		if text != "abcdefgh" {
			t.Errorf("before the notice only %q was shown", text)
		}
	})
}

func TestFailedAttemptsAreRecorded(t *testing.T) {
	t.Parallel()
	a := answer(3)
	a.Failures = 2
	inSession(t, agent.Options{Model: model(a), Evaluator: evaluator(correct(3, 1))}, func(b *bench) {
		b.send(next)
		var attempts []int
		for _, e := range b.recorder.Events() {
			if d, ok := e.Data.(*agent.ModelRequested); ok {
				attempts = append(attempts, d.Attempt)
			}
		}
		if !reflect.DeepEqual(attempts, []int{1, 2, 3}) {
			t.Errorf("attempts %v", attempts)
		}
		if got := b.lastNotice(); got != "429 too many requests; asking again in 1s (attempt 3)" {
			t.Errorf("notice %q", got)
		}
		if b.state().Turn(1).End.Outcome != "correct" {
			t.Error("the third attempt did not count")
		}
	})
}

func TestManySenders(t *testing.T) {
	t.Parallel()
	inSession(t, threeTurns(), func(b *bench) {
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { b.session.Send(stop) })
		}
		all.Wait()
		b.rest()
		if n := len(b.state().Notices); n != 50 {
			t.Errorf("%d of 50 commands were answered", n)
		}
	})
}

// TestEmptyListsAreNoNulls holds every list of every event to being there: null
// says that something is unknown.
func TestEmptyListsAreNoNulls(t *testing.T) {
	t.Parallel()
	opts := threeTurns()
	opts.Model = model(answer(2), agenttest.Answer{Content: "no kernel at all"})
	inSession(t, opts, func(b *bench) {
		b.send(next, next, agent.Command{Action: agent.ActionPrompt},
			agent.Command{Action: agent.ActionEdit, Turn: 1, Kernel: agenttest.Kernel(3)})
		lists := 0
		for _, e := range b.events() {
			data := reflect.ValueOf(e.Data).Elem()
			if d, ok := e.Data.(*agent.PromptDrafted); ok {
				data = reflect.ValueOf(d.Prompt)
			}
			for i := range data.NumField() {
				if data.Field(i).Kind() != reflect.Slice {
					continue
				}
				lists++
				if data.Field(i).IsNil() {
					t.Errorf("turn %d: %s of %s is null", e.Turn, data.Type().Field(i).Name, e.Kind)
				}
			}
		}
		if lists < 8 {
			t.Errorf("only %d lists were looked at", lists)
		}
	})
}
