package agent_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/agent/prompt"
	"example.com/hone/gpu"
)

// node is a turn of a tree: its parent, its sample, how it ended ("" not yet),
// and its speedup if it is correct.
type node struct {
	parent, sample int
	outcome        string
	speedup        float64
}

func grown(nodes []node) *agent.State {
	var s agent.State
	for i, n := range nodes {
		e := agent.Event{Turn: i + 1}
		e.Data = &agent.TurnStarted{Parent: n.parent, Sample: n.sample, Source: agent.SourceModel}
		s.Apply(e)
		if n.outcome == "" {
			continue
		}
		if n.outcome == "correct" {
			v := agenttest.Correct(agenttest.Kernel(3), n.speedup)
			e.Data = &agent.Evaluated{Verdict: &v}
			s.Apply(e)
		}
		e.Data = &agent.TurnEnded{Outcome: n.outcome}
		s.Apply(e)
	}
	return &s
}

func TestPlan(t *testing.T) {
	t.Parallel()
	line := agent.Plan{Turns: 3}
	fan := agent.Plan{Turns: 2, Samples: 3}
	beam := agent.Plan{Turns: 2, Samples: 4, Keep: 2}
	tests := []struct {
		name  string
		plan  agent.Plan
		nodes []node
		retry int
		want  string // "parent/sample ..."
	}{
		{"no plan", agent.Plan{}, nil, 0, ""},
		{"first turn", line, nil, 0, "0/0"},
		{"second turn", line, []node{{0, 0, "mismatch", 0}}, 0, "1/0"},
		{"waits for the turn that runs", line, []node{{0, 0, "", 0}}, 0, ""},
		{"the last turn is done", line, []node{{0, 0, "mismatch", 0}, {1, 0, "mismatch", 0}, {2, 0, "correct", 1}}, 0, ""},
		{"a failed turn ends it", line, []node{{0, 0, "mismatch", 0}, {1, 0, "infra_error", 0}}, 0, ""},
		{"a failed turn of the history is asked for again", line, []node{{0, 0, "mismatch", 0}, {1, 0, "infra_error", 0}}, 2, "1/0"},
		{"and once more goes on", line, []node{{0, 0, "mismatch", 0}, {1, 0, "infra_error", 0}, {1, 0, "correct", 1}}, 2, "3/0"},
		{"a failed sibling of the history is asked for again", fan, []node{
			{0, 1, "model_error", 0}, {0, 2, "mismatch", 0}, {0, 3, "mismatch", 0},
		}, 3, "0/1"},
		{"but not where the next round builds on the others", fan, []node{
			{0, 1, "model_error", 0}, {0, 2, "mismatch", 0}, {0, 3, "mismatch", 0}, {2, 1, "mismatch", 0}, {2, 2, "stopped", 0},
		}, 5, "2/2 2/3"},
		{"nor where that is done", fan, []node{
			{0, 1, "model_error", 0}, {0, 2, "mismatch", 0}, {0, 3, "mismatch", 0},
			{2, 1, "mismatch", 0}, {2, 2, "mismatch", 0}, {2, 3, "mismatch", 0},
		}, 6, ""},
		{"nor in a beam", beam, []node{
			{0, 1, "correct", 1}, {0, 2, "infra_error", 0}, {0, 3, "correct", 2}, {0, 4, "mismatch", 0},
			{3, 1, "mismatch", 0}, {3, 2, "model_error", 0}, {1, 1, "correct", 3}, {1, 2, "mismatch", 0},
		}, 8, "3/2"},
		{"what is before the plan builds on nothing of it", agent.Plan{After: 2, Turns: 2}, []node{
			{0, 0, "mismatch", 0}, {1, 0, "mismatch", 0}, {0, 0, "infra_error", 0},
		}, 3, "0/0"},
		{"starts where it is told", agent.Plan{From: 1, After: 2, Turns: 1}, []node{{0, 0, "correct", 1}, {1, 0, "mismatch", 0}}, 0, "1/0"},
		{"siblings at once", fan, nil, 0, "0/1 0/2 0/3"},
		{"those that lack", fan, []node{{0, 1, "mismatch", 0}, {0, 3, "", 0}}, 0, "0/2"},
		{"a person's hint is one of them", fan, []node{{0, 0, "", 0}}, 0, "0/2 0/3"},
		{"the best of the siblings", fan, []node{{0, 1, "mismatch", 0}, {0, 2, "correct", 0.5}, {0, 3, "correct", 2}}, 0, "3/1 3/2 3/3"},
		{"the first of equals", fan, []node{{0, 3, "mismatch", 0}, {0, 2, "mismatch", 0}, {0, 1, "mismatch", 0}}, 0, "3/1 3/2 3/3"},
		{"a sibling failed", fan, []node{{0, 1, "model_error", 0}, {0, 2, "mismatch", 0}, {0, 3, "mismatch", 0}}, 0, "2/1 2/2 2/3"},
		{"all siblings failed", fan, []node{{0, 1, "model_error", 0}, {0, 2, "model_error", 0}, {0, 3, "model_error", 0}}, 0, ""},
		{
			"the two best, cloned", beam,
			[]node{{0, 1, "mismatch", 0}, {0, 2, "correct", 1}, {0, 3, "correct", 2}, {0, 4, "compile_error", 0}},
			0, "3/1 3/2 2/1 2/2",
		},
		{"one parent is left for all clones", beam, []node{
			{0, 1, "model_error", 0}, {0, 2, "correct", 1}, {0, 3, "model_error", 0}, {0, 4, "model_error", 0},
		}, 0, "2/1 2/2 2/3 2/4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			for _, start := range tt.plan.Next(grown(tt.nodes), tt.retry) {
				if got != "" {
					got += " "
				}
				got += fmt.Sprintf("%d/%d", start.Parent, start.Sample)
			}
			if got != tt.want {
				t.Errorf("next %q, want %q", got, tt.want)
			}
		})
	}
}

