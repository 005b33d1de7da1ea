package record

import (
	"testing"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
)

// A whole session, written by the real log, reads back as it was seen.
func TestASessionReadsBackAsItWasSeen(t *testing.T) {
	t.Parallel()
	l, err := Create(t.TempDir(), session())
	must(t, err)
	reply := func(n int) agenttest.Answer {
		return agenttest.Answer{Reasoning: "So.", Content: "```cuda\n" + agenttest.Kernel(n) + "```\n"}
	}
	var seen agent.State
	s := agent.NewSession(agent.Options{
		ID: l.ID(), Task: agenttest.Task(), Recorder: l, Observe: seen.Apply,
		Model: &agenttest.Model{Answers: []agenttest.Answer{reply(1), reply(2), reply(4)}},
		Evaluator: &agenttest.Evaluator{Judgements: []agenttest.Judgement{
			{Verdict: agenttest.CompileError(agenttest.Kernel(1))}, {Verdict: agenttest.Mismatch(agenttest.Kernel(2))},
			{Verdict: agenttest.Correct(agenttest.Kernel(4), 1.8)},
		}},
		Facts: map[string]string{"device": "CPU emulation"}, Plan: agent.Plan{Turns: 3}, Unattended: true,
	})
	must(t, s.Run(t.Context()))
	must(t, l.Close())
	events, problems := mustRead(t, l.Path())
	if len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	if got, want := dump(t, state(events)), dump(t, &seen); got != want {
		t.Errorf("read back\n%s\nwant\n%s", got, want)
	}
	if seen.Best != 3 || len(seen.Turns) != 3 {
		t.Errorf("best %d of %d turns", seen.Best, len(seen.Turns))
	}
}

func BenchmarkAppend(b *testing.B) {
	l, err := Create(b.TempDir(), session())
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	e := durable()[0]
	e.Seq = 0
	for b.Loop() {
		e.Seq++
		if err := l.Append(e); err != nil {
			b.Fatal(err)
		}
	}
}
