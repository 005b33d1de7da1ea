package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/gpu"
)

// prose is how long a reply goes on after its kernel: not so long that the silence is
// remarked on.
const prose = 10 * time.Second

// lingering is a reply that goes on after its kernel.
func lingering(n int) agenttest.Answer {
	a := answer(n)
	a.Pause = prose
	return a
}

// judged are the kernels that were given to be judged, in order, by the turn of the story
// that they are of.
func (b *bench) judged() (turns []int) {
	for _, req := range b.evaluator.Requests() {
		for n := 3; n <= 5; n++ {
			if req.Kernel == agenttest.Kernel(n) {
				turns = append(turns, n)
			}
		}
	}
	return turns
}

func TestAKernelIsBuiltWhileItsReplyGoesOn(t *testing.T) {
	t.Parallel()
	opts := agent.Options{Early: true, Model: model(lingering(4)), Evaluator: evaluator(correct(4, 1.8))}
	inSession(t, opts, func(b *bench) {
		b.send(next)
		requests := b.evaluator.Requests()
		if len(requests) != 1 || requests[0].Kernel != agenttest.Kernel(4) || !requests[0].Held() {
			t.Fatalf("requests while the reply goes on: %+v", requests)
		}
		if got := kinds(b.events(), 1); strings.Contains(got, "code") || stages(b.events(), agent.KindStageChanged) != "" {
			t.Errorf("told before the reply has ended: %s", got)
		}
		const ahead = "rules running, rules ok, compile running, compile ok"
		if got := stages(b.events(), agent.KindStageAhead); got != ahead || b.state().Turn(1).Phase != agent.PhaseStream {
			t.Errorf("shown while the reply goes on: %s in phase %v", got, b.state().Turn(1).Phase)
		}
		time.Sleep(prose)
		synctest.Wait()
		want := "turn.start prompt.built model.request model.response code.extracted eval.result score.assigned turn.end"
		if got := kinds(b.events(), 1); got != want {
			t.Errorf("events %s, want %s", got, want)
		}
		if turn := b.state().Turn(1); turn.End.Outcome != "correct" || len(b.evaluator.Requests()) != 1 {
			t.Errorf("turn = %+v, %d requests", turn.End, len(b.evaluator.Requests()))
		}
		if got := stages(b.events(), agent.KindStageChanged); !strings.HasPrefix(got, ahead+", run running") || !strings.HasSuffix(got, "time ok") {
			t.Errorf("told of the stages %s", got)
		}
	})
}

// stages are what events of a kind tell of the stages.
func stages(events []agent.Event, kind agent.Kind) string {
	var all []string
	for _, e := range events {
		if d, ok := e.Data.(*gpu.Event); ok && e.Kind == kind {
			all = append(all, string(d.Stage)+" "+string(d.Status))
		}
	}
	return strings.Join(all, ", ")
}

// What was begun for a reply is worth nothing where the reply turns out otherwise.
func TestWhatWasBuiltAheadIsDropped(t *testing.T) {
	t.Parallel()
	late := agenttest.Answer{Content: answer(4).Content + "</think>\n" + answer(5).Content, Pause: prose}
	limited := lingering(4)
	limited.Finish = "length"
	atOnce := answer(4)
	atOnce.Finish = "length"
	broken := lingering(4)
	broken.Error = errors.New("no route")
	for _, tt := range []struct {
		name    string
		answer  agenttest.Answer
		then    []agent.Command
		outcome string
		judged  []int
	}{
		{"the thought ended late", late, nil, "correct", []int{4, 5}},
		{"the reply hit its limit", limited, nil, agent.OutcomeTruncated, []int{4}},
		{"the reply hit its limit with its kernel", atOnce, nil, agent.OutcomeTruncated, []int{4}},
		{"the stream broke off", broken, nil, agent.OutcomeModelError, []int{4}},
		{"a person stopped the turn", agenttest.Answer{Content: answer(4).Content, Hang: true}, []agent.Command{stop}, agent.OutcomeStopped, []int{4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			opts := agent.Options{Early: true, Model: model(tt.answer), Evaluator: evaluator(correct(4, 1.8), correct(5, 1.9))}
			inSession(t, opts, func(b *bench) {
				b.send(append([]agent.Command{next}, tt.then...)...)
				time.Sleep(prose)
				synctest.Wait()
				if got := b.state().Turn(1).End; got == nil || got.Outcome != tt.outcome {
					t.Errorf("end %+v, want %s", got, tt.outcome)
				}
				if got := b.state().Turn(1).Stages; tt.outcome != "correct" && len(got) != 0 {
					t.Errorf("shown of what was dropped: %v", got)
				}
				if got := b.judged(); !slices.Equal(got, tt.judged) {
					t.Errorf("judged %v, want %v", got, tt.judged)
				}
				if requests := b.evaluator.Requests(); tt.outcome == "correct" && requests[len(requests)-1].Held() {
					t.Error("the kernel that the reply holds was judged before it might run")
				}
			})
		})
	}
}

