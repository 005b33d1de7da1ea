package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/hone/agent"
	"example.com/hone/gpu"
	"example.com/hone/ui/figures"
	"example.com/hone/ui/keys"
	"example.com/hone/ui/term"
)

// tiles places the panes of the session in an area. Below the two columns the
// area's first row holds the tabs and its last rows a summary, if it is tall.
func (r *refine) tiles(area rect) []tile {
	area.h -= r.footHeight(area)
	if r.zoom || area.w < mediumWidth {
		return arrange(area, r.focus, r.zoom, 0)
	}
	return arrange(area, r.main, false, r.turnRows())
}

// turnRows is the height that the turns want. It grows in steps, so that the
// list does not move with every turn.
func (r *refine) turnRows() int {
	const step, frame = 4, 4
	return (len(r.state.Turns)+step-1)/step*step + frame
}

func (r *refine) footHeight(area rect) int {
	if area.w >= mediumWidth || r.zoom || area.h < 20 {
		return 0
	}
	return 3
}

// view draws the session in an area, in exactly area.h rows.
func (r *refine) view(area rect, now time.Time) []string {
	tiles := r.tiles(area)
	panels := make([]panel, len(tiles))
	for i, t := range tiles {
		panels[i] = panel{t.rect, r.drawTile(t, len(tiles) == 1)}
	}
	rows := join(r.theme, area, panels)
	if n := r.footHeight(area); n > 0 {
		rows = append(rows[:area.h-n], r.foot(area.w)...)
	}
	return rows
}

// drawTile draws a pane: its title, or the tabs where it stands alone, and the
// window of its body that the reader is at.
func (r *refine) drawTile(t tile, alone bool) []string {
	b := r.body(t.pane, t.w)
	s := r.scroll(t.pane)
	strip := r.strip(t)
	height := t.h - 1 - len(strip)
	notes := r.paneNotes(t.pane, b, height)
	title := titleRule(r.theme, paneTitle(t.pane), r.focus == t.pane, t.w, notes...)
	if alone {
		title = r.tabs(notes, t.w)
	}
	top := s.start(b, height)
	window := b.draw(top, height)
	for i, row := range window {
		if t.pane != paneKernel && s.x > 0 {
			window[i] = term.Shift(row, s.x)
		}
		if r.found.on(t.pane, top+i) {
			window[i] = r.theme.Select.Render(r.theme.Fit(window[i], t.w))
		}
	}
	rows := append([]string{title}, fill(r.theme, window, t.w, height)...)
	return append(rows, strip...)
}

// paneTitle is a pane's name with the digit that focuses it.
func paneTitle(p pane) string {
	for i, numbered := range numberedPanes() {
		if numbered == p {
			return fmt.Sprintf("%d %s", i+1, p)
		}
	}
	return p.String()
}

// tabs is the title row where only one pane is on screen.
func (r *refine) tabs(notes []string, w int) string {
	panes := numberedPanes()
	if r.focus == paneLog || r.focus == panePrompt {
		panes = append(panes, r.focus)
	}
	line := ruleLine(r.theme, 1)
	var labels strings.Builder
	for _, p := range panes {
		labels.WriteString(line + paneLabel(r.theme, paneTitle(p), p == r.focus))
	}
	return ruled(r.theme, labels.String(), w, notes)
}

// paneNotes are what a pane's title says about it, at its right end; the last is
// the most important.
func (r *refine) paneNotes(p pane, b body, height int) []string {
	t := r.turn()
	switch p {
	case paneTask:
		return append([]string{r.theme.Dim.Render(r.state.Task.ID)}, r.moreNote(p, b, height)...)
	case paneKernel:
		return r.kernelNotes(t, b, height)
	case paneVerdict, paneReply, panePrompt:
		if p == panePrompt && r.ahead.shown {
			return append(r.aheadNotes(), r.moreNote(p, b, height)...)
		}
		if t != nil {
			edited := pick(p == panePrompt && t.Prompt != nil && t.Prompt.Edited, ", edited", "")
			return append([]string{r.theme.Dim.Render(fmt.Sprintf("turn %d", t.Number) + edited)}, r.moreNote(p, b, height)...)
		}
	case paneTurns:
		return r.bestNote()
	}
	return r.freshNote(r.scroll(p), b, height)
}

func (r *refine) bestNote() []string {
	best := r.state.Turn(r.state.Best)
	if best == nil {
		return nil
	}
	s, ok := best.Speedup()
	if !ok {
		return nil
	}
	return []string{"best " + speedStyle(r.theme, s).Render(figures.Speedup(s)) + r.theme.Dim.Render(fmt.Sprintf(" turn %d", best.Number))}
}

