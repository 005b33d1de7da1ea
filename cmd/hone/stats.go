package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/hone/agent/canary"
	"example.com/hone/agent/record"
	"example.com/hone/ui/plain"
)

// statsSchema names the JSON form of [modelStats].
const statsSchema = "hone.stats/1"

// The periods that figures are given by.
const (
	byDay = "day" // local
	byRun = "run"
)

func (a *app) statsCommand() *cobra.Command {
	var by, model string
	cmd := &cobra.Command{
		Use: "stats", Short: "Say by model how replies change over time: openings of thoughts, length, repetition, junk", Args: cobra.NoArgs,
		Long: "Say by model, over time, which share of the thoughts does not open as usual (thought_openings of a profile,\n" +
			"\"Okay,\" by default), how long replies are, which share of their phrases repeats, which share of their characters\n" +
			"is no text, and which share of the turns is correct. Kevin's training (arXiv 2507.11948) announced its collapse\n" +
			"in how thoughts open.",
		Example: "  hone runs stats\n  hone runs stats --by run --model kevin-32b\n  hone runs stats --json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runStats(cmd.Context(), by, model) },
	}
	cmd.Flags().StringVar(&by, "by", byDay, "rows for each day or run")
	cmd.Flags().StringVar(&model, "model", "", "of one model alone")
	cmd.Flags().BoolVar(&a.flags.json, "json", false, "print JSON")
	return cmd
}

// modelStats is one model in the JSON of the figures.
type modelStats struct {
	canary.Model
	Openings []string `json:"usual_openings"` // as configured now
}

func (a *app) runStats(ctx context.Context, by, model string) error {
	periods := map[string]func(canary.Sample) string{
		byDay: func(s canary.Sample) string { return s.Time.In(time.Local).Format(time.DateOnly) },
		byRun: func(s canary.Sample) string { return s.Session },
	}
	period, ok := periods[by]
	if !ok {
		return usageError{fmt.Sprintf("--by is %q: want day or run", by)}
	}
	runs, err := record.List(a.config.Runs)
	if err != nil {
		return err
	}
	usual := a.config.usualOpenings()
	models := canary.Group(samplesOf(ctx, runs, usual, func(err error) { a.say("left out: %v", err) }), period)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if model != "" {
		models = slices.DeleteFunc(models, func(m canary.Model) bool { return m.Model != model })
	}
	if a.flags.json {
		return a.printStats(by, models, usual)
	}
	if len(models) == 0 {
		a.say("no turns of a model in %s", a.config.Runs)
		return nil
	}
	_, err = io.WriteString(a.out, plain.Stats(models, by))
	return err
}

func (a *app) printStats(by string, models []canary.Model, usual canary.Usual) error {
	rows := make([]modelStats, 0, len(models))
	for _, m := range models {
		rows = append(rows, modelStats{Model: m, Openings: usual.Openings(m.Model)})
	}
	return a.printJSON(struct {
		Schema string       `json:"schema"`
		By     string       `json:"by"`
		Models []modelStats `json:"models"`
	}{statsSchema, by, rows})
}

// samplesOf reads runs one by one: only the figures of each stay in memory. A run
// that cannot be read is complained of and left out.
func samplesOf(ctx context.Context, runs []record.Summary, usual canary.Usual, complain func(error)) []canary.Sample {
	var samples []canary.Sample
	for _, r := range runs {
		if ctx.Err() != nil {
			break
		}
		events, _, err := record.Read(r.Path)
		if err != nil {
			complain(err)
			continue
		}
		samples = append(samples, canary.FromEvents(events, usual)...)
	}
	return samples
}

// earlierRuns is the most runs that a session is compared with: some hundred
// replies, read in about a second.
const earlierRuns = 32

// earlier is what a model showed in the newest runs that began before one.
func (a *app) earlier(ctx context.Context, run, model string) ([]canary.Sample, error) {
	runs, err := record.List(a.config.Runs)
	if err != nil {
		return nil, err
	}
	runs = slices.DeleteFunc(runs, func(r record.Summary) bool { return r.ID >= run || !r.Asked(model) })
	runs = runs[:min(earlierRuns, len(runs))]
	samples := samplesOf(ctx, runs, a.config.usualOpenings(), func(error) {})
	return slices.DeleteFunc(samples, func(s canary.Sample) bool { return s.Model != model }), ctx.Err()
}

// usualOpenings is how the thoughts of each configured model open. Profiles of one
// model add up.
func (c *config) usualOpenings() canary.Usual {
	usual := canary.Usual{}
	for _, p := range c.Models {
		if p.ThoughtOpenings != nil {
			openings := append([]string{}, usual[p.Model]...)
			usual[p.Model] = append(openings, *p.ThoughtOpenings...)
		}
	}
	for _, openings := range usual {
		slices.Sort(openings) // profiles come in any order
	}
	return usual
}
