package agent_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
)

// acts are the human actions so far.
func (b *bench) acts() []agent.Event {
	var acts []agent.Event
	for _, e := range b.events() {
		if e.Kind == agent.KindHumanActed {
			acts = append(acts, e)
		}
	}
	return acts
}

// lastPrompt is the text the model was sent last.
func (b *bench) lastPrompt() string {
	prompts := b.model.Prompts()
	var all []string
	for _, m := range prompts[len(prompts)-1] {
		all = append(all, m.Content)
	}
	return strings.Join(all, "\n")
}

// three answers: a wrong kernel, a correct one, a faster one.
func threeTurns() agent.Options {
	return agent.Options{
		Model: model(answer(2), answer(3), answer(4), answer(6)),
		Evaluator: evaluator(
			agenttest.Judgement{Verdict: agenttest.Mismatch(agenttest.Kernel(2))}, correct(3, 0.7), correct(4, 1.8), correct(6, 2.6),
		),
	}
}

func TestAPromptShowsThePathToItsTurn(t *testing.T) {
	t.Parallel()
	inSession(t, threeTurns(), func(b *bench) {
		b.send(next, next, next, agent.Command{Action: agent.ActionBranch, Turn: 2, Text: "use a warp per row"})
		s := b.state()
		turn := s.Turn(4)
		if turn.Parent != 2 || turn.TurnStarted.Reason != agent.ActionBranch || turn.Hint != "use a warp per row" {
			t.Errorf("turn 4 = %+v", turn.TurnStarted)
		}
		text := b.lastPrompt()
		for n, seen := range map[int]bool{2: true, 3: true, 4: false} {
			if strings.Contains(text, agenttest.Kernel(n)) != seen {
				t.Errorf("kernel %d in the prompt: %v, want %v", n, !seen, seen)
			}
		}
		for _, want := range []string{"use a warp per row", s.Turn(1).Verdict.Feedback, s.Task.Signature} {
			if !strings.Contains(text, want) {
				t.Errorf("the prompt lacks %q", want)
			}
		}
		if strings.Contains(text, "odd") && strings.Contains(text, "1021") {
			t.Error("the prompt names the sizes of the final check")
		}
		if !reflect.DeepEqual(turn.Prompt.Messages, b.model.Prompts()[3]) {
			t.Error("the recorded prompt is not what was sent")
		}
	})
}

func TestRetryHasItsSiblingsPrompt(t *testing.T) {
	t.Parallel()
	inSession(t, threeTurns(), func(b *bench) {
		b.send(next, agent.Command{Action: agent.ActionHint, Text: "mind the last rows"},
			agent.Command{Action: agent.ActionRetry, Turn: 2})
		prompts := b.model.Prompts()
		if !reflect.DeepEqual(prompts[1], prompts[2]) {
			t.Error("the retry was sent another prompt")
		}
		want := agent.TurnStarted{Parent: 1, Source: agent.SourceModel, Reason: agent.ActionRetry, Hint: "mind the last rows"}
		if got := b.state().Turn(3).TurnStarted; got != want {
			t.Errorf("turn 3 = %+v, want %+v", got, want)
		}
	})
}

func TestAStoppedTurnIsNotShownToTheModel(t *testing.T) {
	t.Parallel()
	opts := agent.Options{
		Model:     model(agenttest.Answer{Content: "half a rep", Hang: true}, answer(3)),
		Evaluator: evaluator(correct(3, 1)),
	}
	inSession(t, opts, func(b *bench) {
		b.send(next, stop, next)
		s := b.state()
		if s.Turn(2).Parent != 1 || s.Turn(2).End.Outcome != "correct" {
			t.Errorf("turn 2 = %+v", s.Turn(2))
		}
		if strings.Contains(b.lastPrompt(), "half a rep") {
			t.Error("the prompt shows the stopped reply")
		}
	})
}