// searched is a model whose n-th sample has kernel n, and an evaluator that finds
// kernel 4 fast, kernel 3 slow and the others wrong.
type searched struct {
	agenttest.Model
	sample int // 0: the only one

	mu   *sync.Mutex
	most *int // requests at once
	now  *int
}

func (m *searched) Sample(n int) agent.Model {
	return &searched{sample: n, mu: m.mu, most: m.most, now: m.now}
}

func (m *searched) Stream(_ context.Context, _ []prompt.Message, _ func(agent.ModelEvent)) (agent.Reply, error) {
	m.mu.Lock()
	*m.now++
	*m.most = max(*m.most, *m.now)
	m.mu.Unlock()
	time.Sleep(time.Second) // of the bubble: until all that can begin has begun
	m.mu.Lock()
	*m.now--
	m.mu.Unlock()
	return agent.Reply{Content: answer(m.sample + 1).Content, Complete: true, FinishReason: "stop", Usage: agent.Usage{Prompt: 70, Completion: 30}}, nil
}

type knowing struct{}

func (knowing) Evaluate(_ context.Context, req gpu.Request, _ func(gpu.Event)) (gpu.Verdict, error) {
	for n, speedup := range map[int]float64{3: 0.5, 4: 2} {
		if req.Kernel == agenttest.Kernel(n) {
			return agenttest.Correct(req.Kernel, speedup), nil
		}
	}
	return agenttest.Mismatch(req.Kernel), nil
}

func search(plan agent.Plan) (agent.Options, *int) {
	m := &searched{mu: new(sync.Mutex), most: new(int), now: new(int)}
	return agent.Options{Model: m, Evaluator: knowing{}, Plan: plan, Unattended: true}, m.most
}

func parents(s *agent.State) []int {
	var all []int
	for _, t := range s.Turns {
		all = append(all, t.Parent)
	}
	return all
}

func TestBeamSearch(t *testing.T) {
	t.Parallel()
	opts, most := search(agent.Plan{Turns: 2, Samples: 4, Keep: 2})
	inSession(t, opts, func(b *bench) {
		if err := <-b.done; err != nil {
			t.Fatal(err)
		}
		s := b.state()
		if got, want := parents(s), []int{0, 0, 0, 0, 3, 3, 2, 2}; !reflect.DeepEqual(got, want) {
			t.Errorf("parents %v, want %v", got, want)
		}
		if *most != 4 {
			t.Errorf("%d requests at once, want 4", *most)
		}
		if s.Ended == nil || s.Ended.Reason != "max_turns" || s.Running != 0 {
			t.Errorf("ended %+v, turn %d runs", s.Ended, s.Running)
		}
	})
}

