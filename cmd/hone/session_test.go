package main

import (
	"testing"

	"example.com/hone/agent"
)

func TestEnding(t *testing.T) {
	t.Parallel()
	const wrong, model, infra = "mismatch", agent.OutcomeModelError, agent.OutcomeInfraError
	type turn struct {
		parent, sample int
		outcome        string
	}
	tests := []struct {
		name  string
		turns []turn
		code  int
	}{
		{"no turn", nil, exitNoCorrect},
		{"wrong", []turn{{0, 0, wrong}}, exitNoCorrect},
		{"the model failed", []turn{{0, 0, wrong}, {1, 0, model}}, exitModel},
		{"the judge failed", []turn{{0, 0, infra}}, exitEvaluator},
		{"stopped", []turn{{0, 0, wrong}, {1, 0, agent.OutcomeStopped}}, exitInterrupted},
		{"a retry failed", []turn{{0, 0, wrong}, {0, 0, model}}, exitModel},
		{"the first sample failed", []turn{{0, 1, model}, {0, 2, wrong}}, exitNoCorrect},
		{"the last sample failed", []turn{{0, 1, wrong}, {0, 2, model}}, exitNoCorrect},
		{"all samples failed", []turn{{0, 1, model}, {0, 2, model}}, exitModel},
		{"all samples of the second round failed", []turn{{0, 1, wrong}, {1, 1, infra}, {1, 2, infra}}, exitEvaluator},
		{"the last sample of a beam failed", []turn{{0, 1, wrong}, {0, 2, wrong}, {1, 1, wrong}, {2, 1, model}}, exitNoCorrect},
		{"the first sample of a beam failed", []turn{{0, 1, wrong}, {0, 2, wrong}, {1, 1, model}, {2, 1, wrong}}, exitNoCorrect},
		{"all samples of a beam failed", []turn{{0, 1, wrong}, {0, 2, wrong}, {1, 1, infra}, {2, 1, model}}, exitModel},
		{"a sample of a beam was stopped", []turn{{0, 1, wrong}, {0, 2, wrong}, {2, 1, wrong}, {1, 1, agent.OutcomeStopped}}, exitNoCorrect},
		{"a turn before the samples", []turn{{0, 0, wrong}, {0, 1, model}, {0, 2, model}}, exitModel},
		{"one runs yet", []turn{{0, 0, model}, {0, 0, ""}}, exitModel},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s agent.State
			for i, turn := range tt.turns {
				s.Apply(agent.Event{Turn: i + 1, Data: &agent.TurnStarted{Parent: turn.parent, Sample: turn.sample, Source: agent.SourceModel}})
				if turn.outcome != "" {
					s.Apply(agent.Event{Turn: i + 1, Data: &agent.TurnEnded{Outcome: turn.outcome, Summary: "why"}})
				}
			}
			if _, code := explain(ending(s)); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
		})
	}
}
