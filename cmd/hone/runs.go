package main

import (
	"io"
	"time"

	"github.com/spf13/cobra"

	"example.com/hone/agent/record"
	"example.com/hone/ui/plain"
)

func (a *app) runsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "runs",
		Short:   "List, show, replay and compare recorded sessions",
		Example: "  hone runs list\n  hone runs show last\n  hone runs replay 01JD\n  hone runs stats",
	}
	list := &cobra.Command{
		Use: "list", Short: "List the recorded sessions, newest first", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listRuns() },
	}
	show := &cobra.Command{
		Use: "show RUN", Short: "Print a session as lines, or with --json its events", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			path, err := record.Find(a.config.Runs, args[0])
			if err != nil {
				return usageError{err.Error()}
			}
			return a.showRun(path)
		},
	}
	replay := &cobra.Command{
		Use: "replay RUN", Short: "Rebuild a session's screen from its record", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.replay(cmd.Context(), args[0]) },
	}
	for _, c := range []*cobra.Command{list, show} {
		c.Flags().BoolVar(&a.flags.json, "json", false, "print JSON")
	}
	cmd.AddCommand(list, show, replay, a.statsCommand())
	return cmd
}

func (a *app) listRuns() error {
	runs, err := record.List(a.config.Runs)
	if err != nil {
		return err
	}
	if a.flags.json {
		return a.printJSON(runList{Schema: "hone.runs/1", Runs: runRows(runs)})
	}
	if len(runs) == 0 {
		a.say("no runs in %s yet", a.config.Runs)
		return nil
	}
	_, err = io.WriteString(a.out, plain.Runs(runs, time.Local))
	return err
}

// runList is the JSON listing.
type runList struct {
	Schema string   `json:"schema"`
	Runs   []runRow `json:"runs"`
}

// runRow is a run in it.
type runRow struct {
	Run      string     `json:"run"`
	Path     string     `json:"path"`
	Task     string     `json:"task"`
	Models   []string   `json:"models"`
	Device   string     `json:"device"`
	Emulated bool       `json:"emulated"`
	Started  *time.Time `json:"started"` // null where no event can be read
	Turns    int        `json:"turns"`
	Best     *int       `json:"best_turn"`
	Accepted *int       `json:"accepted_turn"`
	Speedup  *float64   `json:"best_speedup"`
	Stopped  string     `json:"stopped"`
	Problems []string   `json:"problems"`
}

func runRows(runs []record.Summary) []runRow {
	rows := make([]runRow, 0, len(runs))
	for _, s := range runs {
		row := runRow{
			Run: s.ID, Path: s.Path, Task: s.Task, Models: append([]string{}, s.Models()...), Device: s.Device, Emulated: s.Emulated,
			Turns: len(s.Turns), Best: turnOrNil(s.Best), Accepted: turnOrNil(s.Accepted),
			Speedup: s.BestSpeedup(), Stopped: s.Stopped, Problems: []string{},
		}
		if !s.Started.IsZero() {
			row.Started = &s.Started
		}
		for _, p := range s.Problems {
			row.Problems = append(row.Problems, p.String())
		}
		rows = append(rows, row)
	}
	return rows
}

func turnOrNil(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

func (a *app) showRun(path string) error {
	events, problems, err := record.Read(path)
	if err != nil {
		return err
	}
	if !a.flags.json {
		return plain.Show(a.out, path, events, problems)
	}
	printer := plain.NewJSON(a.out)
	for _, e := range events {
		printer.Event(e)
	}
	for _, p := range problems {
		a.say("%s", p)
	}
	return printer.Err()
}