func TestParallelIsBounded(t *testing.T) {
	t.Parallel()
	opts, most := search(agent.Plan{Turns: 2, Samples: 4, Keep: 2})
	opts.Parallel = 3
	inSession(t, opts, func(b *bench) {
		if err := <-b.done; err != nil {
			t.Fatal(err)
		}
		if len(b.state().Turns) != 8 || *most != 3 {
			t.Errorf("%d turns, %d requests at once", len(b.state().Turns), *most)
		}
	})
}

func TestAllowanceEndsASession(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		bounds agent.Bounds
		spent  agent.Spent
		turns  int
		reason string
	}{
		{"turns", agent.Bounds{Turns: 3}, agent.Spent{}, 3, agent.EndTurnBudget},
		{"turns of before", agent.Bounds{Turns: 3}, agent.Spent{Turns: 2}, 1, agent.EndTurnBudget},
		{"tokens", agent.Bounds{Tokens: 150}, agent.Spent{}, 2, agent.EndTokenBudget},
		{"cost", agent.Bounds{Cost: 0.00025}, agent.Spent{}, 3, agent.EndCostBudget},
		{"time", agent.Bounds{Time: 2500 * time.Millisecond}, agent.Spent{}, 2, agent.EndTimeBudget},
		{"enough", agent.Bounds{Turns: 4, Tokens: 1000}, agent.Spent{}, 4, "max_turns"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			opts, _ := search(agent.Plan{Turns: 4})
			opts.Price = agent.Price{Prompt: 1, Completion: 1} // a reply costs 0.0001
			opts.Allowance = agent.NewAllowance(tt.bounds, tt.spent, agenttest.NewClock(time.Second).Now)
			inSession(t, opts, func(b *bench) {
				if err := <-b.done; err != nil {
					t.Fatal(err)
				}
				s := b.state()
				if len(s.Turns) != tt.turns || s.Ended == nil || s.Ended.Reason != tt.reason {
					t.Errorf("%d turns, ended %+v; want %d and %s", len(s.Turns), s.Ended, tt.turns, tt.reason)
				}
				if tt.reason == "max_turns" {
					return
				}
				want := "the " + strings.ReplaceAll(tt.reason, "_", " ") + " is used up, so no more turns are taken: start again with more"
				if got := b.lastNotice(); got != want {
					t.Errorf("notice %q, want %q: nobody is there to ask", got, want)
				}
			})
		})
	}
}

// TestFailedTurnsAreGivenBack keeps an allowance for turns that come to a result.
func TestFailedTurnsAreGivenBack(t *testing.T) {
	t.Parallel()
	failing := agenttest.Answer{Error: errors.New("no route to host")}
	allowance := agent.NewAllowance(agent.Bounds{Turns: 9}, agent.Spent{}, time.Now)
	opts := agent.Options{
		Model: model(answer(3), failing), Evaluator: evaluator(correct(3, 1)), Plan: agent.Plan{Turns: 4}, Unattended: true, Allowance: allowance,
	}
	inSession(t, opts, func(b *bench) {
		if err := <-b.done; err != nil {
			t.Fatal(err)
		}
		s := b.state()
		if got := allowance.Spent(); got.Turns != 1 || got != s.Spent(agent.Price{}) {
			t.Errorf("spent %+v, by the record %+v, want 1 turn", got, s.Spent(agent.Price{}))
		}
		if s.Ended.Reason != "error" {
			t.Errorf("ended %+v", s.Ended)
		}
	})
}

// failing is a searched model of which some turns fail: those of a round, by their sample.
type failing struct {
	*searched
	rounds map[int][]int
	after  time.Duration // how long it takes to fail
}

func (m failing) Sample(n int) agent.Model {
	return failing{m.searched.Sample(n).(*searched), m.rounds, m.after}
}

