package agent_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/gpu"
)

func durable(events []agent.Event) []agent.Event {
	var kept []agent.Event
	for _, e := range events {
		if !e.Kind.Live() {
			kept = append(kept, e)
		}
	}
	return kept
}

func applied(events []agent.Event) *agent.State {
	var s agent.State
	for _, e := range events {
		s.Apply(e)
	}
	return &s
}

// dump writes a state so that two can be compared, NaN and all.
func dump(t *testing.T, s *agent.State) string {
	t.Helper()
	b, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestDurableEventsSufficeForTheStory(t *testing.T) {
	t.Parallel()
	all := agenttest.Story()
	if got, want := dump(t, applied(durable(all))), dump(t, applied(all)); got != want {
		t.Errorf("durable events add up to\n%s\nall events to\n%s", got, want)
	}
}

// A session is played at random, by a fixed seed, against a model and an
// evaluator that fail in every way; at rest, its durable events must add up to
// what all its events add up to.
func TestDurableEventsSufficeForAnySession(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 7))
			var all []agent.Event
			session := agent.NewSession(agent.Options{
				Task: agenttest.Task(), Model: randomModel(random), Evaluator: randomEvaluator(random),
				Recorder: &agenttest.Recorder{}, Observe: func(e agent.Event) { all = append(all, e) },
			})
			done := make(chan error, 1)
			go func() { done <- session.Run(t.Context()) }()
			for n := range 30 {
				session.Send(randomCommand(random))
				time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
				synctest.Wait()
				if n%10 == 9 && applied(all).Running == 0 && idle(all) {
					compare(t, seed, all)
				}
			}
			session.Send(agent.Command{Action: agent.ActionQuit})
			if err := <-done; err != nil {
				t.Error(err)
			}
			compare(t, seed, all)
			if s := applied(all); s.Running != 0 || s.Ended == nil {
				t.Errorf("seed %d: after the end, turn %d runs", seed, s.Running)
			}
		})
	}
}

// idle reports whether no final check is in progress.
func idle(events []agent.Event) bool {
	last := events[len(events)-1]
	return last.Kind != agent.KindStageChanged
}

func compare(t *testing.T, seed uint64, all []agent.Event) {
	t.Helper()
	live, stored := applied(all), applied(durable(all))
	live.Last, stored.Last = time.Time{}, time.Time{}
	if got, want := dump(t, stored), dump(t, live); got != want {
		t.Fatalf("seed %d: durable events add up to\n%s\nall events to\n%s", seed, got, want)
	}
}

func randomModel(r *rand.Rand) *agenttest.Model {
	var m agenttest.Model
	for range 30 {
		a := answer(1 + r.IntN(6))
		switch r.IntN(8) {
		case 0:
			a.Hang = true
		case 1:
			a.Panic = "oh"
		case 2:
			a.Finish = "length"
		case 3:
			a.Content = "no code"
		case 4:
			a.Failures = 1
		}
		m.Answers = append(m.Answers, a)
	}
	return &m
}

func randomEvaluator(r *rand.Rand) *agenttest.Evaluator {
	var e agenttest.Evaluator
	for range 30 {
		k := agenttest.Kernel(1 + r.IntN(6))
		j := agenttest.Judgement{Verdict: agenttest.Correct(k, 3*r.Float64())}
		switch r.IntN(7) {
		case 0:
			j.Hang = true
		case 1:
			j.Panic = "oh"
		case 2:
			j.Verdict = agenttest.Mismatch(k)
		case 3:
			j.Verdict = agenttest.CompileError(k)
		}
		e.Judgements = append(e.Judgements, j)
	}
	return &e
}

func randomCommand(r *rand.Rand) agent.Command {
	actions := []agent.Action{
		agent.ActionNext, agent.ActionNext, agent.ActionBranch, agent.ActionRetry, agent.ActionEdit, agent.ActionHint,
		agent.ActionAccept, agent.ActionAccept, agent.ActionReject, agent.ActionStop, agent.ActionStop,
		agent.ActionPin, agent.ActionPin, agent.ActionRate, agent.ActionNote,
	}
	return agent.Command{
		Action: actions[r.IntN(len(actions))], Turn: r.IntN(5), Text: "text", Rating: r.IntN(7), Kernel: agenttest.Kernel(1 + r.IntN(6)),
	}
}

// at is an event of turn n.
func at(n int, data any) agent.Event { return agent.Event{Turn: n, Data: data} }