// What an evaluation comes to is told as ever, though it came to it before the reply ended.
func TestWhatIsKnownEarlyIsToldInItsTurn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		judgement agenttest.Judgement
		outcome   string
	}{
		{"a kernel that does not compile", agenttest.Judgement{Verdict: agenttest.CompileError(agenttest.Kernel(4))}, "compile_error"},
		{"no result", agenttest.Judgement{Error: errors.New("no route")}, agent.OutcomeInfraError},
		{"a crash", agenttest.Judgement{Panic: "oh"}, agent.OutcomeInfraError},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			opts := agent.Options{Early: true, Model: model(lingering(4)), Evaluator: evaluator(tt.judgement)}
			inSession(t, opts, func(b *bench) {
				b.send(next)
				if got := kinds(b.events(), 1); strings.Contains(got, "eval") {
					t.Errorf("told before the reply has ended: %s", got)
				}
				time.Sleep(prose)
				synctest.Wait()
				if got := b.state().Turn(1).End; got == nil || got.Outcome != tt.outcome {
					t.Errorf("end %+v, want %s", got, tt.outcome)
				}
			})
		})
	}
}

// Several replies to one prompt are judged one after the other, so that nothing is gained.
func TestSamplesAreNotBuiltAhead(t *testing.T) {
	t.Parallel()
	opts := agent.Options{
		Early: true, Model: model(lingering(4), lingering(5)), Evaluator: evaluator(correct(4, 1.8), correct(5, 1.9)),
		Plan: agent.Plan{Turns: 1, Samples: 2},
	}
	inSession(t, opts, func(b *bench) {
		b.rest()
		if got := b.judged(); len(got) != 0 {
			t.Errorf("judged %v while the replies go on", got)
		}
		time.Sleep(prose)
		synctest.Wait()
		if got := b.judged(); len(got) != 2 {
			t.Errorf("judged %v", got)
		}
	})
}

// yielding is an evaluator that gives way while a kernel is held, and judges it then.
type yielding struct{ *agenttest.Evaluator }

func (y yielding) Evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
	if req.Held() {
		observe(gpu.Event{Stage: gpu.StageRules, Status: gpu.StatusOK})
		observe(gpu.Event{Stage: gpu.StageCompile, Status: gpu.StatusOK})
		observe(gpu.Event{Stage: gpu.StageQueue, Status: gpu.StatusRunning})
		select {
		case <-req.Hold:
		case <-ctx.Done():
			return gpu.Verdict{}, ctx.Err()
		}
	}
	return y.Evaluator.Evaluate(ctx, req, observe)
}

// What was built in vain is neither shown on nor told of.
func TestWhatGaveWayIsToldOnce(t *testing.T) {
	t.Parallel()
	opts := agent.Options{Early: true, Model: model(lingering(4)), Evaluator: yielding{evaluator(correct(4, 1.8))}}
	inSession(t, opts, func(b *bench) {
		b.send(next)
		if got := b.state().Turn(1).Stages; len(got) != 1 || got[gpu.StageQueue].Stage == "" {
			t.Errorf("shown after it gave way: %v", got)
		}
		time.Sleep(prose)
		synctest.Wait()
		got := stages(b.events(), agent.KindStageChanged)
		if !strings.HasPrefix(got, "queue running, rules running, rules ok, compile running") || strings.Count(got, "compile ok") != 1 {
			t.Errorf("told of the stages %s", got)
		}
	})
}
