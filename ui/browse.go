package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/hone/agent"
	"example.com/hone/tasks"
	"example.com/hone/ui/keys"
)

// browse is the list of tasks, with a preview where there is room.
type browse struct {
	all     []tasks.Task
	shown   []tasks.Task // all, filtered and sorted
	cursor  int          // in shown
	filter  string
	sort    int  // index into sorts
	hide    bool // the preview, where there is room beside the list
	alone   bool // the preview, in place of the list
	reading bool // the preview has the keys
	preview scroll
	texts   map[string]taskText // of previews, coloured
	wanted  string              // the task whose preview was asked for last
	history map[string]history
}

// history is what the record says of one task.
type history struct {
	runs     int
	turns    int
	best     *float64
	last     time.Time
	speedups []*float64 // of the newest run
}

func newBrowse(all []tasks.Task) browse {
	b := browse{all: all, texts: map[string]taskText{}, history: map[string]history{}}
	b.arrange()
	return b
}

// sortOrder is a column that the list can be sorted by.
type sortOrder struct {
	name    string
	compare func(b *browse, x, y tasks.Task) int
}

func sorts() []sortOrder {
	return []sortOrder{
		{"level", func(_ *browse, x, y tasks.Task) int { return cmp.Compare(x.Level, y.Level) }},
		{"name", func(_ *browse, x, y tasks.Task) int { return strings.Compare(x.Name, y.Name) }},
		{"best", func(b *browse, x, y tasks.Task) int { return cmp.Compare(b.bestOf(y), b.bestOf(x)) }},
		{"last", func(b *browse, x, y tasks.Task) int { return b.history[y.ID].last.Compare(b.history[x.ID].last) }},
	}
}

func (b *browse) bestOf(t tasks.Task) float64 {
	if best := b.history[t.ID].best; best != nil {
		return *best
	}
	return 0
}

// arrange filters and sorts, and keeps the cursor on its task.
func (b *browse) arrange() {
	current, _ := b.task()
	b.shown = nil
	for _, t := range b.all {
		if contains(t.ID+" "+t.Title, b.filter) {
			b.shown = append(b.shown, t)
		}
	}
	order := sorts()[b.sort]
	slices.SortStableFunc(b.shown, func(x, y tasks.Task) int { return order.compare(b, x, y) })
	b.cursor = max(0, slices.IndexFunc(b.shown, func(t tasks.Task) bool { return t.ID == current.ID }))
}

// task is the one under the cursor.
func (b *browse) task() (tasks.Task, bool) {
	if b.cursor >= len(b.shown) {
		return tasks.Task{}, false
	}
	return b.shown[b.cursor], true
}

// remember takes what the record says of every task.
func (b *browse) remember(runs []Run) {
	b.history = map[string]history{}
	for _, r := range runs {
		if r.Problem != "" {
			continue
		}
		h := b.history[r.Task]
		h.runs, h.turns = h.runs+1, h.turns+r.Turns
		if r.Best != nil && (h.best == nil || *r.Best > *h.best) {
			h.best = r.Best
		}
		if r.Started.After(h.last) {
			h.last, h.speedups = r.Started, r.Speedups
		}
		b.history[r.Task] = h
	}
	b.arrange()
}

func (m *Model) doBrowse(a keys.Action) tea.Cmd {
	b := &m.browse
	switch a {
	case keys.Open:
		if t, ok := b.task(); ok {
			return m.open(t)
		}
	case keys.History:
		m.screen = keys.Runs
		return m.listRuns()
	case keys.Filter:
		m.filterTasks()
	case keys.Close:
		b.alone, b.reading, b.filter = false, false, ""
		b.arrange()
	case keys.Sort:
		b.sort = (b.sort + 1) % len(sorts())
		b.arrange()
	case keys.Preview:
		b.togglePreview(m.width)
	case keys.Zoom:
		b.alone = !b.alone
	case keys.PaneNext, keys.PanePrev:
		b.reading = !b.reading
	case keys.Pane1, keys.Pane2:
		b.reading = a == keys.Pane2
	case keys.Back:
		return m.quit()
	default:
		m.moveInTasks(a)
	}
	return nil
}

// togglePreview shows the preview beside the list, or in place of it where there
// is no room.
func (b *browse) togglePreview(w int) {
	if w < mediumWidth {
		b.alone = !b.alone
		return
	}
	b.hide, b.alone = !b.hide && !b.alone, false
}

func (m *Model) moveInTasks(a keys.Action) {
	b := &m.browse
	_, preview, _ := b.columns(m.area())
	switch {
	case preview.w > 0 && (b.reading || b.alone):
		b.preview.move(a, b.previewBody(m.Theme), preview.h-1)
	default:
		b.cursor = moveCursor(b.cursor, a, len(b.shown), m.area().h-2)
		b.preview = scroll{}
	}
}

func (m *Model) filterTasks() {
	b := &m.browse
	before := b.filter
	d := m.askText("filter tasks", "part of a name", 1, func(string) tea.Cmd { return nil })
	d.field.set(before)
	d.changed = func(text string) {
		b.filter = text
		b.arrange()
	}
	d.closed = func() {
		b.filter = before
		b.arrange()
	}
}

// moveCursor moves in a list of n rows, of which some are on a page.
func moveCursor(at int, a keys.Action, n, page int) int {
	step := map[keys.Action]int{
		keys.Down: 1, keys.Up: -1, keys.HalfDown: page / 2, keys.HalfUp: -page / 2,
		keys.PageDown: page, keys.PageUp: -page, keys.Top: -n, keys.Bottom: n,
	}[a]
	return max(0, min(at+step, n-1))
}

// listRuns reads the record anew, where there is one.
func (m *Model) listRuns() tea.Cmd { return runsCmd(m.ctx, m.Runs) }

func (m *Model) runsListed(msg runsMsg) tea.Cmd {
	if msg.err != nil {
		m.say(agent.LevelWarn, fmt.Sprintf("list runs: %v", msg.err))
		return nil
	}
	m.runs.all, m.runs.listed = msg.runs, true
	m.runs.arrange()
	m.browse.remember(msg.runs)
	return nil
}
