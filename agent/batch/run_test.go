package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/gpu"
)

const group = "01KKNTQ1T80000000000000009"

// manifest plans trajectories of one task.
func manifest(trajectories, turns int) Manifest {
	m := Manifest{Schema: Schema, Run: group, Settings: Settings{Trajectories: trajectories, Plan: agent.Plan{Turns: turns}}}
	for i := range trajectories {
		m.Trajectories = append(m.Trajectories, Planned{Session: fmt.Sprintf("01KKNTQ1T8%016d", i), Group: group, Task: "t", Index: i})
	}
	return m
}

// scripted takes trajectories with events that need no session: each turn ends as
// outcome says, after a second.
type scripted struct {
	turns   int
	outcome func(index, turn int) string
	fail    error // of the first session

	mu   sync.Mutex
	now  int
	most int
}

func (s *scripted) session(ctx context.Context, p Planned, report *Reporter) error {
	s.count(1)
	defer s.count(-1)
	if s.fail != nil && p.Index == 0 {
		return s.fail
	}
	reason := "max_turns"
	for turn := 1; turn <= s.turns; turn++ {
		report.Event(agent.Event{Kind: agent.KindTurnStarted, Turn: turn, Data: &agent.TurnStarted{Parent: turn - 1, Source: agent.SourceModel}})
		outcome := s.outcome(p.Index, turn)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			outcome, reason = agent.OutcomeStopped, "quit"
		}
		if outcome == string(gpu.OutcomeCorrect) {
			v := agenttest.Correct(agenttest.Kernel(3), float64(turn))
			report.Event(agent.Event{Kind: agent.KindEvaluated, Turn: turn, Data: &agent.Evaluated{Verdict: &v}})
		}
		report.Event(agent.Event{Kind: agent.KindTurnEnded, Turn: turn, Data: &agent.TurnEnded{Outcome: outcome, Summary: "why"}})
		if outcome == agent.OutcomeModelError || reason == "quit" {
			reason = map[bool]string{true: "quit", false: "error"}[reason == "quit"]
			break
		}
	}
	report.Event(agent.Event{Kind: agent.KindSessionEnded, Data: &agent.SessionEnded{Reason: reason}})
	return nil
}

func (s *scripted) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now += n
	s.most = max(s.most, s.now)
}

func always(outcome string) func(int, int) string {
	return func(int, int) string { return outcome }
}

func TestRun(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	tests := []struct {
		name     string
		script   *scripted
		bounds   agent.Bounds
		cancel   bool // after a second and a half
		reason   string
		complete int
		err      error
	}{
		{name: "all correct", script: &scripted{turns: 2, outcome: always("correct")}, reason: EndDone, complete: 6},
		{name: "none correct", script: &scripted{turns: 2, outcome: always("mismatch")}, reason: EndDone, complete: 6},
		{
			name: "a dead endpoint", reason: EndError,
			script: &scripted{turns: 2, outcome: always(agent.OutcomeModelError)},
		},
		{
			name: "one trajectory fails", reason: EndError, complete: 5,
			script: &scripted{turns: 2, outcome: func(i, _ int) string {
				return map[bool]string{true: agent.OutcomeModelError, false: "correct"}[i == 3]
			}},
		},
		{name: "interrupted", script: &scripted{turns: 2, outcome: always("correct")}, cancel: true, reason: EndInterrupted},
		{name: "no record", script: &scripted{turns: 2, outcome: always("correct"), fail: full}, reason: EndError, err: full},
		{
			name: "out of time", script: &scripted{turns: 2, outcome: always("correct")}, reason: agent.EndTimeBudget, complete: 4,
			bounds: agent.Bounds{Time: 3 * time.Second},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel {
					time.AfterFunc(1500*time.Millisecond, cancel)
				}
				s := tt.script
				shown := 0
				board, ending, err := Run(ctx, Options{
					Manifest: manifest(6, 2), Parallel: 2, Session: s.session,
					Allowance: agent.NewAllowance(tt.bounds, agent.Spent{}, time.Now),
					Observe:   func(*Board) { shown++ },
				})
				if ending.Reason != tt.reason || !errors.Is(err, tt.err) {
					t.Errorf("ended %+v, error %v; want %s, %v", ending, err, tt.reason, tt.err)
				}
				complete := 0
				for _, trajectory := range board.Trajectories() {
					if trajectory.Complete {
						complete++
					}
				}
				if complete != tt.complete || s.most > 2 || shown == 0 {
					t.Errorf("%d complete, want %d; %d at once; shown %d times", complete, tt.complete, s.most, shown)
				}
			})
		})
	}
}

