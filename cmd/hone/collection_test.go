package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/agent/batch"
	"example.com/hone/agent/prompt"
	"example.com/hone/gpu"
	"example.com/hone/gpu/judge"
	"example.com/hone/tasks"
)

// settled judges a kernel by its text alone, times included.
type settled struct{}

func (settled) Machine(context.Context, gpu.Dialect) (gpu.Machine, error) {
	return gpu.Machine{Device: "no device"}, nil
}

func (settled) Derive(_ context.Context, task tasks.Task) (tasks.Task, error) { return task, nil }

func (settled) Prepare(context.Context, tasks.Task) error { return nil }

func (settled) Evaluate(ctx context.Context, req gpu.Request, _ func(gpu.Event)) (gpu.Verdict, error) {
	h := fnv.New64a()
	h.Write([]byte(req.Kernel)) // never fails
	if n := h.Sum64(); n%3 != 0 {
		return agenttest.Correct(req.Kernel, 0.25+float64(n%1000)/400), ctx.Err()
	}
	return agenttest.Mismatch(req.Kernel), ctx.Err()
}

// collected opens the run in a folder, as hone run does, with another judge.
func collected(t *testing.T, folder string, plan func(*runOptions)) *collection {
	t.Helper()
	a := &app{streams: &streams{environment: func(string) string { return "" }}}
	a.config = config{Profile: demoProfile, Dialect: dialectAuto, Rules: defaultRules, Compiler: compilerAuto, Device: judge.DeviceEmulated}
	o := runOptions{trajectories: 4, turns: 3, keep: 2, parallel: 4}
	plan(&o)
	c := &collection{app: a, options: o, prompts: prompt.Kevin()}
	t.Cleanup(c.close)
	var err error
	if c.directory, err = batch.Hold(folder); err != nil {
		t.Fatal(err)
	}
	c.release = append(c.release, c.directory.Close)
	m, found, err := batch.Load(folder)
	if err == nil {
		err = c.choose(m, found)
	}
	if err == nil {
		c.model, err = scriptedModel(t.Context(), 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.release = append(c.release, func() error { c.model.close(); return nil })
	c.judges = settled{}
	err = c.describe(t.Context())
	if c.manifest = m; !found {
		c.manifest = c.draft("01KKNTQ1T80000000000000009", c.settings())
		err = errors.Join(err, c.directory.Save(c.manifest))
	}
	if err != nil {
		t.Fatal(err)
	}
	c.allowance = agent.NewAllowance(agent.Bounds{}, c.spent(), time.Now)
	return c
}

// finish takes a run to its end and lets go of it.
func (c *collection) finish(t *testing.T) batch.Report {
	t.Helper()
	board, ending, err := batch.Run(t.Context(), batch.Options{
		Manifest: c.manifest, Parallel: c.sessions(), Session: c.session, Allowance: c.allowance, Observe: func(*batch.Board) {},
	})
	if err != nil || ending.Reason != batch.EndDone {
		t.Fatalf("ended %+v, error %v", ending, err)
	}
	r := c.report(board, ending)
	c.close()
	c.release = nil
	return r
}

// cut makes of a finished run what a sudden end may have left of it: logs that
// end anywhere, within a line too, and sessions that were never begun.
func cut(t *testing.T, from, to string, rng *rand.Rand) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	logs, err := fs.Glob(os.DirFS(to), "*/events.jsonl")
	if err != nil || len(logs) == 0 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	for _, log := range logs {
		path := filepath.Join(to, log)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		switch rng.IntN(4) {
		case 0:
			err = os.RemoveAll(filepath.Dir(path))
		case 1: // it was done
		default:
			err = os.Truncate(path, rng.Int64N(info.Size()))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestCutRuns goes on with runs that were cut at random: where times depend on
// the kernel alone, the table and every sample are exactly those of an
// undisturbed run.
func TestCutRuns(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]func(*runOptions){
		"sequences": func(o *runOptions) { o.tasks = []string{"softmax", "vector_add"} },
		"beam":      func(o *runOptions) { o.tasks, o.beam = []string{"softmax", "vector_add"}, true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := filepath.Join(t.TempDir(), "run")
			want := collected(t, whole, plan).finish(t)
			if want.Total.Turns != 24 || want.Total.Incomplete != 0 {
				t.Fatalf("the undisturbed run has %d turns, %d incomplete", want.Total.Turns, want.Total.Incomplete)
			}
			for seed := range uint64(2) {
				folder := filepath.Join(t.TempDir(), "run")
				cut(t, whole, folder, rand.New(rand.NewPCG(seed, 0)))
				got := collected(t, folder, plan).finish(t)
				if !reflect.DeepEqual(table(got), table(want)) {
					t.Errorf("seed %d: the table is\n%+v\nundisturbed\n%+v", seed, table(got), table(want))
				}
				if a, b := scoresOf(got), scoresOf(want); !maps.EqualFunc(a, b, slices.Equal[[]string]) {
					t.Errorf("seed %d: samples\n%v\nundisturbed\n%v", seed, a, b)
				}
				if got.Spent.Turns != want.Total.Turns {
					t.Errorf("seed %d: spent %d turns, want %d", seed, got.Spent.Turns, want.Total.Turns)
				}
			}
		})
	}
}

// table is all that a report says in figures.
func table(r batch.Report) []batch.Row {
	return append(append(slices.Clone(r.Tasks), r.Levels...), r.Total)
}

// scoresOf are the samples of each trajectory, without their numbers in the record.
func scoresOf(r batch.Report) map[string][]string {
	all := map[string][]string{}
	for _, t := range r.Trajectories {
		key := fmt.Sprintf("%s #%d", t.Task, t.Index)
		for _, s := range t.Samples {
			all[key] = append(all[key], fmt.Sprintf("%s %s %v", s.Outcome, s.Kernel, *s.Score))
		}
	}
	return all
}

// refusing is a record that takes nothing.
type refusing struct{}

func (refusing) Append(agent.Event) error { return errors.New("the disk is full") }

func TestASessionEndsWithItsRecord(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	if err := (strict{refusing{}, cancel}).Append(agent.Event{}); err == nil || ctx.Err() == nil {
		t.Errorf("error %v, context %v", err, ctx.Err())
	}
}
