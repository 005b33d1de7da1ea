package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/hone/agent"
	"example.com/hone/gpu"
	"example.com/hone/ui/figures"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// verdictView writes what is known of one turn's kernel, in rows of w cells.
type verdictView struct {
	theme.Theme
	w        int
	checking bool // a final check is running
	rows     []string
}

// verdictRows is the verdict pane of a turn.
func verdictRows(th theme.Theme, t *agent.Turn, checking bool, w int) []string {
	v := verdictView{Theme: th, w: w, checking: checking}
	if t == nil {
		v.text(v.Dim, 1, "Nothing to judge yet.")
		return v.rows
	}
	v.stages(t)
	v.blank()
	v.head(t)
	if t.Verdict != nil {
		v.details(t.Verdict)
	}
	v.decisions(t)
	v.marks(t.Marks)
	return v.rows
}

// details is all that a verdict says beyond its outcome, what decided it first.
func (v *verdictView) details(d *gpu.Verdict) {
	suspect := d.Outcome == gpu.OutcomeSuspect
	if suspect {
		v.findings(d.Summary, beyond(d.Summary, d.Findings))
	}
	v.timing(d)
	v.mismatch(d.Summary, d.Check)
	v.diagnostics(d.Diagnostics)
	if !suspect {
		v.findings(d.Summary, d.Findings)
	}
	v.roofline(d.Roofline)
	v.launches(d.Resources)
	v.device(d.Timing)
}

// beyond are the findings that a summary does not tell already.
func beyond(summary string, all []gpu.Finding) []gpu.Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f gpu.Finding) bool { return strings.Contains(summary, f.Evidence) })
}

func (v *verdictView) add(row string) { v.rows = append(v.rows, row) }

func (v *verdictView) blank() {
	if len(v.rows) > 0 && v.rows[len(v.rows)-1] != "" {
		v.add("")
	}
}

// text adds cleaned text, wrapped and indented.
func (v *verdictView) text(style theme.Style, indent int, text string) {
	text = term.Clean(text)
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		for _, row := range wrapLine(line, v.w-indent-1) {
			v.add(strings.Repeat(" ", indent) + style.Render(row))
		}
	}
}

// labelWidth is the column of labels, before the values.
const labelWidth = 12

// pairRow adds a label and its value, aligned.
func (v *verdictView) pairRow(label, value string) {
	v.add("   " + v.Dim.Render(term.Pad(label, labelWidth)) + value)
}

// pairText is pairRow for a value that may take several rows.
func (v *verdictView) pairText(style theme.Style, label, value string) {
	for _, row := range wrapLine(oneLine(value), v.w-labelWidth-4) {
		v.pairRow(label, style.Render(row))
		label = ""
	}
}

func (v *verdictView) stages(t *agent.Turn) {
	for _, name := range gpu.Stages() {
		e := stageOf(t, name, v.checking)
		glyph, word, style := stageMark(v.Theme, e.Status, t.Phase == agent.PhaseDone)
		took := ""
		if e.Status != "" && e.Status != gpu.StatusSkipped {
			took = figures.Span(e.Elapsed)
		}
		v.add(fmt.Sprintf(" %s %s %s %s  %s", style.Render(glyph), term.Pad(string(name), 8),
			style.Render(term.Pad(word, 7)), v.Dim.Render(fmt.Sprintf("%7s", took)), v.Dim.Render(oneLine(e.Detail))))
	}
}

func (v *verdictView) head(t *agent.Turn) {
	outcome := outcomeOf(t)
	if outcome == "" {
		if why := failedAhead(t); why != "" {
			v.text(v.Text, 1, why)
		}
		v.text(v.Dim, 1, progress(t))
		return
	}
	glyph, style := outcomeMark(v.Theme, outcome)
	long, cause := headline(outcome, t.Verdict)
	line := " " + style.Render(glyph+" "+long)
	if s, ok := t.Speedup(); ok {
		line += "  " + speedStyle(v.Theme, s).Render(figures.Speedup(s)) + " " + oneLine(gpu.BaselineName(t.Verdict.ScoreBasis))
	}
	v.add(line)
	if t.Verdict != nil && t.Verdict.Timing != nil && t.Verdict.Timing.Emulated {
		v.text(v.Warn, 3, "emulated on CPU: not a GPU time")
	}
	switch {
	case t.Error != "":
		cause = t.Error
	case t.Verdict == nil && t.End != nil:
		cause = t.End.Summary
	case t.Verdict != nil && t.Verdict.Outcome.Correct():
		cause = ""
	}
	if cause != "" && !repeats(cause, t) {
		v.text(v.Text, 3, cause)
	}
	if t.Code != nil {
		for _, p := range t.Code.Problems {
			v.text(v.Warn, 3, p)
		}
	}
}