func (m failing) Stream(ctx context.Context, messages []prompt.Message, emit func(agent.ModelEvent)) (agent.Reply, error) {
	round := 1
	if strings.Contains(messages[0].Content, agenttest.Kernel(4)) {
		round = 2
	}
	if slices.Contains(m.rounds[round], m.sample) {
		time.Sleep(m.after)
		return agent.Reply{}, errors.New("no route to host")
	}
	return m.searched.Stream(ctx, messages, emit)
}

// TestWhatEndsAPlan fails turns earlier and later than their siblings: why the
// session ended says whether its plan is complete, whichever ended last.
func TestWhatEndsAPlan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		rounds map[int][]int
		turns  int
		reason string
	}{
		{"nothing failed", nil, 8, "max_turns"},
		{"siblings of the first round", map[int][]int{1: {1, 2}}, 8, "max_turns"},
		{"siblings of the last round", map[int][]int{2: {1, 4}}, 8, "error"},
		{"all of the first round", map[int][]int{1: {1, 2, 3, 4}}, 4, "error"},
		{"all of the last round", map[int][]int{2: {1, 2, 3, 4}}, 8, "error"},
	} {
		for name, after := range map[string]time.Duration{"before": 0, "after": 3 * time.Second} {
			t.Run(tt.name+", "+name+" the others", func(t *testing.T) {
				t.Parallel()
				opts, _ := search(agent.Plan{Turns: 2, Samples: 4})
				opts.Model = failing{opts.Model.(*searched), tt.rounds, after}
				inSession(t, opts, func(b *bench) {
					if err := <-b.done; err != nil {
						t.Fatal(err)
					}
					s := b.state()
					if len(s.Turns) != tt.turns || s.Ended == nil || s.Ended.Reason != tt.reason {
						t.Errorf("%d turns, ended %+v; want %d and %s", len(s.Turns), s.Ended, tt.turns, tt.reason)
					}
				})
			})
		}
	}
}

// TestTurnsOfAPersonCount has a person ask first: the plan gets what is left.
func TestTurnsOfAPersonCount(t *testing.T) {
	t.Parallel()
	retry := agent.Command{Action: agent.ActionRetry, Turn: 1}
	tests := []struct {
		name     string
		commands []agent.Command
		bound    int
		turns    int // of the model, all in all
	}{
		{"none", nil, 3, 3},
		{"next", []agent.Command{next}, 3, 3},
		{"a hint", []agent.Command{{Action: agent.ActionHint, Text: "use registers"}}, 3, 3},
		{"a retry", []agent.Command{next, retry}, 3, 3},
		{"a branch", []agent.Command{next, {Action: agent.ActionBranch, Turn: 1}}, 3, 3},
		{"an edited prompt", []agent.Command{{Action: agent.ActionSend, Prompt: "write it"}}, 3, 3},
		{"an edit is none of the model's", []agent.Command{{Action: agent.ActionEdit, Kernel: agenttest.Kernel(3)}}, 3, 3},
		{"a person is not refused", []agent.Command{next, next, next}, 2, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			opts, _ := search(agent.Plan{})
			opts.Unattended = false
			opts.Allowance = agent.NewAllowance(agent.Bounds{Turns: tt.bound}, agent.Spent{}, time.Now)
			inSession(t, opts, func(b *bench) {
				wait := func() { time.Sleep(20 * time.Second); b.rest() }
				for _, c := range tt.commands {
					b.send(c)
					wait()
				}
				b.send(agent.Command{Action: agent.ActionAuto, Plan: agent.Plan{Turns: 6}})
				wait()
				s := b.state()
				spent := opts.Allowance.Spent()
				if spent.Turns != tt.turns || spent != s.Spent(agent.Price{}) {
					t.Errorf("spent %+v, by the record %+v, want %d turns", spent, s.Spent(agent.Price{}), tt.turns)
				}
				if got, want := b.lastNotice(), "the turn budget is used up, so no more turns are taken: ask for one, or start again with more"; got != want {
					t.Errorf("notice %q, want %q", got, want)
				}
			})
		})
	}
}

