package ui

import (
	"testing"

	"example.com/hone/agent"
)

func TestParsePlan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want agent.Plan
		ok   bool
	}{
		{"", agent.Plan{Turns: 4}, true},
		{" 7 ", agent.Plan{Turns: 7}, true},
		{"4x3", agent.Plan{Turns: 4, Samples: 3}, true},
		{"4 x 3", agent.Plan{Turns: 4, Samples: 3}, true},
		{text: "0"},
		{text: "-2"},
		{text: "4x"},
		{text: "x3"},
		{text: "four"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			got, ok := parsePlan(tt.text)
			if ok != tt.ok || ok && got != tt.want {
				t.Errorf("plan %+v, %v; want %+v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}
