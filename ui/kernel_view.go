package ui

import (
	"strings"

	"example.com/hone/agent"
	"example.com/hone/ui/code"
	"example.com/hone/ui/keys"
	"example.com/hone/ui/term"
)

// kernelBody is a kernel in its pane. Its lines are those of the source: with
// messages and wrapping, one may take several rows.
type kernelBody struct {
	code    *code.Buffer
	width   int
	options code.Options
}

func (k kernelBody) size() int           { return k.code.Len() }
func (k kernelBody) last(height int) int { return k.code.End(height, k.width, k.options) }
func (k kernelBody) draw(top, height int) []string {
	return k.code.View(top, height, k.width, k.options)
}

func (r *refine) kernelBody(w int) body {
	t := r.turn()
	if t == nil {
		return r.invitation()
	}
	s := r.sheet(t.Number)
	if s.code.Len() == 0 {
		return r.noCode(t, s, w)
	}
	return kernelBody{s.code, w, code.Options{
		LineNumbers: true, XOffset: s.scroll.x, Wrap: r.wrap, Marks: r.found.markFound(marksOf(t)),
	}}
}

// invitation is the kernel pane before the first turn.
func (r *refine) invitation() body {
	if r.stored || r.ended {
		return rows{"", " " + r.theme.Dim.Render("This run has no turn.")}
	}
	return rows{
		"", " No kernel yet.", "",
		r.keyHint(keys.Next, "let the model write the first one"),
		r.keyHint(keys.Hint, "tell the model something first"),
		r.keyHint(keys.Edit, "write it yourself"),
		r.keyHint(keys.Keys, "see everything you can do"),
	}
}

// noCode is the kernel pane of a turn without code: what the model thinks until
// it writes, or why there is nothing.
func (r *refine) noCode(t *agent.Turn, s *sheet, w int) body {
	if t.Phase != agent.PhaseDone {
		const most = 200
		thought := s.thought.lastRows(most, w-4)
		if !s.prose.empty() {
			thought = append(thought, s.prose.lastRows(most, w-4)...)
		}
		out := make(rows, 0, len(thought)+2)
		out = append(out, "")
		for _, row := range thought {
			out = append(out, "  "+r.theme.Dim.Render(row))
		}
		return out
	}
	out := rows{"", " " + r.verdictLine(t), ""}
	if repeats(causeOf(t), t) {
		glyph, style := outcomeMark(r.theme, outcomeOf(t))
		_, long := outcomeWords(outcomeOf(t))
		out[1] = " " + style.Render(glyph) + " " + long
	}
	if t.Code != nil {
		for _, p := range t.Code.Problems {
			out = append(out, " "+r.theme.Dim.Render(oneLine(p)))
		}
	}
	return append(out, "", r.keyHint(keys.Pane5, "read the reply"))
}

// marksOf places what the compiler and the check said at the lines they are
// about. The first message of a line is written below it.
func marksOf(t *agent.Turn) map[int]code.Mark {
	if t.Verdict == nil {
		return nil
	}
	marks := map[int]code.Mark{}
	add := func(line int, kind code.MarkKind, text string) {
		if old, ok := marks[line]; line > 0 && (!ok || kind < old.Kind) {
			marks[line] = code.Mark{Kind: kind, Text: oneLine(text)}
		}
	}
	for _, d := range t.Verdict.Diagnostics {
		add(d.Line, severityMark(d.Severity), d.Message)
	}
	for _, f := range t.Verdict.Findings {
		add(f.Line, severityMark(f.Severity), f.Evidence)
	}
	return marks
}

func severityMark(severity string) code.MarkKind {
	switch severity {
	case "error":
		return code.MarkError
	case "warning", "suspect":
		return code.MarkWarning
	}
	return code.MarkNote
}

// strip is what stays at the foot of the kernel pane while a reply is written
// beside its code: the last two lines of thought.
func (r *refine) strip(tl tile) []string {
	t := r.turn()
	if tl.pane != paneKernel || t == nil || t.Phase == agent.PhaseDone || tl.h < 12 {
		return nil
	}
	s := r.sheet(t.Number)
	if s.code.Len() == 0 || s.thought.empty() {
		return nil
	}
	th := r.theme
	out := []string{titleRule(th, "thoughts", false, tl.w, th.Dim.Render("v all of them"))}
	last := s.thought.lastRows(2, tl.w-4)
	for _, row := range last {
		out = append(out, th.Fit("  "+th.Dim.Render(row), tl.w))
	}
	for len(out) < 3 {
		out = append(out, strings.Repeat(" ", tl.w))
	}
	return out
}

// replyBody is the model's words: its thoughts, short or in full, then the prose
// around the kernel.
func (r *refine) replyBody(w int) body {
	t := r.turn()
	if t == nil {
		return rows{"", " " + r.theme.Dim.Render("No reply yet.")}
	}
	s := r.sheet(t.Number)
	var parts sequence
	if t.Hint != "" {
		parts = append(parts, r.section("your hint", t.Hint, w))
	}
	if !s.thought.empty() {
		parts = append(parts, r.thoughtBody(s, w))
	}
	if t.Source == agent.SourceHuman {
		return append(parts, rows{"", " " + r.theme.Dim.Render("You wrote this kernel.")})
	}
	switch {
	case s.rendered == w-2 && s.markdown != nil:
		parts = append(parts, indented{rows(s.markdown), r.theme.Text})
	case !s.prose.empty():
		parts = append(parts, indented{&s.prose, r.theme.Text})
	}
	return parts
}

func (r *refine) section(title, text string, w int) body {
	out := rows{" " + r.theme.Accent.Render(title)}
	for _, line := range strings.Split(term.Clean(text), "\n") {
		for _, row := range wrapLine(line, w-2) {
			out = append(out, " "+row)
		}
	}
	return append(out, "")
}

func (r *refine) thoughtBody(s *sheet, w int) body {
	th := r.theme
	head := rows{" " + th.Accent.Render("thoughts") + th.Dim.Render("  v all")}
	if r.thoughts {
		head = rows{" " + th.Accent.Render("thoughts") + th.Dim.Render("  v less")}
		return sequence{head, indented{&s.thought, th.Dim}, rows{""}}
	}
	return sequence{head, indented{rows(s.thought.lastRows(2, w-2)), th.Dim}, rows{""}}
}

// indented is a body set one cell to the right, in a style.
type indented struct {
	body
	style interface{ Render(string) string }
}

func (b indented) draw(top, height int) []string {
	drawn := b.body.draw(top, height)
	out := make([]string, len(drawn))
	for i, row := range drawn {
		out[i] = " " + b.style.Render(row)
	}
	return out
}