func TestBestAndAccepted(t *testing.T) {
	t.Parallel()
	score := func(v float64) *float64 { return &v }
	turn := func(n int, outcome gpu.Outcome, s *float64) []agent.Event {
		return []agent.Event{
			at(n, &agent.TurnStarted{}), at(n, &agent.Evaluated{Verdict: &gpu.Verdict{Outcome: outcome}}),
			at(n, &agent.Scored{Score: s}), at(n, &agent.TurnEnded{Outcome: string(outcome)}),
		}
	}
	accept := func(n int) agent.Event { return at(n, &agent.HumanActed{Action: agent.ActionAccept}) }
	reject := func(n int) agent.Event { return at(n, &agent.HumanActed{Action: agent.ActionReject}) }
	join := func(parts ...[]agent.Event) (all []agent.Event) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	two := join(turn(1, gpu.OutcomeCorrect, score(1.5)), turn(2, gpu.OutcomeCorrect, score(2.5)))
	tests := []struct {
		name           string
		events         []agent.Event
		best, accepted int
	}{
		{"nothing", nil, 0, 0},
		{"the higher score", two, 2, 0},
		{"the earlier of two equals", join(turn(1, gpu.OutcomeCorrect, score(1)), turn(2, gpu.OutcomeCorrect, score(1))), 1, 0},
		{"never a wrong one", join(turn(1, gpu.OutcomeMismatch, score(9)), turn(2, gpu.OutcomeCorrect, score(0.5))), 2, 0},
		{"never an unscored one", turn(1, gpu.OutcomeCorrect, nil), 0, 0},
		{"one accepted at a time", append(two, accept(1), accept(2)), 2, 2},
		{"a rejection takes an acceptance back", append(two, accept(2), reject(2)), 2, 0},
		{"a rejection of another does not", append(two, accept(2), reject(1)), 2, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := applied(test.events)
			if s.Best != test.best || s.Accepted != test.accepted {
				t.Errorf("best %d, accepted %d, want %d and %d", s.Best, s.Accepted, test.best, test.accepted)
			}
			for _, turn := range s.Turns {
				if turn.Accepted != (turn.Number == s.Accepted) {
					t.Errorf("turn %d: accepted is %v", turn.Number, turn.Accepted)
				}
			}
		})
	}
}

func TestStrangeEventsChangeNothing(t *testing.T) {
	t.Parallel()
	base := durable(agenttest.Story())
	want := dump(t, applied(base))
	strange := []agent.Event{
		at(99, &agent.TurnStarted{}), at(0, &agent.TurnStarted{}), at(2, &agent.TurnStarted{Parent: 9}),
		at(7, &agent.TurnStarted{Parent: 7}), at(7, &agent.TurnStarted{Parent: -1}),
		at(99, &agent.TurnEnded{}), at(-1, &agent.Scored{}), at(1, json.RawMessage(`{}`)), at(1, nil), at(0, &agent.HumanActed{}),
	}
	if got := dump(t, applied(append(base, strange...))); got != want {
		t.Errorf("state is now\n%s\nwant\n%s", got, want)
	}
}

func TestAScoreTakenBack(t *testing.T) {
	t.Parallel()
	s := applied(append(durable(agenttest.Story()), at(6, &agent.Scored{}), at(4, &agent.TurnEnded{})))
	if s.Best != 4 {
		t.Errorf("best is %d, want the turn that still has a score", s.Best)
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	s := applied(agenttest.Story())
	for n, want := range map[int][]int{0: nil, 1: {1}, 4: {1, 2, 3, 4}, 5: {1, 2, 3, 4, 5}, 6: {1, 2, 3, 6}, 7: nil} {
		var got []int
		for _, turn := range s.Path(n) {
			got = append(got, turn.Number)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("path to %d = %v, want %v", n, got, want)
		}
	}
}

func TestPhases(t *testing.T) {
	t.Parallel()
	var s agent.State
	var seen []agent.Phase
	for _, e := range agenttest.Story() {
		s.Apply(e)
		if t1 := s.Turn(1); t1 != nil && (len(seen) == 0 || seen[len(seen)-1] != t1.Phase) {
			seen = append(seen, t1.Phase)
		}
	}
	want := []agent.Phase{agent.PhasePrompt, agent.PhaseStream, agent.PhaseJudge, agent.PhaseDone}
	if !reflect.DeepEqual(seen, want) {
		t.Errorf("phases of turn 1: %v, want %v", seen, want)
	}
}

func TestEveryKindHasData(t *testing.T) {
	t.Parallel()
	seen := map[agent.Kind]bool{}
	for _, e := range agenttest.Story() {
		seen[e.Kind] = true
		if got, want := reflect.TypeOf(agent.NewData(e.Kind)), reflect.TypeOf(e.Data); got != want {
			t.Errorf("data of %s is %v, and %v for decoding", e.Kind, want, got)
		}
	}
	if len(seen) != 16 {
		t.Errorf("the story has %d kinds of event, want all 16", len(seen))
	}
	if agent.NewData("from.the.future") != nil {
		t.Error("an unknown kind has data")
	}
}
