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

// inSession runs play beside a session made of opts, and ends both.
func inSession(t *testing.T, opts agent.Options, play func(*bench)) {
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

func TestTurnsOfAModel(t *testing.T) {
	t.Parallel()
	whole := "turn.start prompt.built model.request model.response code.extracted eval.result score.assigned turn.end"
	half := 0.5
	tests := []struct {
		name      string
		answer    agenttest.Answer
		judgement *agenttest.Judgement // nil: nothing may be evaluated
		outcome   string
		score     *float64
		kinds     string
		says      string // part of the summary
	}{
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
	for _, test := range tests {
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
