package plain

import (
	"fmt"
	"math"
	"strings"
	"time"

	"example.com/hone/agent/record"
	"example.com/hone/ui/figures"
	"example.com/hone/ui/term"
)

// Runs is a table of runs, with times in a zone. The last column has a mark per
// turn: x failed, ? not judged, else its speedup: _ below 0.5, . below 1, = below
// 2, # from 2 on.
func Runs(runs []record.Summary, zone *time.Location) string {
	if len(runs) == 0 {
		return "no runs yet\n"
	}
	rows := [][]string{{"RUN", "STARTED", "TASK", "MODEL", "DEVICE", "TURNS", "BEST", "ENDED", "SPEEDUPS"}}
	for _, r := range runs {
		rows = append(rows, row(r, zone))
	}
	return table(rows)
}

func row(r record.Summary, zone *time.Location) []string {
	started, best := "-", "-"
	if !r.Started.IsZero() {
		started = r.Started.In(zone).Format("2006-01-02 15:04")
	}
	if s := r.BestSpeedup(); s != nil {
		best = ratio(*s)
	}
	ended := words(r.Stopped)
	if n := len(r.Problems); n > 0 {
		ended += " (" + figures.Plural(n, "problem") + ")"
	}
	return []string{
		r.ID, started, dash(r.Task), dash(strings.Join(r.Models(), ", ")), dash(r.Device), fmt.Sprint(len(r.Turns)), best, ended, dash(spark(r.Turns)),
	}
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// spark draws the turns of a run, one mark each; a level of speedup is a doubling.
func spark(turns []record.Mark) string {
	const levels = "_.=#"
	var b strings.Builder
	for _, t := range turns {
		switch {
		case t.Speedup != nil && *t.Speedup > 0:
			level := int(math.Log2(*t.Speedup) + 2)
			b.WriteByte(levels[max(0, min(level, len(levels)-1))])
		case t.Outcome == "" || t.Outcome == "stopped" || t.Outcome == "infra_error" || t.Outcome == "unsupported":
			b.WriteByte('?')
		default:
			b.WriteByte('x')
		}
	}
	return b.String()
}

// table aligns the columns of rows, two spaces apart.
func table(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range row {
			row[i] = oneLine(row[i])
			widths[i] = max(widths[i], term.Width(row[i]))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(term.Pad(cell, widths[i]+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}