func TestEdit(t *testing.T) {
	t.Parallel()
	opts := agent.Options{Model: model(answer(4)), Evaluator: evaluator(correct(4, 1.8), correct(5, 1.9))}
	inSession(t, opts, func(b *bench) {
		b.send(next)
		shown := time.Now().Add(-time.Minute)
		b.send(agent.Command{Action: agent.ActionEdit, Kernel: agenttest.Kernel(5), Shown: shown})
		s := b.state()
		turn := s.Turn(2)
		if turn.Source != agent.SourceHuman || turn.Parent != 1 || turn.Kernel() != agenttest.Kernel(5) || s.Best != 2 {
			t.Errorf("turn 2 = %+v, best %d", turn, s.Best)
		}
		if got, want := kinds(b.events(), 2), "turn.start code.extracted eval.result score.assigned turn.end"; got != want {
			t.Errorf("events %s, want %s", got, want)
		}
		req := b.evaluator.Requests()[1]
		if req.Kernel != agenttest.Kernel(5) || req.Best != agenttest.Kernel(4) || req.Accept {
			t.Errorf("request = %+v", req)
		}
		acts := b.acts()
		act := acts[len(acts)-1]
		d := act.Data.(*agent.HumanActed)
		if act.Turn != 1 || act.Actor != agent.ActorHuman || d.Before != agenttest.Kernel(4) || d.After != agenttest.Kernel(5) {
			t.Errorf("action = %+v", act)
		}
		for _, line := range []string{
			"-    sum = partial[0];\n", "+    float inverse = 1.0f / partial[0];\n", "--- turn 1\n", "+++ edited\n",
		} {
			if !strings.Contains(d.Diff, line) {
				t.Errorf("the diff lacks %q:\n%s", line, d.Diff)
			}
		}
		if d.ShownAt == nil || !d.ShownAt.Equal(shown.Truncate(time.Microsecond)) || !d.DecidedAt.After(*d.ShownAt) {
			t.Errorf("shown %v, decided %v", d.ShownAt, d.DecidedAt)
		}
	})
}

func TestEditOfNothing(t *testing.T) {
	t.Parallel()
	inSession(t, agent.Options{Model: model(), Evaluator: evaluator(correct(4, 1))}, func(b *bench) {
		b.send(agent.Command{Action: agent.ActionEdit, Kernel: agenttest.Kernel(4)})
		if turn := b.state().Turn(1); turn == nil || turn.Parent != 0 || turn.Score == nil {
			t.Errorf("turn 1 = %+v", turn)
		}
	})
}

func TestAccept(t *testing.T) {
	t.Parallel()
	slower := agenttest.Mismatch(agenttest.Kernel(4))
	slower.Summary = "wrong at the odd size"
	tests := []struct {
		name     string
		final    agenttest.Judgement
		then     []agent.Command
		accepted int
		notice   string
	}{
		{"passes", correct(4, 1.7), nil, 1, ""},
		{"fails", agenttest.Judgement{Verdict: slower}, nil, 0, "turn 1 is not accepted: in the final check, wrong at the odd size"},
		{"comes to nothing", agenttest.Judgement{Error: errors.New("judge died")}, nil, 0, "came to no result (judge died)"},
		{"panics", agenttest.Judgement{Panic: "oh"}, nil, 0, "internal error at evaluator.go"},
		{"is stopped", agenttest.Judgement{Hang: true}, []agent.Command{stop}, 0, "came to no result (stopped)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			opts := agent.Options{Model: model(answer(4)), Evaluator: evaluator(correct(4, 1.8), test.final, correct(5, 1))}
			inSession(t, opts, func(b *bench) {
				b.send(next, accept)
				b.send(test.then...)
				s := b.state()
				if s.Accepted != test.accepted || s.Turn(1).Accepted != (test.accepted == 1) {
					t.Errorf("accepted turn %d, want %d", s.Accepted, test.accepted)
				}
				if !strings.Contains(b.lastNotice(), test.notice) {
					t.Errorf("notice %q, want %q", b.lastNotice(), test.notice)
				}
				req := b.evaluator.Requests()[1]
				if !req.Accept || req.Kernel != agenttest.Kernel(4) || req.Best != "" {
					t.Errorf("request = %+v", req)
				}
				if got := s.Turn(1).Verdict.Speedup["reference"]; got != 1.8 {
					t.Errorf("the turn's own verdict changed: %v", got)
				}
				b.send(agent.Command{Action: agent.ActionEdit, Kernel: agenttest.Kernel(5)})
				if b.state().Turn(2) == nil {
					t.Error("the session did not go on")
				}
				want := "quit"
				if test.accepted > 0 {
					want = "accepted"
				}
				if err := b.end(); err != nil {
					t.Error(err)
				}
				if end := b.state().Ended; end == nil || end.Reason != want || end.Accepted != test.accepted || end.Best != 1 {
					t.Errorf("end = %+v, want %s", end, want)
				}
			})
		})
	}
}

