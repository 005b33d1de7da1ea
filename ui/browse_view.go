package ui

import (
	"fmt"
	"strings"
	"time"

	"example.com/hone/agent"
	"example.com/hone/tasks"
	"example.com/hone/ui/figures"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// header is the task list's first row.
func (b *browse) header(o *Options, device string, w int) string {
	th := o.Theme
	count := figures.Plural(len(b.all), "task")
	if len(b.shown) != len(b.all) {
		count = fmt.Sprintf("%d of %s", len(b.shown), count)
	}
	filter := ""
	if b.filter != "" {
		filter = th.Dim.Render("filter ") + th.Accent.Render(b.filter)
	}
	problems := ""
	if o.Problems > 0 {
		problems = th.Warn.Render(figures.Plural(o.Problems, "bad file"))
	}
	return spread(th, w,
		[]part{{th.Title.Render("hone"), 100}, {count, 90}, {filter, 80}, {th.Dim.Render("sorted by " + sorts()[b.sort].name), 20}},
		[]part{{problems, 60}, {device, 70}, {th.Dim.Render(o.Model), 30}})
}

// view draws the list, and beside it the task under the cursor.
func (b *browse) view(th theme.Theme, area rect, now time.Time) []string {
	list, preview, past := b.columns(area)
	reading := preview.w > 0 && (b.reading || b.alone)
	var panels []panel
	if list.w > 0 {
		panels = append(panels, panel{list, b.listRows(th, list, !reading, now)})
	}
	if t, ok := b.task(); preview.w > 0 {
		panels = append(panels, panel{preview, titled(th, "2 task", reading, preview, b.previewBody(th), b.preview, th.Dim.Render(t.ID))})
		if past.w > 0 && ok {
			panels = append(panels, panel{past, titled(th, "on record", false, past, rows(b.historyRows(th, t, now, past.w)), scroll{})})
		}
	}
	return join(th, area, panels)
}

// columns divides the area between list, preview and the record.
func (b *browse) columns(area rect) (list, preview, past rect) {
	list = area
	if b.alone {
		return rect{}, area, rect{}
	}
	if b.hide || area.w < mediumWidth {
		return list, rect{}, rect{}
	}
	list.w = max(56, area.w*2/5)
	preview = rect{list.w + 1, area.y, area.w - list.w - 1, area.h}
	if area.w >= wideWidth {
		past = rect{area.w - 46, area.y, 46, area.h}
		preview.w -= 47
	}
	return list, preview, past
}

// titled draws a body below a title.
func titled(th theme.Theme, title string, focused bool, r rect, b body, s scroll, notes ...string) []string {
	height := max(0, r.h-1)
	window := b.draw(s.start(b, height), height)
	return append([]string{titleRule(th, title, focused, r.w, notes...)}, fill(th, window, r.w, height)...)
}

// previewBody is the task under the cursor.
func (b *browse) previewBody(th theme.Theme) body {
	t, ok := b.task()
	if !ok {
		return rows{}
	}
	return rows(taskRows(th, agent.Pin(t), b.text(t)))
}

func (b *browse) text(t tasks.Task) taskText {
	if text, ok := b.texts[t.ID]; ok {
		return text
	}
	return plainTask(agent.Pin(t))
}

func (b *browse) listRows(th theme.Theme, r rect, focused bool, now time.Time) []string {
	out := []string{titleRule(th, "1 tasks", focused, r.w)}
	out = append(out, th.Fit(th.Dim.Render("   lvl  "+term.Pad("task", nameWidth(r.w))+"    best  turns  last"), r.w))
	height := r.h - 2
	if len(b.shown) == 0 {
		return append(out, fill(th, []string{"", "   No task contains " + b.filter + ".", th.Dim.Render("   esc clears the filter")}, r.w, height)...)
	}
	top := windowTop(b.cursor, len(b.shown), height)
	for i := top; i < min(len(b.shown), top+height); i++ {
		out = append(out, b.row(th, b.shown[i], i == b.cursor, r.w, now))
	}
	return fill(th, out, r.w, r.h)
}

// windowTop keeps a cursor in the middle of a window, as far as the ends allow.
func windowTop(cursor, n, height int) int {
	return max(0, min(cursor-height/2, n-height))
}

// nameWidth is the room for a task's name, and for its title where that is
// worth showing.
func nameWidth(w int) int {
	if room := w - 38; room >= nameColumn+14 {
		return min(room, 56)
	}
	return nameColumn
}

const nameColumn = 18

func (b *browse) row(th theme.Theme, t tasks.Task, selected bool, w int, now time.Time) string {
	h := b.history[t.ID]
	best, turns, last := "-", "-", ""
	if h.best != nil {
		best = figures.Speedup(*h.best)
	}
	if h.runs > 0 {
		turns, last = fmt.Sprint(h.turns), figures.Age(now, h.last)
	}
	name := t.Name
	if nameWidth(w) > nameColumn {
		name = term.Pad(name, nameColumn) + " " + th.Dim.Render(t.Title)
	}
	level := "-"
	if t.Level > 0 {
		level = fmt.Sprint(t.Level)
	}
	row := fmt.Sprintf("%3s  %s  %6s  %5s  %s", level, th.Fit(name, nameWidth(w)), best, turns, th.Dim.Render(last))
	return listRow(th, row, selected, w)
}

// listRow marks the row under the cursor with a pointer as well as a colour.
func listRow(th theme.Theme, row string, selected bool, w int) string {
	if !selected {
		return th.Fit("   "+row, w)
	}
	return th.Select.Render(th.Fit(" "+th.Accent.Render(th.Glyphs.Pointer)+" "+row, w))
}

func (b *browse) historyRows(th theme.Theme, t tasks.Task, now time.Time, w int) []string {
	h := b.history[t.ID]
	if h.runs == 0 {
		return []string{"", " " + th.Dim.Render("No run of this task yet.")}
	}
	line := func(label, value string) string { return " " + th.Dim.Render(term.Pad(label, 10)) + value }
	out := []string{"", line("runs", fmt.Sprint(h.runs)), line("turns", fmt.Sprint(h.turns)), line("last", figures.Age(now, h.last))}
	if h.best != nil {
		out = append(out, line("best", th.Good.Render(figures.Speedup(*h.best))))
	}
	return append(out, "", " "+th.Dim.Render("speedups of the newest run"), " "+sparkline(th, barsOfRun(h.speedups), w-2))
}

// barsOfRun is the bars of a stored run.
func barsOfRun(speedups []*float64) []bar {
	bars := make([]bar, len(speedups))
	best := -1
	for i, s := range speedups {
		if s == nil {
			bars[i].failed = true
			continue
		}
		bars[i].speedup = *s
		if best < 0 || *s > bars[best].speedup {
			best = i
		}
	}
	if best >= 0 {
		bars[best].best = true
	}
	return bars
}

// shortID is the end of a run's ID, which is what differs between runs of a day.
func shortID(id string) string {
	const letters = 8
	if len(id) <= letters {
		return id
	}
	return strings.ToLower(id[len(id)-letters:])
}
