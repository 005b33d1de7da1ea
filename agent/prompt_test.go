package agent_test

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/agent/prompt"
)

func TestTheDraftIsWhatIsSentNext(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		before []agent.Command
		draft  agent.Command
		send   agent.Command
		parent int
	}{
		{"the first turn", nil, agent.Command{Action: agent.ActionPrompt}, next, 0},
		{"a later turn", []agent.Command{next}, agent.Command{Action: agent.ActionPrompt}, next, 1},
		{
			"with a hint, from an earlier turn", []agent.Command{next, next},
			agent.Command{Action: agent.ActionPrompt, Turn: 1, Text: "tile it"},
			agent.Command{Action: agent.ActionHint, Turn: 1, Text: "tile it"}, 1,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			inSession(t, threeTurns(), func(b *bench) {
				b.send(test.before...)
				recorded := len(b.recorder.Events())
				b.send(test.draft)
				draft := b.state().Draft
				if draft == nil || draft.Parent != test.parent || draft.Hint != test.draft.Text {
					t.Fatalf("draft %+v", draft)
				}
				if got := len(b.recorder.Events()); got != recorded {
					t.Error("a draft is recorded although nothing was sent")
				}
				b.send(test.send)
				s := b.state()
				if got := *s.Turns[len(s.Turns)-1].Prompt; !reflect.DeepEqual(got, draft.Prompt) {
					t.Errorf("drafted %+v\nsent    %+v", draft.Prompt, got)
				}
				if s.Draft != nil {
					t.Error("the draft outlives the turn it was for")
				}
			})
		})
	}
}

func TestAnEditedPromptIsSentAndRecorded(t *testing.T) {
	t.Parallel()
	inSession(t, threeTurns(), func(b *bench) {
		b.send(next, agent.Command{Action: agent.ActionPrompt, Text: "tile it"})
		before := prompt.Text(b.state().Draft.Prompt.Messages)
		after := strings.Replace(before, "Start your reasoning over", "Think less", 1)
		shown := time.Now().Add(-time.Minute)
		b.send(agent.Command{Action: agent.ActionSend, Text: "tile it", Prompt: after, Shown: shown})

		s := b.state()
		turn := s.Turn(2)
		want := agent.TurnStarted{Parent: 1, Source: agent.SourceModel, Reason: agent.ActionSend, Hint: "tile it"}
		if turn == nil || turn.TurnStarted != want || turn.Verdict == nil {
			t.Fatalf("turn 2 = %+v", turn)
		}
		if got := prompt.Text(b.model.Prompts()[1]); got != after || prompt.Text(turn.Prompt.Messages) != after {
			t.Errorf("the model was sent %q", got)
		}
		if !turn.Prompt.Edited || turn.Prompt.Template != "kevin/cuda" || s.Turn(1).Prompt.Edited {
			t.Errorf("prompt %+v", turn.Prompt)
		}
		acts := b.acts()
		d := acts[len(acts)-1].Data.(*agent.HumanActed)
		if d.Action != agent.ActionSend || d.Before != before || d.After != after || d.Text != "tile it" || d.ShownAt == nil {
			t.Errorf("action %+v", d)
		}
		if !strings.Contains(d.Diff, "-Start your reasoning over") || !strings.Contains(d.Diff, "+Think less") {
			t.Errorf("diff %s", d.Diff)
		}

		b.send(agent.Command{Action: agent.ActionRetry, Turn: 2})
		if !reflect.DeepEqual(b.model.Prompts()[1], b.model.Prompts()[2]) || !b.state().Turn(3).Prompt.Edited {
			t.Error("the retry was sent another prompt")
		}
		b.send(next)
		if strings.Contains(b.lastPrompt(), "Think less") {
			t.Error("the edit of one prompt is in the next")
		}
	})
}

func TestAPromptThatWasNotChangedIsNotSent(t *testing.T) {
	t.Parallel()
	inSession(t, threeTurns(), func(b *bench) {
		b.send(agent.Command{Action: agent.ActionPrompt})
		b.send(agent.Command{Action: agent.ActionSend, Prompt: prompt.Text(b.state().Draft.Prompt.Messages)})
		if s := b.state(); len(s.Turns) != 0 || len(b.acts()) != 0 || !strings.Contains(b.lastNotice(), "was not changed") {
			t.Errorf("%d turns, notice %q", len(s.Turns), b.lastNotice())
		}
	})
}

func TestAnEditMayChangeRoles(t *testing.T) {
	t.Parallel()
	inSession(t, threeTurns(), func(b *bench) {
		b.send(agent.Command{Action: agent.ActionSend, Prompt: ">>> system\nBe brief.\n>>> user\nWrite it.\n"})
		want := []prompt.Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: "Write it."}}
		if got := b.model.Prompts()[0]; !reflect.DeepEqual(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
	})
}