// repeats says whether text is nothing but what is odd about the reply, which is
// listed anyway.
func repeats(text string, t *agent.Turn) bool {
	return t.Code != nil && len(t.Code.Problems) > 0 && strings.HasSuffix(text, strings.Join(t.Code.Problems, "; "))
}

// headline is an outcome in words and what a verdict's summary says beyond them.
// What is unsupported depends on the device, so that the summary has the words.
func headline(outcome string, v *gpu.Verdict) (words, cause string) {
	short, long := outcomeWords(outcome)
	if v == nil {
		return long, ""
	}
	head, rest, found := strings.Cut(v.Summary, ": ")
	switch {
	case !found:
		return long, v.Summary
	case outcome == string(gpu.OutcomeUnsupported) && strings.HasPrefix(head, short):
		return oneLine(head), rest
	case head == short || head == long:
		return long, rest
	}
	return long, v.Summary
}

// progress says in words what a turn without an outcome is doing.
func progress(t *agent.Turn) string {
	switch t.Phase {
	case agent.PhasePrompt:
		return "Waiting for the model."
	case agent.PhaseStream:
		if t.Stages[gpu.StageRules].Status == "" {
			return "The model is writing."
		}
		return "The model writes on. The verdict comes once its reply is whole."
	}
	return "The kernel is being judged."
}

// failedAhead is why a kernel that is built while its reply goes on will not do, as a
// sentence; empty while it may.
func failedAhead(t *agent.Turn) string {
	if t.Phase != agent.PhaseStream {
		return ""
	}
	for _, name := range gpu.Stages() {
		if e := t.Stages[name]; e.Status == gpu.StatusFailed && e.Detail != "" {
			return strings.TrimRight(oneLine(e.Detail), ".") + "."
		}
	}
	return ""
}

func speedStyle(t theme.Theme, s float64) theme.Style {
	if s < 1 {
		return t.Warn
	}
	return t.Good
}

func (v *verdictView) timing(d *gpu.Verdict) {
	if d.Timing == nil {
		return
	}
	v.blank()
	v.timeRow(pick(d.Outcome == gpu.OutcomeSuspect, "its claim", "this kernel"), *d.Timing, "")
	for _, name := range slices.Sorted(maps.Keys(d.Baselines)) {
		ratio := ""
		if s, ok := d.Speedup[name]; ok && d.Outcome != gpu.OutcomeSuspect {
			ratio = figures.Speedup(s)
		}
		v.timeRow(oneLine(name), d.Baselines[name], ratio)
		if base := d.Baselines[name]; overlap(d.Timing.CI95US, base.CI95US) {
			v.pairText(v.Warn, "", "no real difference: intervals overlap")
		}
	}
	if d.Score != nil {
		v.pairRow("score", fmt.Sprintf("%9.2f", *d.Score))
	}
	if c := d.Check; c != nil && c.Passed == c.Trials {
		v.pairRow("trials", fmt.Sprintf("%9s", fmt.Sprintf("%d of %d", c.Passed, c.Trials))+
			v.Dim.Render("  worst error "+figures.Error(c.MaxAbs)))
	}
	v.method(*d.Timing)
	v.others(d.Methods)
}

func (v *verdictView) timeRow(label string, t gpu.Timing, ratio string) {
	median := figures.Micros(t.MedianUS)
	value := fmt.Sprintf("%9s", median)
	value += fmt.Sprintf("  %6s", ratio)
	if t.CI95US != nil {
		_, unit, _ := strings.Cut(median, " ")
		interval := figures.Range(t.CI95US[0], t.CI95US[1])
		if strings.Count(interval, "s") == 1 { // its only unit, which the median has named
			interval = strings.TrimSuffix(interval, " "+unit)
		}
		value += v.Dim.Render("  " + interval)
	}
	v.pairRow(label, value)
}

