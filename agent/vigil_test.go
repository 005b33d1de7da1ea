package agent_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
)

// TestASilentModelIsToldOf lets a model stall in the middle of a reply: a person
// is told after 20 s, 40 s and 80 s of it, and can still stop the turn without
// loss.
func TestASilentModelIsToldOf(t *testing.T) {
	t.Parallel()
	opts := agent.Options{Model: model(agenttest.Answer{Content: "half a rep", Hang: true}), Evaluator: evaluator()}
	inSession(t, opts, func(b *bench) {
		b.session.Send(next)
		told := func() (texts []string) {
			synctest.Wait()
			for _, n := range b.state().Notices {
				texts = append(texts, n.Text)
			}
			return texts
		}
		for _, tt := range []struct {
			pass time.Duration
			want int
		}{{19 * time.Second, 0}, {2 * time.Second, 1}, {18 * time.Second, 1}, {2 * time.Second, 2}, {40 * time.Second, 3}} {
			time.Sleep(tt.pass) // of the bubble's clock
			if got := told(); len(got) != tt.want || tt.want > 0 && !strings.Contains(got[0], "no text from the model for 20s; still waiting") {
				t.Errorf("told %q, want %d notices", got, tt.want)
			}
		}
		b.send(stop)
		if turn := b.state().Turn(1); turn.End.Outcome != agent.OutcomeStopped || turn.Response.Content != "half a rep" {
			t.Errorf("the stopped turn is %+v, %+v", turn.End, turn.Response)
		}
		time.Sleep(time.Hour)
		if got := told(); len(got) != 3 {
			t.Errorf("told of a turn that is over: %q", got)
		}
	})
}

func TestRateOfAReply(t *testing.T) {
	t.Parallel()
	second, late := time.Second, 2999*time.Millisecond
	for _, tt := range []struct {
		name  string
		reply agent.ModelResponded
		want  float64 // 0: not known
	}{
		{"after the first token", agent.ModelResponded{FirstToken: &second, Total: 3 * time.Second, Usage: agent.Usage{Completion: 101}}, 50},
		{"no token", agent.ModelResponded{Total: time.Second}, 0},
		{"one token", agent.ModelResponded{FirstToken: &second, Total: 3 * time.Second, Usage: agent.Usage{Completion: 1}}, 0},
		{"in one piece", agent.ModelResponded{FirstToken: &late, Total: 3 * time.Second, Usage: agent.Usage{Completion: 101}}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, known := tt.reply.Rate(); got != tt.want || known != (tt.want > 0) {
				t.Errorf("rate %v, %v; want %v", got, known, tt.want)
			}
		})
	}
}