func TestSetOfPrompts(t *testing.T) {
	t.Parallel()
	set, problems := prompt.Load(fstest.MapFS{"cuda.tmpl": {Data: []byte(
		"{{.Task.Reference}}{{.Task.Declaration}}{{range .Turns}}{{.Kernel}}{{.Feedback}}{{end}}{{.Hint}}"),
	}}, "mine")
	if set == nil {
		t.Fatal(problems)
	}
	opts := threeTurns()
	opts.Prompts = set
	inSession(t, opts, func(b *bench) {
		b.send(next)
		s := b.state()
		p := s.Turn(1).Prompt
		if s.Session.PromptSet != "mine" || s.Session.PromptSetSHA256 != set.SHA256 || p.Template != "mine/cuda" || p.SHA256 != set.SHA256 {
			t.Errorf("session %+v, prompt %+v", s.Session, p)
		}
		if want := strings.TrimSpace(agenttest.Task().Reference + s.Task.Signature); b.lastPrompt() != want {
			t.Errorf("prompt %q, want %q", b.lastPrompt(), want)
		}
	})
}

// The fake model counts 100 tokens for every prompt.
func TestTheServersCountScalesTheEstimate(t *testing.T) {
	t.Parallel()
	inSession(t, threeTurns(), func(b *bench) {
		b.send(next, agent.Command{Action: agent.ActionPrompt, Turn: 1})
		first, second := b.state().Turn(1).Prompt, b.state().Draft.Prompt
		estimate := prompt.Scale{}.Of(second.Messages)
		if first.Scaled || !second.Scaled || second.Tokens > estimate/2+1 {
			t.Errorf("first %d tokens (scaled: %v), then %d (%v) of an estimated %d", first.Tokens, first.Scaled, second.Tokens, second.Scaled, estimate)
		}
	})
}

func TestAPromptThatCannotFitIsSaid(t *testing.T) {
	t.Parallel()
	opts := threeTurns()
	opts.Budget = 10
	inSession(t, opts, func(b *bench) {
		b.send(next)
		if n := b.state().Notices; len(n) != 1 || !strings.Contains(n[0].Text, "of 10, and nothing more can be left out") {
			t.Errorf("notices %+v", n)
		}
	})
	for name, test := range map[string]struct {
		budget  int
		command agent.Command
		want    string // of the newest notice; "" for none beyond that of the first turn
	}{
		"an edited prompt":           {10, agent.Command{Action: agent.ActionSend, Prompt: "Write a kernel."}, "of 10: the reply may be cut off; shorten the prompt, or "},
		"an edited prompt that fits": {1 << 20, agent.Command{Action: agent.ActionSend, Prompt: "Write a kernel."}, ""},
		"a sibling's prompt":         {10, agent.Command{Action: agent.ActionRetry}, "of 10, and nothing more can be left out: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := threeTurns()
			opts.Budget = test.budget
			inSession(t, opts, func(b *bench) {
				b.send(next, test.command)
				n := b.state().Notices
				if test.want == "" {
					if len(n) != 0 {
						t.Errorf("notices %+v", n)
					}
					return
				}
				if len(n) != 2 || !strings.Contains(n[1].Text, test.want) || n[1].Turn != 2 {
					t.Errorf("notices %+v, want %q of turn 2", n, test.want)
				}
			})
		})
	}
}

// Kevin's trainer leaves an empty answer in the place of one that was cut off.
func TestACutReplyIsShownAsThatAlone(t *testing.T) {
	t.Parallel()
	opts := agent.Options{
		Model:     model(agenttest.Answer{Content: "A plan of mine.\n```cuda\nint unfinished", Finish: "length"}, answer(3)),
		Evaluator: evaluator(correct(3, 1)),
	}
	inSession(t, opts, func(b *bench) {
		b.send(next, next)
		text := b.lastPrompt()
		if strings.Contains(text, "A plan of mine") || strings.Contains(text, "unfinished") || !strings.Contains(text, "was cut off before its end") {
			t.Errorf("prompt %s", text)
		}
	})
}

// What a person should do about a reply is no business of the model's.
func TestFeedbackNamesTheFirstFailureAlone(t *testing.T) {
	t.Parallel()
	opts := agent.Options{Model: model(agenttest.Answer{Reasoning: "Hm."}, answer(3)), Evaluator: evaluator(correct(3, 1))}
	inSession(t, opts, func(b *bench) {
		b.send(next)
		feedback := b.state().Turn(1).Verdict.Feedback
		if strings.Contains(feedback, "max_tokens") || !strings.Contains(feedback, "gives no answer.") {
			t.Errorf("feedback %q", feedback)
		}
	})
}