func overlap(a, b *[2]float64) bool {
	return a != nil && b != nil && a[0] <= b[1] && b[0] <= a[1]
}

func (v *verdictView) mismatch(summary string, c *gpu.Check) {
	if c == nil || c.Wrong == 0 {
		return
	}
	v.blank()
	v.pairRow("wrong", fmt.Sprintf("%s of %s elements", figures.Count(c.Wrong), figures.Count(c.Total)))
	v.pairRow("trials", fmt.Sprintf("%d of %d passed", c.Passed, c.Trials))
	v.pairRow("worst", figures.Error(c.MaxAbs)+" off")
	v.pairText(v.Dim, "allowed", fmt.Sprintf("%s + %s of the value", figures.Error(&c.Atol), figures.Error(&c.Rtol)))
	if c.Pattern != "" && !strings.Contains(summary, c.Pattern) {
		v.pairText(v.Warn, "pattern", c.Pattern)
	}
	v.elements(c.First)
}

// elements is the table of the first wrong elements.
func (v *verdictView) elements(first []gpu.Mismatch) {
	if len(first) == 0 {
		return
	}
	v.blank()
	v.add("   " + v.Dim.Render(fmt.Sprintf("%-13s %11s %11s  trial", "element", "expected", "got")))
	for _, m := range first {
		v.add(fmt.Sprintf("   %s %11s %s  %d", term.Fit(element(m), 13), figures.Value(float64(m.Expected)),
			v.Bad.Render(fmt.Sprintf("%11s", figures.Value(float64(m.Got)))), m.Trial+1))
	}
}

// element names one element of a tensor: "y[0, 17]".
func element(m gpu.Mismatch) string {
	index := make([]string, len(m.Index))
	for i, n := range m.Index {
		index[i] = fmt.Sprint(n)
	}
	return oneLine(m.Output) + "[" + strings.Join(index, ", ") + "]"
}

func (v *verdictView) diagnostics(all []gpu.Diagnostic) {
	const most = 20
	if len(all) == 0 {
		return
	}
	v.blank()
	for i, d := range all {
		if i == most {
			v.text(v.Dim, 1, fmt.Sprintf("and %d more in the record", len(all)-most))
			return
		}
		where := d.Severity
		if d.Line > 0 {
			where = fmt.Sprintf("line %d: %s", d.Line, d.Severity)
		}
		v.text(severityStyle(v.Theme, d.Severity), 1, where)
		v.text(v.Text, 3, d.Message)
		for _, n := range d.Notes {
			v.text(v.Dim, 3, n)
		}
	}
}

func severityStyle(t theme.Theme, severity string) theme.Style {
	switch severity {
	case "error":
		return t.Bad
	case "warning", "suspect":
		return t.Warn
	}
	return t.Dim
}

// findings lists what was found, with the words that the summary has not.
func (v *verdictView) findings(summary string, all []gpu.Finding) {
	if len(all) == 0 {
		return
	}
	v.blank()
	for _, f := range all {
		where := strings.ReplaceAll(f.Kind, "_", " ")
		if f.Line > 0 {
			where = fmt.Sprintf("line %d: %s", f.Line, where)
		}
		v.text(severityStyle(v.Theme, f.Severity), 1, where)
		if !strings.Contains(summary, f.Evidence) {
			v.text(v.Text, 3, f.Evidence)
		}
	}
}

// decisions says what a person decided about the turn.
func (v *verdictView) decisions(t *agent.Turn) {
	if t.Final == nil && !t.Accepted && !t.Rejected {
		return
	}
	v.blank()
	if t.Final != nil {
		glyph, style := outcomeMark(v.Theme, string(t.Final.Outcome))
		v.add(" " + style.Render(glyph+" final check"))
		v.text(v.Text, 3, t.Final.Summary)
	}
	if t.Accepted {
		v.text(v.Good, 1, v.Glyphs.OK+" accepted")
	}
	if t.Rejected {
		v.text(v.Warn, 1, v.Glyphs.Fail+" rejected: "+t.Rejection)
	}
}

// oneLine makes untrusted text fit for one row.
func oneLine(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(term.Clean(s), "\n", " "))
}
