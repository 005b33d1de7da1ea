package ui

import (
	"strings"

	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// choice is a list in a dialog, of which one row is marked. What is typed narrows
// it to the rows that contain it.
type choice struct {
	options []option
	shown   []int // of options
	cursor  int   // in shown
}

// option is one row: its name, and what else is known of it.
type option struct{ name, about string }

// choiceRows is the most rows of a choice on screen; the rest scroll.
const choiceRows = 6

func newChoice(options []option, marked int) *choice {
	c := &choice{options: options}
	c.narrow("")
	c.cursor = marked
	return c
}

// narrow leaves the options whose row contains text, in any case. The marked one stays
// marked while it is among them.
func (c *choice) narrow(text string) {
	text = strings.ToLower(strings.TrimSpace(text))
	marked := c.marked()
	c.shown, c.cursor = c.shown[:0], 0
	for i, o := range c.options {
		if !strings.Contains(strings.ToLower(o.name+" "+o.about), text) {
			continue
		}
		if o.name == marked {
			c.cursor = len(c.shown)
		}
		c.shown = append(c.shown, i)
	}
}

// move goes some rows down, or up, and stays within the list.
func (c *choice) move(by int) {
	c.cursor = max(0, min(c.cursor+by, len(c.shown)-1))
}

// marked is the name of the marked row, "" where nothing matches.
func (c *choice) marked() string {
	if len(c.shown) == 0 {
		return ""
	}
	return c.options[c.shown[c.cursor]].name
}

// view is as many rows whatever is typed, so that nothing jumps.
func (c *choice) view(th theme.Theme) []string {
	height := min(choiceRows, len(c.options))
	top := max(0, min(c.cursor-height/2, len(c.shown)-height))
	out := make([]string, 0, height)
	if len(c.shown) == 0 {
		out = append(out, th.Dim.Render("  nothing matches"))
	}
	for i := top; i < min(top+height, len(c.shown)); i++ {
		out = append(out, c.row(th, i))
	}
	for len(out) < height {
		out = append(out, "")
	}
	return out
}

func (c *choice) row(th theme.Theme, i int) string {
	o := c.options[c.shown[i]]
	name := term.Pad(o.name, c.nameWidth())
	if i == c.cursor {
		return th.Accent.Render(th.Glyphs.Pointer+" ") + th.Select.Render(name) + "  " + th.Text.Render(o.about)
	}
	return "  " + th.Text.Render(name) + "  " + th.Dim.Render(o.about)
}

func (c *choice) nameWidth() int {
	w := 0
	for _, o := range c.options {
		w = max(w, term.Width(o.name))
	}
	return w
}
