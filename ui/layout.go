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
// by one cell; tiles of one column touch.
func arrange(area rect, main pane, zoom bool) []tile {
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
		return append([]tile{{main, left}}, stack(right, share{paneVerdict, 5}, share{paneTurns, 4})...)
	}
	side := area.w * 3 / 11
	left := rect{area.x, area.y, side, area.h}
	middle := rect{left.x + side + 1, area.y, area.w - 2*side - 2, area.h}
	right := rect{middle.x + middle.w + 1, area.y, side, area.h}
	if main != panePrompt {
		main = paneKernel
	}
	tiles := stack(left, share{paneTask, 5}, share{paneReply, 4})
	tiles = append(tiles, tile{main, middle})
	return append(tiles, stack(right, share{paneVerdict, 5}, share{paneTurns, 4}, share{paneLog, 2})...)
}

// share is a pane with its part of a column's height.
type share struct {
	pane  pane
	parts int
}

func stack(column rect, shares ...share) []tile {
	total := 0
	for _, s := range shares {
		total += s.parts
	}
	tiles := make([]tile, 0, len(shares))
	y, rest := column.y, column.h
	for _, s := range shares {
		h := rest * s.parts / total
		tiles = append(tiles, tile{s.pane, rect{column.x, y, column.w, h}})
		y, rest, total = y+h, rest-h, total-s.parts
	}
	return tiles
}
