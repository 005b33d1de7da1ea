package plain

import (
	"fmt"
	"testing"
	"time"

	"example.com/hone/agent/canary"
)

// samplesOf are the replies of a model on five days, its thoughts going astray.
func samplesOf(model string) []canary.Sample {
	var samples []canary.Sample
	for day := range 5 {
		for turn := range 4 {
			odd, correct := turn < day, turn >= day
			tokens, repeated, junk := 900+400*day+10*turn, 0.02+0.1*float64(day), 0.0
			s := canary.Sample{
				Time: time.Date(2026, 3, 1+day, 9, turn, 0, 0, time.UTC), Model: model, Session: fmt.Sprint(day), Turn: turn + 1,
				Replied: true, Thought: true, Odd: &odd, Tokens: &tokens, Repetition: &repeated, Junk: &junk, Correct: &correct,
			}
			samples = append(samples, s)
		}
	}
	return samples
}

func TestStats(t *testing.T) {
	t.Parallel()
	silent := canary.Sample{Time: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), Model: "dead\x1b[31m endpoint", Session: "x", Turn: 1}
	models := canary.Group(append(samplesOf("kevin-32b"), silent), func(s canary.Sample) string { return s.Time.Format(time.DateOnly) })
	golden(t, "stats.txt", Stats(models, "day"))
}

func TestStatsOfNothing(t *testing.T) {
	t.Parallel()
	if got := Stats(nil, "day"); got != "" {
		t.Errorf("got %q", got)
	}
}