func TestReject(t *testing.T) {
	t.Parallel()
	inSession(t, threeTurns(), func(b *bench) {
		b.send(next, next, agent.Command{Action: agent.ActionReject, Turn: 1, Text: "wrong idea"})
		turn := b.state().Turn(1)
		if !turn.Rejected || turn.Rejection != "wrong idea" {
			t.Errorf("turn 1 = %+v", turn)
		}
	})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	one := agent.Options{
		Model:     model(answer(2), agenttest.Answer{Hang: true}),
		Evaluator: evaluator(agenttest.Judgement{Verdict: agenttest.Mismatch(agenttest.Kernel(2))}, correct(4, 1), correct(4, 1)),
	}
	edit := func(text string) agent.Command { return agent.Command{Action: agent.ActionEdit, Kernel: text} }
	send := func(text string) agent.Command { return agent.Command{Action: agent.ActionSend, Prompt: text} }
	tests := []struct {
		name     string
		commands []agent.Command
		notice   string
	}{
		{"stop nothing", []agent.Command{stop}, "nothing is running"},
		{"accept nothing", []agent.Command{accept}, "no turn to accept"},
		{"reject nothing", []agent.Command{{Action: agent.ActionReject}}, "only a turn that has ended"},
		{"retry nothing", []agent.Command{{Action: agent.ActionRetry}}, "only a turn of the model"},
		{"branch from nowhere", []agent.Command{next, {Action: agent.ActionBranch, Turn: 9}}, "there is no turn 9"},
		{"negative turn", []agent.Command{next, {Action: agent.ActionNext, Turn: -1}}, "there is no turn -1"},
		{"accept a wrong kernel", []agent.Command{next, accept}, "did not pass"},
		{"accept twice", []agent.Command{next, edit(agenttest.Kernel(4)), accept, accept}, "accepted already"},
		{"empty hint", []agent.Command{{Action: agent.ActionHint, Text: " \n"}}, "the hint is empty"},
		{"empty edit", []agent.Command{next, edit("\n")}, "empty"},
		{"edit that changes nothing", []agent.Command{next, edit(agenttest.Kernel(2))}, "was not changed"},
		{"edit that is no text", []agent.Command{next, edit("\xff\xfe")}, "not UTF-8"},
		{"retry an edit", []agent.Command{next, edit(agenttest.Kernel(4)), {Action: agent.ActionRetry}}, "only a turn of the model"},
		{"prompt of nowhere", []agent.Command{{Action: agent.ActionPrompt, Turn: 3}}, "there is no turn 3"},
		{"empty prompt", []agent.Command{send("\n")}, "does not end with words of the user"},
		{"prompt that ends with the assistant", []agent.Command{send(">>> user\nx\n>>> assistant\ny\n")}, "does not end with words of the user"},
		{"prompt without its first role", []agent.Command{send("x\n>>> user\ny\n")}, "line 1 of the prompt stands before the first role"},
		{"prompt that is no text", []agent.Command{send("\xff")}, "not UTF-8"},
		{"no such action", []agent.Command{{Action: "dance"}}, `no action "dance"`},
		{"while a turn runs", []agent.Command{next, next, next}, "turn 2 is still being worked on"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			opts := one
			opts.Model = model(answer(2), agenttest.Answer{Hang: true})
			opts.Evaluator = evaluator(one.Evaluator.(*agenttest.Evaluator).Judgements...)
			inSession(t, opts, func(b *bench) {
				last := len(test.commands) - 1
				b.send(test.commands[:last]...)
				before := b.state()
				b.send(test.commands[last])
				after := b.state()
				if !strings.Contains(b.lastNotice(), test.notice) || after.Notices[len(after.Notices)-1].Level != agent.LevelWarn {
					t.Errorf("notice %q, want %q", b.lastNotice(), test.notice)
				}
				if len(after.Turns) != len(before.Turns) || after.Running != before.Running || len(after.Notices) != len(before.Notices)+1 {
					t.Error("the command did something")
				}
			})
		})
	}
}