// moreNote says how much lies below the window.
func (r *refine) moreNote(p pane, b body, height int) []string {
	if below := b.last(height) - r.scroll(p).start(b, height); below > 0 {
		return []string{r.theme.Dim.Render(fmt.Sprintf("%d more below", below))}
	}
	return nil
}

func (r *refine) freshNote(s *scroll, b body, height int) []string {
	if fresh := s.fresh(b, height); fresh > 0 {
		return []string{r.theme.Accent.Render(fmt.Sprintf("%d new below", fresh))}
	}
	return nil
}

func (r *refine) kernelNotes(t *agent.Turn, b body, height int) []string {
	if t == nil {
		return nil
	}
	th := r.theme
	s := r.scroll(paneKernel)
	var notes []string
	if k, ok := b.(kernelBody); ok {
		notes = append(notes, th.Dim.Render(figures.Plural(k.size(), "line")))
	}
	who := pick(t.Source == agent.SourceHuman, ", edited", "")
	notes = append(notes, th.Dim.Render(fmt.Sprintf("turn %d", t.Number)+who))
	if s.follow && t.Phase == agent.PhaseStream {
		notes = append(notes, th.Accent.Render("following"))
	}
	return append(notes, r.freshNote(s, b, height)...)
}

// body is what a pane shows, laid out for w cells.
func (r *refine) body(p pane, w int) body {
	switch p {
	case paneTask:
		return r.taskBody()
	case paneKernel:
		return r.kernelBody(w)
	case paneVerdict:
		return rows(verdictRows(r.theme, r.turn(), r.isChecking(r.turn()), w))
	case paneTurns:
		return r.turnsBody(w)
	case paneReply:
		return r.replyBody(w)
	case panePrompt:
		return indented{pick(r.ahead.shown, &r.ahead.text, &r.prompt), r.theme.Text}
	}
	return logBody{r.theme, &r.log}
}

func (r *refine) turnsBody(w int) body {
	if len(r.state.Turns) == 0 {
		return rows{"", " " + r.theme.Dim.Render("No turn yet.")}
	}
	b := turnsBody{theme: r.theme, state: &r.state, branches: growTree(r.state.Turns), viewed: r.number(), w: w}
	return sequence{rows{" " + sparkline(r.theme, barsOf(&r.state), w-2), ""}, b}
}

// foot is what stays on a small screen below its one pane: the stages, then the
// verdict in one line.
func (r *refine) foot(w int) []string {
	th := r.theme
	rule := ruleLine(th, w)
	t := r.turn()
	if t == nil {
		return fill(th, []string{rule}, w, 3)
	}
	stages := spread(th, w, []part{{r.stageStrip(t), 2}}, []part{{sparkline(th, barsOf(&r.state), 24), 1}})
	return fill(th, []string{rule, stages, " " + r.verdictLine(t)}, w, 3)
}

