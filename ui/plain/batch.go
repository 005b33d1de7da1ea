package plain

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"example.com/hone/agent/batch"
	"example.com/hone/gpu"
	"example.com/hone/ui/figures"
)

// Batch is the table of a run: its tasks, its levels and the total, then what the
// figures are of and why the run ended.
func Batch(r batch.Report) string {
	names, rows := []string{""}, [][]string{batchHead(r.Total)}
	add := func(name string, row batch.Row) {
		names, rows = append(names, oneLine(name)), append(rows, batchRow(row))
	}
	for _, task := range r.Tasks {
		add(task.Task, task)
	}
	for _, level := range r.Levels {
		add(levelName(*level.Level), level)
	}
	add("total", r.Total)
	return columns(names, rows) + "\n" + batchNote(r) + "\n" + batchEnd(r) + "\n"
}

// columns sets names to the left and figures to the right.
func columns(names []string, rows [][]string) string {
	var figures strings.Builder
	w := tabwriter.NewWriter(&figures, 0, 0, 2, ' ', tabwriter.AlignRight)
	wide := 0
	for i, row := range rows {
		wide = max(wide, utf8.RuneCountInString(names[i]))
		fmt.Fprintln(w, strings.Join(row, "\t")+"\t") // a tab ends each cell
	}
	_ = w.Flush() // a strings.Builder takes everything
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(figures.String(), "\n"), "\n") {
		fmt.Fprintf(&b, "%-*s%s\n", wide, names[i], line)
	}
	return b.String()
}

func levelName(level int) string {
	if level == 0 {
		return "no level"
	}
	return fmt.Sprintf("level %d", level)
}

func batchHead(total batch.Row) []string {
	cells := []string{"traj.", "turns", "correct", "mean"}
	for _, at := range total.Speedup.Best {
		cells = append(cells, fmt.Sprintf("best@%d", at.K))
	}
	for _, fast := range total.Fast {
		cells = append(cells, fmt.Sprintf("fast_%g", fast.P))
	}
	return cells
}

func batchRow(r batch.Row) []string {
	cells := []string{trajectories(r), fmt.Sprint(r.Turns), both(r.Correct), times(r.Speedup.Avg)}
	for _, at := range r.Speedup.Best {
		cells = append(cells, times(at.Value))
	}
	for _, fast := range r.Fast {
		cells = append(cells, both(fast.Estimate))
	}
	return cells
}

// both are avg and the last best@k of a share.
func both(e batch.Estimate) string {
	return percent(e.Avg) + "/" + percent(e.Best[len(e.Best)-1].Value)
}

func trajectories(r batch.Row) string {
	if r.Incomplete == 0 {
		return fmt.Sprint(r.Trajectories)
	}
	return fmt.Sprintf("%d of %d", r.Trajectories, r.Trajectories+r.Incomplete)
}

func percent(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100**v)
}

func times(v *float64) string {
	if v == nil {
		return "-"
	}
	return ratio(*v)
}

// batchNote says what the figures are of.
func batchNote(r batch.Report) string {
	over := []string{}
	for _, basis := range r.Basis {
		over = append(over, gpu.BaselineName(basis))
	}
	text := "speedup over " + strings.Join(over, " and ")
	if len(over) == 0 {
		text = "no speedup was measured"
	}
	text += ", " + oneLine(r.Settings.Device)
	if r.Emulated {
		text += " (emulated on CPU: not a GPU time)"
	}
	k := r.Total.Speedup.Best
	return text + fmt.Sprintf("\na trajectory counts with its best correct turn, with 0 where there is none; best@k without bias;\n"+
		"correct and fast_p (p or more): avg@%[1]d/best@%[1]d", k[len(k)-1].K)
}

func batchEnd(r batch.Report) string {
	text := "run " + r.Run + ": "
	switch r.Stopped {
	case batch.EndDone:
		text += "done"
	case batch.EndError:
		text += "stopped by an error"
	case batch.EndInterrupted:
		text += "interrupted"
	default:
		text += "the " + words(r.Stopped) + " is used up"
	}
	if r.Cause != "" {
		text += ": " + oneLine(r.Cause)
	}
	text += fmt.Sprintf("; %s and %d tokens in all", figures.Plural(r.Spent.Turns, "turn"), r.Spent.Tokens)
	if r.Spent.Cost > 0 {
		text += fmt.Sprintf(", costing %.2f", r.Spent.Cost)
	}
	text += "; recorded in " + r.Folder
	if r.Total.Incomplete > 0 {
		text += "\n" + fmt.Sprintf("not complete and not counted: %d", r.Total.Incomplete) +
			"; go on with: hone run --out " + r.Folder
	}
	return text
}
