package plain

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/prompt"
	"example.com/hone/agent/record"
	"example.com/hone/gpu"
)

// said is what one event prints, after those in before.
func said(e agent.Event, before ...agent.Event) string {
	var b bytes.Buffer
	p := NewText(&b, "")
	for _, e := range before {
		p.Event(e)
	}
	b.Reset()
	p.Event(e)
	return b.String()
}

// A stage that is over before the reply is whole is told of after it.
func TestNoLineOfAStageAhead(t *testing.T) {
	t.Parallel()
	ended := &gpu.Event{Stage: gpu.StageCompile, Status: gpu.StatusOK}
	if got := said(agent.Event{Kind: agent.KindStageAhead, Turn: 1, Data: ended}); got != "" {
		t.Errorf("said %q", got)
	}
}

func TestLinesOfEvents(t *testing.T) {
	t.Parallel()
	half := 0.5
	tests := []struct {
		name string
		data any
		want string
	}{
		{"first turn", &agent.TurnStarted{}, "turn 1   the model starts afresh\n"},
		{
			"retry", &agent.TurnStarted{Parent: 3, Reason: agent.ActionRetry},
			"turn 1   the model goes on from turn 3, a retry with the same prompt\n",
		},
		{
			"hint of two lines", &agent.TurnStarted{Parent: 3, Reason: agent.ActionNext, Hint: "tile\nit"},
			"turn 1   the model goes on from turn 3, with the hint: tile it\n",
		},
		{"edit", &agent.TurnStarted{Parent: 3, Source: agent.SourceHuman}, "turn 1   an edit goes on from turn 3\n"},
		{
			"prompt with turns left out", &agent.PromptBuilt{Tokens: 812, DroppedTurns: []int{1, 2}},
			"turn 1   prompt: about 812 tokens, left out to fit: turns [1 2]\n",
		},
		{
			"prompt counted like the one before", &agent.PromptBuilt{Tokens: 812, Scaled: true},
			"turn 1   prompt: about 812 tokens, by the server's counts so far\n",
		},
		{"edited prompt", &agent.PromptBuilt{Tokens: 812, DroppedTurns: []int{1}, Edited: true}, "turn 1   prompt: about 812 tokens, edited\n"},
		{
			"turn with an edited prompt", &agent.TurnStarted{Parent: 3, Reason: agent.ActionSend},
			"turn 1   the model goes on from turn 3, with an edited prompt\n",
		},
		{
			"draft", &agent.PromptDrafted{Prompt: agent.PromptBuilt{Tokens: 9, Messages: []prompt.Message{{Role: "user", Content: "a\n\x1b[2Jb"}}}},
			"next     the prompt would be: about 9 tokens\n  > a\n  > b\n",
		},
		{"request", &agent.ModelRequested{Model: "m", Endpoint: "host", Attempt: 1}, "turn 1   asking m at host\n"},
		{"repeated request, of which a notice tells", &agent.ModelRequested{Model: "m", Endpoint: "host", Attempt: 2}, ""},
		{
			"estimated usage", &agent.ModelResponded{Usage: agent.Usage{Completion: 7, Estimated: true}, Total: 1500 * time.Millisecond},
			"turn 1   reply: about 7 tokens in 1.5 s\n",
		},
		{
			"failed reply", &agent.ModelResponded{CancelledBy: "timeout", Error: "no answer in 60 s; retry"},
			"turn 1   reply: 0 tokens in 0 ms, cancelled by timeout, failed: no answer in 60 s; retry\n",
		},
		{
			"no kernel", &agent.CodeExtracted{Rule: "no block", Problems: []string{"no fenced block"}},
			"turn 1   kernel: none (no block); no fenced block\n",
		},
		{"kernel without a last newline", &agent.CodeExtracted{Kernel: "a\nb", Rule: "the only block"}, "turn 1   kernel: 2 lines (the only block)\n"},
		{"stage begins", &gpu.Event{Stage: gpu.StageRun, Status: gpu.StatusRunning}, ""},
		{
			"stage fails", &gpu.Event{Stage: gpu.StageRun, Status: gpu.StatusFailed, Elapsed: 1200 * time.Millisecond, Detail: "deadlock"},
			"turn 1   run: failed, 1.2 s: deadlock\n",
		},
		{"harness could not tell", &agent.Evaluated{Error: "judge died"}, "turn 1   no verdict: judge died\n"},
		{"score", &agent.Scored{Score: &half}, "turn 1   score: 0.50\n"},
		{"no score", &agent.Scored{}, ""},
		{"end", &agent.TurnEnded{Outcome: "model_error", Summary: "no route"}, "turn 1   end: model error: no route\n"},
		{"accept", &agent.HumanActed{Action: agent.ActionAccept}, "turn 1   you: accept\n"},
		{"notice", &agent.Noticed{Level: agent.LevelWarn, Text: "slow"}, "turn 1   warn: slow\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := said(agent.Event{Turn: 1, Data: test.data}); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestTheReplyStreams(t *testing.T) {
	t.Parallel()
	delta := func(reasoning bool, text string) agent.Event {
		return agent.Event{Kind: agent.KindTextDelta, Turn: 1, Data: &agent.TextDelta{Reasoning: reasoning, Text: text}}
	}
	long := strings.Repeat("0123456 ", 20)
	tests := []struct {
		name   string
		before []agent.Event
		event  agent.Event
		want   string
	}{
		{"an open line waits", nil, delta(false, "half a li"), ""},
		{"until its end", []agent.Event{delta(false, "half a li")}, delta(false, "ne\nnext"), "  | half a line\n"},
		{"a thought is broken at a space", nil, delta(true, long), "  ~ " + strings.TrimSpace(long[:96]) + "\n"},
		{"code is not", nil, delta(false, long), ""},
		{"the answer ends the thought", []agent.Event{delta(true, "so")}, delta(false, "x\n"), "  ~ so\n  | x\n"},
		{
			"the response ends the answer", []agent.Event{delta(false, "last")},
			agent.Event{Turn: 1, Data: &agent.ModelResponded{Content: "last"}}, "  | last\nturn 1   reply: 0 tokens in 0 ms\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := said(test.event, test.before...); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestTurnsBesideEachOther lets a turn that is alone and samples begin, be heard
// and end in several orders: every reply and every stage is printed once.
func TestTurnsBesideEachOther(t *testing.T) {
	t.Parallel()
	start := func(turn, sample int) agent.Event {
		return agent.Event{Kind: agent.KindTurnStarted, Turn: turn, Data: &agent.TurnStarted{Source: agent.SourceModel, Sample: sample}}
	}
	delta := func(turn int) agent.Event {
		return agent.Event{Kind: agent.KindTextDelta, Turn: turn, Data: &agent.TextDelta{Text: fmt.Sprintf("reply %d\n", turn)}}
	}
	reply := func(turn int) agent.Event {
		return agent.Event{Kind: agent.KindModelResponded, Turn: turn, Data: &agent.ModelResponded{Content: fmt.Sprintf("reply %d\n", turn)}}
	}
	stage := func(turn int) agent.Event {
		return agent.Event{Kind: agent.KindStageChanged, Turn: turn, Data: &gpu.Event{Stage: gpu.StageCompile, Status: gpu.StatusOK}}
	}
	verdict := func(turn int) agent.Event {
		v := gpu.Verdict{Outcome: gpu.OutcomeMismatch, Stages: []gpu.StageResult{{Name: gpu.StageCompile, Status: gpu.StatusOK}}}
		return agent.Event{Kind: agent.KindEvaluated, Turn: turn, Data: &agent.Evaluated{Verdict: &v}}
	}
	for name, events := range map[string][]agent.Event{
		"the one alone is heard before a sample starts": {
			start(1, 0), delta(1), start(2, 1), reply(2), reply(1), stage(1), verdict(2), verdict(1),
		},
		"a sample ends while the one alone is heard": {
			start(1, 0), start(2, 1), delta(2), delta(1), reply(2), stage(2), verdict(2), reply(1), stage(1), verdict(1),
		},
		"two that are alone": {
			start(1, 0), delta(1), start(2, 0), reply(1), stage(1), reply(2), verdict(1), verdict(2),
		},
		"samples alone": {
			start(1, 1), start(2, 2), delta(1), delta(2), reply(2), reply(1), stage(2), stage(1), verdict(1), verdict(2),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := printed(events)
			for turn := 1; turn <= 2; turn++ {
				for _, want := range []string{fmt.Sprintf("  | reply %d\n", turn), fmt.Sprintf("turn %d   compile", turn)} {
					if n := strings.Count(text, want); n != 1 {
						t.Errorf("%q is printed %d times:\n%s", want, n, text)
					}
				}
			}
		})
	}
}

func TestSpark(t *testing.T) {
	t.Parallel()
	speedup := func(s float64) record.Mark { return record.Mark{Outcome: "correct", Speedup: &s} }
	tests := []struct {
		name  string
		turns []record.Mark
		want  string
	}{
		{"none", nil, ""},
		{"levels", []record.Mark{speedup(0.01), speedup(0.49), speedup(0.5), speedup(1), speedup(2), speedup(900)}, "__.=##"},
		{"failures", []record.Mark{{Outcome: "compile_error"}, {Outcome: "truncated"}, {Outcome: "model_error"}}, "xxx"},
		{"not judged", []record.Mark{{}, {Outcome: "stopped"}, {Outcome: "infra_error"}, {Outcome: "unsupported"}}, "????"},
		{"a speedup that cannot be", []record.Mark{speedup(0), speedup(-1)}, "xx"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := spark(test.turns); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	tests := []struct{ got, want string }{
		{ratio(2.345), "2.35x"}, {words("rule_violation"), "rule violation"}, {oneLine(" a\n\tb\x1b[1m "), "a b"},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
