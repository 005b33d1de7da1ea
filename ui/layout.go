package ui

// pane is one thing the refine screen can show.
type pane int

const (
	paneTask pane = iota
	paneKernel
	paneVerdict
	paneTurns
	paneReply
	paneLog
	panePrompt
)

// numberedPanes have a digit key and a tab, in order; the log and the prompt are
// reached by keys of their own.
func numberedPanes() []pane {
	return []pane{paneTask, paneKernel, paneVerdict, paneTurns, paneReply}
}

// String is the pane's title.
func (p pane) String() string {
	return [...]string{"task", "kernel", "verdict", "turns", "reply", "log", "prompt"}[p]
}

// The least screen hone draws on, and the widths at which columns are added.
const (
	minWidth    = 60
	minHeight   = 15
	mediumWidth = 110
	wideWidth   = 180
)

// rect is a rectangle of cells.
type rect struct{ x, y, w, h int }

func (r rect) contains(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// tile is a pane with its place. The first row of a tile is its title.
type tile struct {
	pane pane
	rect
}

// arrange places panes in an area: one by tabs, two columns or three. main is
// the pane of the main column; zoom gives it everything. Columns are separated
// by one cell; tiles of one column touch. turns is the height that the list of
// turns wants.
func arrange(area rect, main pane, zoom bool, turns int) []tile {
	switch {
	case zoom || area.w < mediumWidth:
		return []tile{{main, area}}
	case area.w < wideWidth:
		side := min(58, area.w*2/5)
		left := rect{area.x, area.y, area.w - side - 1, area.h}
		if main == paneVerdict || main == paneTurns {
			main = paneKernel
		}
		right := rect{left.x + left.w + 1, area.y, side, area.h}
		return append([]tile{{main, left}}, judged(right, turns)...)
	}
	side := area.w * 3 / 11
	left := rect{area.x, area.y, side, area.h}
	middle := rect{left.x + side + 1, area.y, area.w - 2*side - 2, area.h}
	right := rect{middle.x + middle.w + 1, area.y, side, area.h}
	if main != panePrompt {
		main = paneKernel
	}
	reply := left.h * 4 / 9
	upper, lower := left.cut(reply)
	log := right.h / 5
	upperRight, logRect := right.cut(log)
	tiles := []tile{{paneTask, upper}, {paneReply, lower}, {main, middle}}
	return append(append(tiles, judged(upperRight, turns)...), tile{paneLog, logRect})
}

// judged is the verdict above the turns, which take no more than they want.
func judged(column rect, turns int) []tile {
	upper, lower := column.cut(max(4, min(turns, column.h*4/9)))
	return []tile{{paneVerdict, upper}, {paneTurns, lower}}
}

// cut divides a rectangle into what is left above its last h rows, and those.
func (r rect) cut(h int) (upper, lower rect) {
	h = max(0, min(h, r.h))
	return rect{r.x, r.y, r.w, r.h - h}, rect{r.x, r.y + r.h - h, r.w, h}
}
