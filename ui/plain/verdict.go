package plain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/ui/figures"
	"example.com/hone/ui/term"
)

const emulated = "emulated on CPU: not a GPU time"

// Verdict says all that is known of a kernel after an evaluation.
func Verdict(v gpu.Verdict, kernel string) string {
	lines := []string{oneLine(headline(string(v.Outcome), v.Summary))}
	for _, s := range v.Stages {
		elapsed := time.Duration(s.MS * float64(time.Millisecond))
		lines = append(lines, strings.TrimRight("  "+oneLine(stageLine(s.Name, s.Status, elapsed, s.Detail)), " "))
	}
	for _, l := range details(v, kernel) {
		lines = append(lines, "  "+l)
	}
	if v.Score != nil {
		lines = append(lines, fmt.Sprintf("  score: %.2f", *v.Score))
	}
	return strings.Join(lines, "\n") + "\n"
}

// headline is an outcome and its summary, which often begins with the same word.
func headline(outcome, summary string) string {
	if name := words(outcome); !strings.HasPrefix(summary, name) {
		return name + ": " + summary
	}
	return summary
}

func stageLine(stage gpu.Stage, status gpu.Status, elapsed time.Duration, detail string) string {
	s := fmt.Sprintf("%s: %s", stage, status)
	if status != gpu.StatusSkipped {
		s += ", " + figures.Span(elapsed)
	}
	if detail != "" {
		s += ": " + detail
	}
	return s
}

// details are the lines of a verdict beyond its summary and stages.
func details(v gpu.Verdict, kernel string) []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, oneLine(fmt.Sprintf(format, args...))) }
	for _, d := range v.Diagnostics {
		lines = append(lines, diagnostic(d, kernel)...)
	}
	if v.Check != nil {
		lines = append(lines, check(*v.Check)...)
	}
	claimed := ""
	if v.Outcome == gpu.OutcomeSuspect {
		claimed = "claimed "
	}
	if v.Timing != nil {
		add("%stime: %s", claimed, timing(*v.Timing))
	}
	for _, name := range slices.Sorted(maps.Keys(v.Speedup)) {
		add("%sspeedup: %s%s", claimed, ratio(v.Speedup[name]), over(name, v))
	}
	for _, line := range measured(v) {
		add("%s", line)
	}
	for _, r := range v.Resources {
		add("launch: %s", launch(r))
	}
	for _, f := range v.Findings {
		at := ""
		if f.Line > 0 {
			at = fmt.Sprintf(" at line %d", f.Line)
		}
		add("finding (%s): %s%s: %s", f.Severity, words(f.Kind), at, f.Evidence)
	}
	return lines
}

// diagnostic is a compiler's message with the line of the kernel it is about.
func diagnostic(d gpu.Diagnostic, kernel string) []string {
	at := d.File
	if d.Line > 0 {
		at += fmt.Sprintf(":%d", d.Line)
		if d.Column > 0 {
			at += fmt.Sprintf(":%d", d.Column)
		}
	}
	lines := []string{oneLine(fmt.Sprintf("%s: %s: %s", at, d.Severity, d.Message))}
	if source, ok := lineOf(kernel, d.Line); ok && (d.File == "kernel.cu" || d.File == "answer.py") {
		lines = append(lines, fmt.Sprintf("%5d | %s", d.Line, source))
	}
	for _, n := range d.Notes {
		lines = append(lines, "  note: "+oneLine(n))
	}
	return lines
}

// lineOf is line n of a text, made safe.
func lineOf(text string, n int) (string, bool) {
	lines := strings.Split(text, "\n")
	if n < 1 || n > len(lines) || strings.TrimSpace(lines[n-1]) == "" {
		return "", false
	}
	return strings.TrimRight(term.Clean(lines[n-1]), " \n"), true
}

func check(c gpu.Check) []string {
	lines := []string{fmt.Sprintf("trials: %d of %d passed", c.Passed, c.Trials)}
	add := func(format string, args ...any) { lines = append(lines, oneLine(fmt.Sprintf(format, args...))) }
	if c.Wrong > 0 {
		lines[0] += fmt.Sprintf(", %d of %d elements are wrong", c.Wrong, c.Total)
	}
	if c.MaxAbs != nil {
		worst := fmt.Sprintf("worst error: %.3g absolute", *c.MaxAbs)
		if c.MaxRel != nil {
			worst += fmt.Sprintf(", %.3g relative", *c.MaxRel)
		}
		add("%s (allowed: %g + %g * |expected|)", worst, c.Atol, c.Rtol)
	}
	if c.Pattern != "" {
		add("pattern: %s", c.Pattern)
	}
	for _, m := range c.First {
		index := strings.ReplaceAll(strings.Trim(fmt.Sprint(m.Index), "[]"), " ", ",")
		add("%s[%s]: expected %.6g, got %.6g (trial %d)", m.Output, index, float64(m.Expected), float64(m.Got), m.Trial+1)
	}
	return lines
}

func timing(t gpu.Timing) string {
	s := figures.Micros(t.MedianUS)
	if t.CI95US != nil {
		s += " (95%: " + figures.Range(t.CI95US[0], t.CI95US[1]) + ")"
	}
	if t.Emulated {
		return s + fmt.Sprintf(", %d samples, %s", t.Samples, emulated)
	}
	return s + fmt.Sprintf(", %d samples, %s, %s", t.Samples, t.Method, t.Device)
}

// over names the baseline of a speedup and its time.
func over(name string, v gpu.Verdict) string {
	s := " " + gpu.BaselineName(name)
	if b, ok := v.Baselines[name]; ok {
		s += " (" + figures.Micros(b.MedianUS) + ")"
	}
	if v.Timing != nil && v.Timing.Emulated {
		s += ", " + emulated
	}
	return s
}
