package main

import (
	"testing"

	"example.com/hone/agent"
)

func TestAlone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		flags aloneOptions
		usual int
		want  agent.Plan
	}{
		{"nothing said", aloneOptions{samples: 1}, 4, agent.Plan{Turns: 4}},
		{"steered", aloneOptions{samples: 1}, 0, agent.Plan{}},
		{"turns", aloneOptions{turns: 6, samples: 1}, 4, agent.Plan{Turns: 6}},
		{"samples", aloneOptions{turns: 3, samples: 5}, 4, agent.Plan{Turns: 3, Samples: 5}},
		{"beam", aloneOptions{samples: 1, beam: true}, 0, agent.Beam()},
		{"narrow beam", aloneOptions{turns: 2, samples: 3, beam: true}, 4, agent.Plan{Turns: 2, Samples: 3, Keep: 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.flags.plan(tt.usual); got != tt.want {
				t.Errorf("plan %+v, want %+v", got, tt.want)
			}
		})
	}
}