func TestRejectWhileATurnRuns(t *testing.T) {
	t.Parallel()
	opts := agent.Options{
		Model:     model(answer(2), agenttest.Answer{Hang: true}),
		Evaluator: evaluator(agenttest.Judgement{Verdict: agenttest.Mismatch(agenttest.Kernel(2))}),
	}
	inSession(t, opts, func(b *bench) {
		b.send(next, next, agent.Command{Action: agent.ActionReject, Turn: 1})
		if s := b.state(); !s.Turn(1).Rejected || s.Running != 2 {
			t.Errorf("turn 1 rejected: %v, running: %d", s.Turn(1).Rejected, s.Running)
		}
	})
}

func TestAutomaticTurnsHaveNoHumanAction(t *testing.T) {
	t.Parallel()
	opts := threeTurns()
	opts.Plan.Turns = 2
	inSession(t, opts, func(b *bench) {
		b.rest()
		if n := len(b.acts()); n != 0 || len(b.state().Turns) != 2 {
			t.Errorf("%d human actions, %d turns", n, len(b.state().Turns))
		}
		b.send(next)
		if n := len(b.acts()); n != 1 || len(b.state().Turns) != 3 {
			t.Errorf("%d human actions, %d turns after a person asked", n, len(b.state().Turns))
		}
	})
}

func TestUnattended(t *testing.T) {
	t.Parallel()
	failing := agenttest.Answer{Error: errors.New("no route to host; check the endpoint")}
	tests := []struct {
		name     string
		model    *agenttest.Model
		auto     int
		commands []agent.Command
		turns    int
		reason   string
	}{
		{"takes its turns", model(answer(3), answer(4)), 2, nil, 2, "max_turns"},
		{"gives up on a dead model", model(failing, answer(4)), 5, nil, 1, "error"},
		{"takes a hint first", model(answer(3), answer(4)), 2, []agent.Command{{Action: agent.ActionHint, Text: "tile it"}}, 2, "max_turns"},
		{"quits at once", model(answer(3)), 5, []agent.Command{{Action: agent.ActionQuit}, next}, 0, "quit"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			opts := agent.Options{Model: test.model, Evaluator: evaluator(correct(3, 0.7), correct(4, 1.8)), Plan: agent.Plan{Turns: test.auto}, Unattended: true}
			opts.Task, opts.Recorder, opts.NewID = agenttest.Task(), &agenttest.Recorder{}, agenttest.IDs()
			var s agent.State
			opts.Observe = func(e agent.Event) { s.Apply(e) }
			session := agent.NewSession(opts)
			for _, c := range test.commands {
				session.Send(c)
			}
			if err := session.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(s.Turns) != test.turns || s.Ended == nil || s.Ended.Reason != test.reason {
				t.Errorf("%d turns, end %+v, want %d and %s", len(s.Turns), s.Ended, test.turns, test.reason)
			}
			session.Send(next) // after the end: nobody listens, nobody is blocked
		})
	}
}

func TestKeysNeverReachARecord(t *testing.T) {
	t.Parallel()
	const key = "sk-planted-0123456789"
	for _, endpoint := range []string{
		"https://user:" + key + "@models.example/v1", "https://models.example/v1?key=" + key,
		"user:" + key + "@models.example", "models.example/" + key, "models.example?key=" + key, "https://models.example/" + key,
		"%zz://" + key + "@models.example",
	} {
		opts := agent.Options{Model: keyed{model(answer(3)), endpoint}, Evaluator: evaluator(correct(3, 1))}
		opts.Start.Endpoint = endpoint
		inSession(t, opts, func(b *bench) {
			b.send(next)
			for _, e := range b.recorder.Events() {
				if text := fmt.Sprintf("%+v", deref(e.Data)); strings.Contains(text, key) {
					t.Errorf("endpoint %s: %s holds the key: %s", endpoint, e.Kind, text)
				}
			}
			if got := b.state().Session.Endpoint; got != "models.example" {
				t.Errorf("endpoint %s is shown as %q", endpoint, got)
			}
		})
	}
}

func deref(v any) any { return reflect.ValueOf(v).Elem().Interface() }

// keyed is a model whose endpoint was configured with a key in it.
type keyed struct {
	*agenttest.Model
	endpoint string
}

func (k keyed) Describe() agent.ModelRequested {
	r := k.Model.Describe()
	r.Endpoint = k.endpoint
	return r
}