// TestAHintIsOneOfTheSamples asks with a hint before a plan of several samples
// begins: its turn is the first of these.
func TestAHintIsOneOfTheSamples(t *testing.T) {
	t.Parallel()
	hint := agent.Command{Action: agent.ActionHint, Text: "use registers"}
	for _, tt := range []struct {
		name string
		plan agent.Plan
		want []int
	}{
		{"one sample", agent.Plan{Turns: 2}, []int{0, 0}},
		{"several", agent.Plan{Turns: 1, Samples: 3}, []int{1, 2, 3}},
		{"a beam", agent.Plan{Turns: 2, Samples: 2, Keep: 2}, []int{1, 2, 1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			opts, _ := search(tt.plan)
			inSession(t, opts, func(b *bench) {
				if err := <-b.done; err != nil {
					t.Fatal(err)
				}
				var samples []int
				for _, turn := range b.state().Turns {
					samples = append(samples, turn.Sample)
				}
				if !slices.Equal(samples, tt.want) || b.state().Turn(1).Hint != hint.Text {
					t.Errorf("samples %v, want %v; hint %q", samples, tt.want, b.state().Turn(1).Hint)
				}
			}, hint)
		})
	}
}

// TestARetryStandsAlone asks once more for one of several samples.
func TestARetryStandsAlone(t *testing.T) {
	t.Parallel()
	opts, _ := search(agent.Plan{Turns: 1, Samples: 3})
	opts.Unattended = false
	inSession(t, opts, func(b *bench) {
		time.Sleep(20 * time.Second)
		b.send(agent.Command{Action: agent.ActionRetry, Turn: 2})
		turn := b.state().Turn(4)
		if turn == nil || turn.Sample != 0 || turn.TurnStarted.Reason != agent.ActionRetry || turn.Source != agent.SourceModel {
			t.Errorf("turn 4 = %+v", turn)
		}
	})
}

// TestGoesOnAlone interrupts the automatic turns, edits, and lets them go on.
func TestGoesOnAlone(t *testing.T) {
	t.Parallel()
	hang := agenttest.Answer{Hang: true}
	opts := agent.Options{
		Model:     model(answer(1), hang, answer(3), answer(4)),
		Evaluator: evaluator(correct(1, 0.5), correct(2, 0.6), correct(3, 0.7), correct(4, 1.8)),
	}
	inSession(t, opts, func(b *bench) {
		b.send(agent.Command{Action: agent.ActionAuto, Plan: agent.Plan{Turns: 4}}, stop)
		if s := b.state(); len(s.Turns) != 2 || s.Running != 0 {
			t.Fatalf("%d turns, %d runs after a stop", len(s.Turns), s.Running)
		}
		b.send(agent.Command{Action: agent.ActionEdit, Turn: 1, Kernel: agenttest.Kernel(2)})
		b.send(agent.Command{Action: agent.ActionAuto, Plan: agent.Plan{Turns: 2}})
		if got, want := parents(b.state()), []int{0, 1, 1, 3, 4}; !reflect.DeepEqual(got, want) {
			t.Errorf("parents %v, want %v", got, want)
		}
		b.send(agent.Command{Action: agent.ActionAuto})
		if b.lastNotice() != "no turns were asked for: say how many, such as 4" {
			t.Errorf("notice %q", b.lastNotice())
		}
	})
}

// TestAloneBesideThePinnedTurn times what is written without being asked beside
// the kernel that a person pinned.
func TestAloneBesideThePinnedTurn(t *testing.T) {
	t.Parallel()
	inSession(t, threeTurns(), func(b *bench) {
		b.send(next, next, next, agent.Command{Action: agent.ActionPin, Turn: 2})
		b.send(agent.Command{Action: agent.ActionAuto, Plan: agent.Plan{Turns: 1}})
		if got, want := b.evaluator.Requests()[3].Best, agenttest.Kernel(3); got != want {
			t.Errorf("timed beside %.40q, want %.40q", got, want)
		}
	})
}

// late answers after ten seconds.
type late struct{ *agenttest.Model }

func (s late) Stream(ctx context.Context, messages []prompt.Message, emit func(agent.ModelEvent)) (agent.Reply, error) {
	time.Sleep(10 * time.Second)
	return s.Model.Stream(ctx, messages, emit)
}

