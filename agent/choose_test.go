package agent_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
)

func choose(profile string) agent.Command {
	return agent.Command{Action: agent.ActionModel, Text: profile}
}

// shelf offers one model besides the session's own.
func shelf(name string, m agent.Model) func(string) (agent.Choice, error) {
	return func(profile string) (agent.Choice, error) {
		if profile != name {
			return agent.Choice{}, errors.New("there is no profile " + profile)
		}
		return agent.Choice{Profile: name, Model: m, Budget: 1000}, nil
	}
}

func TestAnotherModelFromTheNextTurnOn(t *testing.T) {
	t.Parallel()
	opts := threeTurns()
	other := model(answer(3))
	opts.Choose = shelf("big", other)
	inSession(t, opts, func(b *bench) {
		b.send(next, choose("big"), next)
		if got := [2]int{len(b.model.Prompts()), len(other.Prompts())}; got != [2]int{1, 1} {
			t.Fatalf("the models were asked %v times, want once each", got)
		}
		s := b.state()
		if s.Session.Profile != "big" || s.Session.Model != "scripted-32b" || s.Session.Endpoint != "127.0.0.1:4000" {
			t.Errorf("the session's model is %+v", s.Session)
		}
		if s.Turn(2).Parent != 1 || s.Turn(2).End.Outcome != "correct" {
			t.Errorf("turn 2 is %+v", s.Turn(2).TurnStarted)
		}
		if got, want := kinds(b.events(), 0), "session.start task.pinned human.action human.action model.changed"; !strings.HasPrefix(got, want) {
			t.Errorf("events %s, want %s", got, want)
		}
		for _, e := range b.acts()[1:2] {
			if d := e.Data.(*agent.HumanActed); d.Action != agent.ActionModel || d.Text != "big" || e.Turn != 0 {
				t.Errorf("recorded as %+v", d)
			}
		}
	})
}

func TestARunningTurnKeepsItsModel(t *testing.T) {
	t.Parallel()
	opts := agent.Options{Model: model(agenttest.Answer{Content: "half a rep", Hang: true}), Evaluator: evaluator(correct(3, 1))}
	other := model(answer(3))
	opts.Choose = shelf("big", other)
	inSession(t, opts, func(b *bench) {
		b.send(next, choose("big"))
		if s := b.state(); s.Running != 1 || len(other.Prompts()) != 0 {
			t.Errorf("turn %d runs, and the other model was asked %d times", s.Running, len(other.Prompts()))
		}
		b.send(stop, next)
		if end := b.state().Turn(2).End; end == nil || end.Outcome != "correct" || len(other.Prompts()) != 1 {
			t.Errorf("turn 2 ended as %+v", end)
		}
	})
}

func TestModelsThatCannotBeChosen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		choose func(string) (agent.Choice, error)
		text   string
		want   string
	}{
		{"no such profile", shelf("big", model()), "bigger", "the model stays as it is: there is no profile bigger"},
		{"no name", shelf("big", model()), " ", "no model profile is named"},
		{"only one model", nil, "big", "this session has one model"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			opts := threeTurns()
			opts.Choose = tt.choose
			inSession(t, opts, func(b *bench) {
				before := b.state().Session
				b.send(choose(tt.text))
				if got := b.lastNotice(); !strings.Contains(got, tt.want) {
					t.Errorf("notice %q, want %q", got, tt.want)
				}
				if len(b.acts()) != 0 || !reflect.DeepEqual(b.state().Session, before) {
					t.Error("the session changed all the same")
				}
			})
		})
	}
}
