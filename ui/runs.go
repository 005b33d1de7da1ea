package ui

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/ui/figures"
	"example.com/hone/ui/keys"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// runs is the list of what is on record. It reads only; opening a run shows the
// session that it was.
type runs struct {
	all    []Run
	shown  []Run
	listed bool // the record has been read
	cursor int
	filter string
	sorted bool // by the best speedup, in place of the newest first
	hide   bool // the details, where there is room beside the list
	alone  bool // the details, in place of the list
}

func (r *runs) arrange() {
	r.shown = nil
	for _, run := range r.all {
		if contains(run.ID+" "+run.Task+" "+run.Model, r.filter) {
			r.shown = append(r.shown, run)
		}
	}
	if r.sorted {
		sortByBest(r.shown)
	}
	r.cursor = max(0, min(r.cursor, len(r.shown)-1))
}

func (m *Model) doRuns(a keys.Action) tea.Cmd {
	r := &m.runs
	switch a {
	case keys.Open:
		if r.cursor < len(r.shown) {
			return m.show(r.shown[r.cursor].ID)
		}
	case keys.Filter:
		m.filterRuns()
	case keys.Close:
		r.alone, r.filter = false, ""
		r.arrange()
	case keys.Sort:
		r.sorted = !r.sorted
		r.arrange()
	case keys.Preview:
		if m.width < mediumWidth || r.alone {
			r.alone = !r.alone
		} else {
			r.hide = !r.hide
		}
	case keys.Zoom:
		r.alone = !r.alone
	case keys.History:
		return m.listRuns()
	case keys.Back:
		m.screen = keys.Browse
	default:
		r.cursor = moveCursor(r.cursor, a, len(r.shown), m.area().h-2)
	}
	return nil
}

func (m *Model) filterRuns() {
	r := &m.runs
	before := r.filter
	d := m.askText("filter runs", "part of a run, a task or a model", 1, func(string) tea.Cmd { return nil })
	d.field.set(before)
	d.changed = func(text string) {
		r.filter = text
		r.arrange()
	}
	d.closed = func() { d.changed(before) }
}

// header is the run list's first row.
func (r *runs) header(th theme.Theme, w int) string {
	filter := ""
	if r.filter != "" {
		filter = th.Dim.Render("filter ") + th.Accent.Render(r.filter)
	}
	order := pick(r.sorted, "best first", "newest first")
	return spread(th, w,
		[]part{{th.Title.Render("runs"), 9}, {figures.Plural(len(r.shown), "run"), 8}, {filter, 7}},
		[]part{{th.Dim.Render(order), 1}})
}

func (r *runs) view(th theme.Theme, area rect, now time.Time) []string {
	if r.alone {
		return titled(th, "run", true, area, rows(r.detail(th, area.w)), scroll{})
	}
	list := area
	if area.w >= mediumWidth && !r.hide {
		list.w = area.w * 3 / 5
	}
	panels := []panel{{list, r.listRows(th, list, now)}}
	if list.w < area.w {
		side := rect{list.w + 1, area.y, area.w - list.w - 1, area.h}
		panels = append(panels, panel{side, titled(th, "run", false, side, rows(r.detail(th, side.w)), scroll{})})
	}
	return join(th, area, panels)
}

const sparkWidth = 12 // turns that a row of the list shows

func (r *runs) listRows(th theme.Theme, area rect, now time.Time) []string {
	out := []string{titleRule(th, "on record", true, area.w)}
	out = append(out, th.Fit(th.Dim.Render(fmt.Sprintf("   %-10s %-18s %7s %6s  %-*s  %s", "run", "task", "best", "turns", sparkWidth, "speedups", "when")), area.w))
	if len(r.shown) == 0 {
		why := pick(r.filter != "", "No run contains "+r.filter+".", "Nothing is on record yet.")
		return fill(th, append(out, "", "   "+pick(r.listed, why, "Reading the record.")), area.w, area.h)
	}
	height := area.h - 2
	top := windowTop(r.cursor, len(r.shown), height)
	for i := top; i < min(len(r.shown), top+height); i++ {
		out = append(out, listRow(th, runRow(th, r.shown[i], now), i == r.cursor, area.w))
	}
	return fill(th, out, area.w, area.h)
}

func runRow(th theme.Theme, r Run, now time.Time) string {
	if r.Problem != "" {
		return fmt.Sprintf("%-10s %s", shortID(r.ID), th.Warn.Render("unreadable: "+oneLine(r.Problem)))
	}
	best := "-"
	if r.Best != nil {
		best = figures.Speedup(*r.Best)
	}
	task := r.Task[strings.LastIndexByte(r.Task, '/')+1:]
	return fmt.Sprintf("%-10s %s %7s %6d  %s  %s", shortID(r.ID), th.Fit(oneLine(task), 18), best, r.Turns,
		term.Pad(sparks(th, barsOfRun(r.Speedups), sparkWidth), sparkWidth), th.Dim.Render(figures.Age(now, r.Started)))
}

// detail is the run under the cursor in full.
func (r *runs) detail(th theme.Theme, w int) []string {
	if r.cursor >= len(r.shown) {
		return nil
	}
	run := r.shown[r.cursor]
	line := func(label, value string) string { return " " + th.Dim.Render(term.Pad(label, 10)) + oneLine(value) }
	out := []string{"", line("run", run.ID)}
	if run.Problem != "" {
		return append(out, "", " "+th.Warn.Render("It cannot be read:"), " "+oneLine(run.Problem))
	}
	out = append(out, line("task", run.Task), line("model", run.Model),
		line("started", run.Started.Format(time.DateTime)), line("stopped", pick(run.Stopped == "", "did not say", run.Stopped)),
		line("turns", fmt.Sprint(run.Turns)), "")
	for i, s := range run.Speedups {
		if s == nil {
			glyph, style := outcomeMark(th, run.Outcomes[i])
			word, _ := outcomeWords(run.Outcomes[i])
			out = append(out, fmt.Sprintf(" %4d  %s", i+1, style.Render(glyph+" "+word)))
			continue
		}
		out = append(out, fmt.Sprintf(" %4d  %s", i+1, speedStyle(th, *s).Render(fmt.Sprintf("%s %7s", th.Glyphs.OK, figures.Speedup(*s)))))
	}
	out = append(out, "", " "+sparkline(th, barsOfRun(run.Speedups), w-2))
	if run.Emulated {
		out = append(out, "", " "+th.Warn.Render("emulated on CPU: not GPU times"))
	}
	return out
}
