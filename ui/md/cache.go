package md

import "example.com/hone/ui/theme"

// maxCached bounds a cache: a few screens' worth of blocks at a few widths.
const maxCached = 512

// key identifies a rendering: the same text at the same width in the same theme.
type key struct {
	block string
	width int
	theme theme.ID
}

func keyOf(block string, width int, th theme.Theme) key {
	return key{block: block, width: width, theme: th.ID}
}

// Cache keeps rendered blocks, of which the oldest make room for new ones. The
// zero value is ready to use; one goroutine owns it.
type Cache struct {
	rows  map[key][]string
	order []key // oldest first
}

// Add keeps what [Render] returned.
func (c *Cache) Add(r Rendered) {
	if _, known := c.rows[r.key]; known {
		return
	}
	if c.rows == nil {
		c.rows = map[key][]string{}
	}
	if len(c.order) == maxCached {
		delete(c.rows, c.order[0])
		c.order = c.order[1:]
	}
	c.rows[r.key] = r.Rows
	c.order = append(c.order, r.key)
}

// Rows returns the rendering of a block, if it is kept.
func (c *Cache) Rows(block string, width int, th theme.Theme) ([]string, bool) {
	rows, ok := c.rows[keyOf(block, width, th)]
	return rows, ok
}
