package plain

import (
	"fmt"
	"strings"

	"example.com/hone/agent/canary"
)

// Stats is a table for each model: a row per period, all of them together, and the
// trend of each column. By names the periods: "day" or "run".
func Stats(models []canary.Model, by string) string {
	var b strings.Builder
	for i, m := range models {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n", oneLine(m.Model))
		b.WriteString(table(statsRows(m, by)))
	}
	if len(models) > 0 {
		fmt.Fprintf(&b, "\ntrend: the newest %d periods, oldest first; _ is 0, # the column's greatest, ? unknown\n", trendWidth)
	}
	return b.String()
}

// statsColumn is a figure of a period: its title, value and form.
type statsColumn struct {
	title string
	value func(canary.Summary) *float64
	write func(float64) string
}

func statsColumns() []statsColumn {
	tokens := func(v float64) string { return fmt.Sprintf("%.0f", v) }
	share := func(v float64) string { return fmt.Sprintf("%.1f%%", 100*v) }
	return []statsColumn{
		{"ODD OPENINGS", func(s canary.Summary) *float64 { return s.Odd }, share},
		{"TOKENS", func(s canary.Summary) *float64 { return number(s.Tokens) }, tokens},
		{"90% UP TO", func(s canary.Summary) *float64 { return number(s.TokensHigh) }, tokens},
		{"REPEATED", func(s canary.Summary) *float64 { return s.Repetition }, share},
		{"JUNK", func(s canary.Summary) *float64 { return s.Junk }, share},
		{"CORRECT", func(s canary.Summary) *float64 { return s.Correct }, share},
	}
}

func number(n *int) *float64 {
	if n == nil {
		return nil
	}
	v := float64(*n)
	return &v
}

func statsRows(m canary.Model, by string) [][]string {
	head := []string{strings.ToUpper(by), "SESSIONS", "TURNS", "THOUGHTS"}
	trend := []string{"trend", "", "", ""}
	for _, c := range statsColumns() {
		head = append(head, c.title)
		trend = append(trend, trendOf(m.Periods, c.value))
	}
	rows := [][]string{head}
	for _, p := range m.Periods {
		rows = append(rows, statsRow(p.Name, p.Summary))
	}
	return append(rows, statsRow("all", m.Summary), trend)
}

func statsRow(name string, s canary.Summary) []string {
	row := []string{name, fmt.Sprint(s.Sessions), fmt.Sprint(s.Turns), fmt.Sprint(s.Thoughts)}
	for _, c := range statsColumns() {
		text := "-"
		if v := c.value(s); v != nil {
			text = c.write(*v)
		}
		row = append(row, text)
	}
	return row
}

// trendWidth is the most periods of a trend.
const trendWidth = 16

// trendOf draws a figure over the newest periods, one mark each.
func trendOf(periods []canary.Period, value func(canary.Summary) *float64) string {
	const levels = "_.-=#"
	periods = periods[max(0, len(periods)-trendWidth):]
	most := 0.0
	for _, p := range periods {
		if v := value(p.Summary); v != nil {
			most = max(most, *v)
		}
	}
	var b strings.Builder
	for _, p := range periods {
		switch v := value(p.Summary); {
		case v == nil:
			b.WriteByte('?')
		case most == 0:
			b.WriteByte(levels[0])
		default:
			b.WriteByte(levels[int(*v/most*float64(len(levels)-1)+0.5)])
		}
	}
	return b.String()
}
