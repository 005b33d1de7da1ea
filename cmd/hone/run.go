package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.com/hone/agent"
	"example.com/hone/agent/batch"
	"example.com/hone/ui/plain"
	"example.com/hone/ui/progress"
)

// runOptions are the flags of hone run. Where nobody says, it does what Kevin's
// evaluation does: 16 trajectories of 8 turns (arXiv 2507.11948, section 5).
type runOptions struct {
	tasks        []string
	levels       []int
	trajectories int
	turns        int
	beam         bool
	keep         int
	parallel     int
	judges       int
	out          string
	resume       string
	rate         float64
	budget       budgetOptions
	given        map[string]bool // flags that say what to take, where they were given
}

const (
	defaultTrajectories = 16
	defaultRunTurns     = 8
	defaultParallel     = 8
)

func (a *app) runCommand() *cobra.Command {
	var opts runOptions
	beam := agent.Beam()
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Collect trajectories without a screen: tasks x trajectories x turns",
		Long: "Collect trajectories without a person: every task several times, each trajectory a session with a record of its\n" +
			"own. Model requests run side by side; kernels wait for a judge one by one. Killed at any moment, a run goes on\n" +
			"with --resume, or with the same --out; no turn that ended is taken again. It ends with a table.\n\n" +
			fmt.Sprintf("--beam searches instead: %d samples of each task, of which after every turn the %d with the fastest kernels go\n"+
				"on, cloned; %d turns.\n\n", beam.Samples, beam.Keep, beam.Turns) + exitCodes,
		Example: "  hone run --level 1 --trajectories 4 --turns 4\n  hone run --tasks softmax,layer_norm --out ./collected --json > table.json\n" +
			"  hone run --beam --budget-tokens 5000000\n  hone run --judges 8 --parallel 64    # on a machine with eight GPUs\n  hone run --resume last",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.given = map[string]bool{}
			for _, name := range []string{"tasks", "level", "trajectories", "turns", "beam", "keep", "timeout"} {
				opts.given[name] = cmd.Flags().Changed(name)
			}
			if opts.beam && !opts.given["turns"] {
				opts.turns = beam.Turns
			}
			return a.collect(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&opts.tasks, "tasks", nil, "tasks, by name (default: all)")
	f.IntSliceVar(&opts.levels, "level", nil, "only tasks of these levels")
	f.IntVar(&opts.trajectories, "trajectories", defaultTrajectories, "trajectories of each task; samples of a beam search")
	f.IntVar(&opts.turns, "turns", defaultRunTurns, fmt.Sprintf("turns of each trajectory (a beam search: %d)", beam.Turns))
	f.BoolVar(&opts.beam, "beam", false, "search with a beam")
	f.IntVar(&opts.keep, "keep", beam.Keep, "trajectories that go on after each turn of a beam search")
	f.IntVar(&opts.parallel, "parallel", defaultParallel, "model requests at once")
	f.IntVar(&opts.judges, "judges", 1, "judges at once, each with a GPU of its own from --device on; by emulation, each on the CPU")
	f.StringVar(&opts.out, "out", "", "folder of the run; one that holds a run is gone on with (default: in the folder of the record)")
	f.StringVar(&opts.resume, "resume", "", "go on with a run: its id, a part of it, or \"last\"")
	f.Float64Var(&opts.rate, "rate", 0, "speed of the scripted model in tokens per second; 0: as fast as possible")
	f.BoolVar(&a.flags.json, "json", false, "print the table as one JSON object")
	f.BoolVar(&a.flags.plain, "plain", false, "print a line for each trajectory instead of drawing a table")
	opts.budget.add(cmd)
	answerFlags(cmd)
	promptFlag(cmd)
	a.timeoutFlag(cmd)
	cmd.MarkFlagsMutuallyExclusive("out", "resume")
	return cmd
}

// plan is what each session of the run does.
func (o runOptions) plan() agent.Plan {
	if o.beam {
		return agent.Plan{Turns: o.turns, Samples: o.trajectories, Keep: o.keep}
	}
	return agent.Plan{Turns: o.turns}
}

func (o runOptions) check() error {
	for _, flag := range []struct {
		name  string
		value int
	}{{"trajectories", o.trajectories}, {"turns", o.turns}, {"keep", o.keep}, {"parallel", o.parallel}, {"judges", o.judges}} {
		if flag.value < 1 {
			return usageError{fmt.Sprintf("--%s is %d: want at least 1", flag.name, flag.value)}
		}
	}
	if o.beam && o.keep > o.trajectories {
		return usageError{fmt.Sprintf("--keep is %d of %d trajectories: keep fewer", o.keep, o.trajectories)}
	}
	return o.budget.check()
}

// collect runs what the flags ask for and prints the table.
func (a *app) collect(ctx context.Context, opts runOptions) error {
	if err := opts.check(); err != nil {
		return err
	}
	c, err := a.openCollection(ctx, opts)
	if err != nil {
		return err
	}
	defer c.close()
	shower := a.shower()
	board, ending, err := batch.Run(ctx, batch.Options{
		Manifest: c.manifest, Parallel: c.sessions(), Session: c.session, Allowance: c.allowance, Observe: shower.Show,
	})
	for _, line := range c.sick() {
		a.say("%s", line)
	}
	report := c.report(board, ending)
	err = errors.Join(err, shower.Err(), c.directory.Report(report))
	if a.flags.json {
		err = errors.Join(err, a.printJSON(report))
	} else {
		_, written := io.WriteString(a.out, "\n"+plain.Batch(report))
		err = errors.Join(err, written)
	}
	if err != nil {
		return err
	}
	return outcome(report, ending)
}

// outcome is how a run ended, as an error for explain.
func outcome(r batch.Report, e batch.Ending) error {
	switch {
	case e.Reason == batch.EndInterrupted:
		return context.Canceled
	case e.Cause != nil && e.Cause.Outcome == agent.OutcomeModelError:
		return modelError{errors.New(e.Cause.Summary)}
	case e.Cause != nil:
		return evaluatorError{errors.New(e.Cause.Summary)}
	case e.Reason == batch.EndError:
		return fmt.Errorf("the run ended by an error before it was complete: go on with \"hone run --out %s\"", r.Folder)
	}
	for _, t := range r.Trajectories {
		for _, s := range t.Samples {
			if s.Speedup != nil {
				return nil
			}
		}
	}
	return noCorrectKernel{}
}

// shower draws on a terminal and prints lines elsewhere, beside the table.
func (a *app) shower() progress.Shower {
	switch {
	case a.flags.json:
		return progress.NewLines(a.err)
	case a.flags.plain || !a.outTTY || a.environment("TERM") == "dumb":
		return progress.NewLines(a.out)
	}
	return progress.NewLive(a.out, a.terminalSize, time.Now)
}

// terminalSize is that of the terminal that output goes to, or a usual one.
func (a *app) terminalSize() (width, height int) {
	if a.outFile != nil {
		if width, height, err := term.GetSize(int(a.outFile.Fd())); err == nil {
			return width, height
		}
	}
	return 80, 24
}