func (r *refine) stageStrip(t *agent.Turn) string {
	var parts []string
	for _, name := range gpu.Stages() {
		e := stageOf(t, name, r.isChecking(t))
		glyph, _, style := stageMark(r.theme, e.Status, t.Phase == agent.PhaseDone)
		part := style.Render(glyph + " " + string(name))
		if e.Status == gpu.StatusRunning && e.Detail != "" {
			part += r.theme.Dim.Render(" " + oneLine(e.Detail))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "  ")
}

// verdictLine is a turn's outcome and its cause in one line.
func (r *refine) verdictLine(t *agent.Turn) string {
	outcome := outcomeOf(t)
	if outcome == "" {
		return strings.TrimLeft(failedAhead(t)+" ", " ") + r.theme.Dim.Render(progress(t))
	}
	glyph, style := outcomeMark(r.theme, outcome)
	return style.Render(glyph) + " " + oneLine(causeOf(t)) + r.theme.Dim.Render(reached(t.Verdict))
}

// causeOf says how a turn came out, in the most telling words there are.
func causeOf(t *agent.Turn) string {
	switch {
	case t.Error != "":
		return t.Error
	case t.Verdict != nil:
		return t.Verdict.Summary
	case t.End != nil && t.End.Summary != "":
		return t.End.Summary
	}
	_, long := outcomeWords(outcomeOf(t))
	return long
}

// reached is how near a correct kernel is to what the GPU can do.
func reached(v *gpu.Verdict) string {
	if v == nil || !v.Outcome.Correct() || v.Roofline == nil {
		return ""
	}
	return fmt.Sprintf(", %.0f%% of the roofline", v.Roofline.Percent)
}

// header is the session's first row. Until the session says what it is judged on,
// that is what is known elsewhere.
func (r *refine) header(device string, w int, now time.Time) string {
	th := r.theme
	s := &r.state
	if s.Session.Device != "" {
		device = deviceLabel(th, s.Session.Device, s.Session.Emulated)
	}
	model := oneLine(s.Session.Model)
	if s.Session.Scripted {
		model += " (scripted)"
	}
	endpoint := ""
	if s.Session.Endpoint != "" && !s.Session.Scripted {
		endpoint = th.Dim.Render("@ " + oneLine(s.Session.Endpoint))
	}
	best := strings.Join(r.bestNote(), "")
	name := s.Task.Title
	if name == "" {
		name = r.title
	}
	return spread(th, w,
		[]part{
			{th.Title.Render(oneLine(name)), 75}, {device, 90}, {th.Dim.Render(r.condition()), 35},
			{th.Dim.Render(model), 30}, {endpoint, 10},
		},
		[]part{{r.where(), 80}, {r.driftNote(), 60}, {r.activity(now), 95}, {best, 50}, {th.Dim.Render(figures.Clock(r.elapsed(now))), 40}})
}

// condition is the clock and temperature that the newest GPU verdict saw.
func (r *refine) condition() string {
	for _, t := range slices.Backward(r.state.Turns) {
		if t.Verdict == nil || t.Verdict.Timing == nil {
			continue
		}
		timing := *t.Verdict.Timing
		timing.Power = nil
		return strings.Join(figures.State(timing), " ")
	}
	return ""
}

// where says which turn is on screen, and which one runs when it is another.
func (r *refine) where() string {
	n := r.number()
	switch {
	case n == 0:
		return ""
	case r.state.Running != 0 && r.state.Running != n:
		return r.theme.Warn.Render(fmt.Sprintf("viewing turn %d, turn %d runs", n, r.state.Running))
	case n != len(r.state.Turns):
		return r.theme.Warn.Render(fmt.Sprintf("viewing turn %d of %d", n, len(r.state.Turns)))
	}
	return fmt.Sprintf("turn %d", n)
}

// activity says what goes on, in words and never by motion alone.
func (r *refine) activity(now time.Time) string {
	th := r.theme
	switch {
	case r.stored:
		return th.Dim.Render("stored run")
	case r.opening:
		return th.Accent.Render(th.Glyphs.Running + " starting")
	case r.ended || r.state.Ended != nil:
		return th.Dim.Render("ended")
	case r.checking != 0:
		return th.Accent.Render(fmt.Sprintf("%s final check of turn %d", th.Glyphs.Running, r.checking))
	}
	t := r.state.Turn(r.state.Running)
	if t == nil {
		return th.Good.Render("ready")
	}
	return th.Accent.Render(th.Glyphs.Running + " " + r.doing(t, now))
}

func (r *refine) doing(t *agent.Turn, now time.Time) string {
	switch t.Phase {
	case agent.PhasePrompt:
		return waiting(t, now)
	case agent.PhaseStream:
		return r.writing(t, now)
	}
	for _, s := range gpu.Stages() {
		if e := t.Stages[s]; e.Status == gpu.StatusRunning {
			return stageVerb(s)
		}
	}
	if e, ok := t.Stages[gpu.StageQueue]; ok {
		return e.Detail
	}
	return "judging"
}

// waiting says for how long the model has been waited for, or when it is asked
// again.
func waiting(t *agent.Turn, now time.Time) string {
	text := "waiting for the model " + figures.Clock(now.Sub(t.Started))
	if left := t.Sent.Sub(now); left > 0 {
		text = "asking again in " + figures.Clock(left+time.Second-1) // never 0:00 while there is a wait
	}
	if t.Request != nil && t.Request.Attempt > 1 {
		text += ", " + t.Request.Try()
	}
	return text
}

// writing says how fast text comes, or for how long none has.
func (r *refine) writing(t *agent.Turn, now time.Time) string {
	const silence = 3 * time.Second
	meter := &r.sheet(t.Number).meter
	if quiet := now.Sub(meter.heard()); quiet >= silence {
		return "silent for " + figures.Clock(quiet)
	}
	word := "writing"
	if t.Content == "" {
		word = "thinking"
	}
	if rate := meter.tokens(); rate > 0 {
		word += fmt.Sprintf(" ~%d tok/s", rate)
	}
	return word
}

func stageVerb(s gpu.Stage) string {
	switch s {
	case gpu.StageRules:
		return "reading"
	case gpu.StageCompile:
		return "compiling"
	case gpu.StageRun:
		return "running"
	case gpu.StageCheck:
		return "checking"
	case gpu.StageTime:
		return "timing"
	}
	return string(s)
}

// keyHint writes a key and what it does, as the empty panes do.
func (r *refine) keyHint(a keys.Action, does string) string {
	b, _ := keys.Find(keys.Refine, a)
	return "   " + r.theme.Key.Render(term.Pad(keys.Name(b.Keys[0]), 3)) + does
}