// TestAloneWithAnotherModel changes the model, pins and notes while turns are taken
// without being asked: each turn costs what its own model does.
func TestAloneWithAnotherModel(t *testing.T) {
	t.Parallel()
	other := model(answer(4))
	allowance := agent.NewAllowance(agent.Bounds{}, agent.Spent{}, time.Now)
	opts := agent.Options{
		Model: late{model(answer(3))}, Evaluator: evaluator(correct(3, 0.7), correct(4, 1.8)), Allowance: allowance,
		Choose: func(string) (agent.Choice, error) {
			return agent.Choice{Profile: "big", Model: other, Price: agent.Price{Prompt: 1e4}}, nil
		},
	}
	inSession(t, opts, func(b *bench) {
		b.send(agent.Command{Action: agent.ActionAuto, Plan: agent.Plan{Turns: 2}}, choose("big"))
		b.send(agent.Command{Action: agent.ActionNote, Text: "slow"}, next)
		if got, want := b.lastNotice(), "turn 1 is still being worked on"; !strings.Contains(got, want) {
			t.Errorf("notice %q, want %q", got, want)
		}
		time.Sleep(20 * time.Second)
		b.rest()
		s := b.state()
		if len(s.Turns) != 2 || len(other.Prompts()) != 1 || !slices.Equal(s.Turn(1).Notes, []string{"slow"}) {
			t.Errorf("%d turns, %d of the other model; turn 1 %+v", len(s.Turns), len(other.Prompts()), s.Turn(1).Marks)
		}
		if spent := allowance.Spent(); spent.Turns != 2 || spent.Cost != 1 { // 100 tokens of the second prompt
			t.Errorf("spent %+v", spent)
		}
	})
}

// TestTakenUpAgain cuts a session after each of its events: taken up again, it
// comes to the same turns.
func TestTakenUpAgain(t *testing.T) {
	t.Parallel()
	begin := func(history []agent.Event) []agent.Event {
		opts, _ := search(agent.Plan{Turns: 2, Samples: 4, Keep: 2})
		opts.Start.Group, opts.History = "01KKNTQ1T80000000000000000", history
		var all []agent.Event
		inSession(t, opts, func(b *bench) {
			if err := <-b.done; err != nil {
				t.Fatal(err)
			}
			all = b.recorder.Events()
		})
		return append(append([]agent.Event(nil), history...), all...)
	}
	whole := begin(nil)
	for cut := range whole {
		history := append([]agent.Event(nil), whole[:cut]...)
		history = append(history, crash(history)...)
		again := begin(history)
		if got, want := results(again), results(whole); got != want {
			t.Fatalf("cut after %d events: %s\nwant %s", cut, got, want)
		}
		for i, e := range again {
			if e.Seq != int64(i+1) || e.Group == "" {
				t.Fatalf("cut after %d events: event %d has seq %d, group %q", cut, i, e.Seq, e.Group)
			}
		}
	}
}

// crash is what a record adds to a session that was cut off: its turns end.
func crash(history []agent.Event) []agent.Event {
	var ends []agent.Event
	s := agent.State{}
	for _, e := range history {
		s.Apply(e)
	}
	for _, t := range s.Turns {
		if t.End == nil {
			e := history[0]
			e.Kind, e.Turn, e.Seq = agent.KindTurnEnded, t.Number, int64(len(history)+len(ends)+1)
			e.Data = &agent.TurnEnded{Outcome: agent.OutcomeInfraError}
			ends = append(ends, e)
		}
	}
	return ends
}

// results are the scores of all paths of a session, whatever its turns are numbered.
func results(events []agent.Event) string {
	s := agent.State{}
	for _, e := range events {
		s.Apply(e)
	}
	var all []string
	for _, t := range s.Turns {
		path := ""
		for _, t := range s.Path(t.Number) {
			if t.End == nil || t.End.Outcome == agent.OutcomeInfraError {
				path = ""
				break
			}
			path += fmt.Sprintf("/%d:%s:%v", t.Sample, t.End.Outcome, *t.Score)
		}
		if path != "" {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