// TestAnObserverHoldsNoSessionUp has whoever shows the board wait for ever: the
// sessions that run come to their ends.
func TestAnObserverHoldsNoSessionUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		var taken atomic.Int32
		s := &scripted{turns: 2, outcome: always("correct")}
		go Run(t.Context(), Options{ //nolint:errcheck // it is shown stuck
			Manifest: manifest(2, 2), Parallel: 2,
			Session: func(ctx context.Context, p Planned, report *Reporter) error {
				defer taken.Add(1)
				return s.session(ctx, p, report)
			},
			Observe: func(b *Board) {
				if b.Total().Turns > 0 {
					<-stuck
				}
			},
		})
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := taken.Load(); n != 2 {
			t.Errorf("%d of 2 sessions came to their ends", n)
		}
		close(stuck)
	})
}

func TestProgress(t *testing.T) {
	t.Parallel()
	b := newBoard(manifest(3, 2))
	b.begin(0)
	b.hear(0, agent.Event{Turn: 1, Data: &agent.TurnStarted{Source: agent.SourceModel}})
	b.begin(1)
	b.recall(1, []agent.Event{
		{Turn: 1, Data: &agent.TurnStarted{Source: agent.SourceModel}}, {Turn: 1, Data: &agent.TurnEnded{Outcome: "mismatch"}},
		{Turn: 2, Data: &agent.TurnStarted{Source: agent.SourceModel, Parent: 1}}, {Turn: 2, Data: &agent.TurnEnded{Outcome: agent.OutcomeInfraError}},
	})
	b.hear(1, agent.Event{Turn: 3, Data: &agent.TurnStarted{Source: agent.SourceModel, Parent: 1}})
	b.hear(1, agent.Event{Turn: 3, Data: &agent.ModelResponded{}})
	b.hear(1, agent.Event{Turn: 3, Data: &gpu.Event{Stage: gpu.StageQueue, Status: gpu.StatusRunning}})
	p := b.Total()
	if p.Asking != 1 || p.Waiting != 1 || p.Judging != 0 || p.Turns != 1 || p.Wanted != 6 || p.Over() || !p.Active() {
		t.Errorf("progress %+v", p)
	}
	b.hear(1, agent.Event{Turn: 3, Data: &gpu.Event{Stage: gpu.StageCompile, Status: gpu.StatusRunning}})
	if p := b.Tasks()[0]; p.Waiting != 0 || p.Judging != 1 || p.Task != "t" {
		t.Errorf("progress %+v", p)
	}
	v := agenttest.Correct(agenttest.Kernel(3), 2)
	b.hear(1, agent.Event{Turn: 3, Data: &agent.Evaluated{Verdict: &v}})
	b.hear(1, agent.Event{Turn: 3, Data: &agent.TurnEnded{Outcome: "correct"}})
	b.end(1)
	got := b.Entries[1].Trajectories[0]
	if !got.Complete || *got.Value != 2 || len(got.Samples) != 2 || got.Samples[1].Turn != 3 {
		t.Errorf("trajectory %+v", got)
	}
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	m := manifest(2, 2)
	d, err := Hold(Folder(runs, m.Run))
	if err != nil {
		t.Fatal(err)
	}
	if _, found, err := Load(d.Path); found || err != nil {
		t.Errorf("found %v, error %v before there is a manifest", found, err)
	}
	if _, err := Find(runs, "last"); err == nil {
		t.Error("a run was found that was never planned")
	}
	if err := errors.Join(d.Save(m), d.Report(Report{})); err != nil {
		t.Fatal(err)
	}
	if err := d.Save(m); err == nil {
		t.Error("a run was planned anew")
	}
	if _, err := Hold(d.Path); err == nil {
		t.Error("two processes hold one run")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"last", m.Run, "0009"} {
		if path, err := Find(runs, query); err != nil || path != d.Path {
			t.Errorf("%s: %q, %v", query, path, err)
		}
	}
	again, err := Hold(d.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	loaded, found, err := Load(again.Path)
	if err != nil || !found || len(loaded.Trajectories) != 2 || loaded.Settings != m.Settings {
		t.Errorf("loaded %+v, %v, %v", loaded, found, err)
	}
	left, err := filepath.Glob(filepath.Join(d.Path, "*"))
	if err != nil || len(left) != 3 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}

func TestSettingsDiffer(t *testing.T) {
	t.Parallel()
	hot, cold, many := 0.9, 0.1, 16384
	was := manifest(2, 2).Settings
	was.Timeout, was.Model = 30*time.Second, "m"
	was.Sampling = &Sampling{Temperature: &hot, MaxTokens: &many, Extra: map[string]any{"top_k": int64(40)}}
	seeded := was
	seeded.Sampling = &Sampling{Extra: map[string]any{
		"seed": int64(1234567890123456789), "min_p": 0.05, "tiny": 1e-9, "huge": 1e21, "one": 1.0,
		"logit_bias": map[string]any{"50256": int64(-100)}, "stop": []any{"<|im_end|>", int64(9007199254740993)},
	}}
	before := was // as a program wrote it that knew of neither
	before.Timeout, before.Sampling = 0, nil
	tests := []struct {
		name   string
		was    Settings
		change func(*Settings)
		want   string
	}{
		{"nothing", was, func(*Settings) {}, ""},
		{"nothing of many kinds of number", seeded, func(*Settings) {}, ""},
		{"the last digit of a seed", seeded, func(s *Settings) {
			s.Sampling = &Sampling{Extra: maps.Clone(seeded.Sampling.Extra)}
			s.Sampling.Extra["seed"] = int64(1234567890123456788)
		},
			"the sampling is " + strings.Replace(seeded.Sampling.String(), "456789,", "456788,", 1) + ", and was " + seeded.Sampling.String()},
		{"nothing that was on record", before, func(s *Settings) { s.Timeout, s.Sampling = was.Timeout, was.Sampling }, ""},
		{"turns", was, func(s *Settings) { s.Plan.Turns = 8 }, "the number of turns is 8, and was 2"},
		{"model", before, func(s *Settings) { s.Model = "n" }, "the model is n, and was m"},
		{"timeout", was, func(s *Settings) { s.Timeout = time.Minute }, "the time limit is 1m0s, and was 30s"},
		{"temperature", was, func(s *Settings) {
			s.Sampling = &Sampling{Temperature: &cold, MaxTokens: &many, Extra: was.Sampling.Extra}
		},
			`the sampling is {"temperature":0.1,"top_p":null,"max_tokens":16384,"extra":{"top_k":40}}, ` +
				`and was {"temperature":0.9,"top_p":null,"max_tokens":16384,"extra":{"top_k":40}}`},
		{"a further field", was, func(s *Settings) { s.Sampling = &Sampling{Temperature: &hot, MaxTokens: &many} },
			`the sampling is {"temperature":0.9,"top_p":null,"max_tokens":16384}, ` +
				`and was {"temperature":0.9,"top_p":null,"max_tokens":16384,"extra":{"top_k":40}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, err := json.Marshal(tt.was) // as it is read from a folder
			var read Settings
			if err = errors.Join(err, json.Unmarshal(text, &read)); err != nil {
				t.Fatal(err)
			}
			now := tt.was
			tt.change(&now)
			if got := read.Differs(now); got != tt.want {
				t.Errorf("differs: %q, want %q", got, tt.want)
			}
		})
	}
}
