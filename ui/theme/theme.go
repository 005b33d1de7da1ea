package theme

import (
	"example.com/hone/ui/term"
)

// ID identifies a theme: two of the same ID look the same.
type ID struct {
	Name    string // dark, light or plain
	Profile term.Profile
}

// Theme is the roles that text plays on screen, and the glyphs.
type Theme struct {
	ID

	Text   Style // what is read: the terminal's own colour
	Dim    Style // what may be skipped: labels, hints, line numbers
	Accent Style // what is live or focused
	Title  Style // heads of panes
	Key    Style // keys in the action bar and in help
	Select Style // the row under the cursor, which is also marked by Glyphs.Pointer
	Border Style // rules between panes

	Good Style // correct, faster, accepted
	Bad  Style // failed, wrong, rejected
	Warn Style // slower, doubtful, to be confirmed

	Added   Style // lines of a diff
	Removed Style

	Code   Code
	Glyphs Glyphs
}

// Code is the roles of source text.
type Code struct {
	Keyword   Style
	Qualifier Style // __global__ and its like
	Type      Style
	Function  Style
	Builtin   Style // threadIdx, __syncthreads, len
	Launch    Style // <<< >>>
	Number    Style
	String    Style
	Comment   Style
	Preproc   Style
}

// New makes the theme that a terminal of this profile can show.
func New(p term.Profile) Theme {
	t := Theme{ID: ID{Name: "dark", Profile: p}, Glyphs: unicodeGlyphs()}
	if p.ASCII {
		t.Glyphs = asciiGlyphs()
	}
	colours := dark()
	if p.Light {
		t.Name, colours = "light", light()
	}
	if p.Colour == term.NoColour {
		t.Name = "plain"
		return t
	}
	t.paint(colours)
	return t
}

func (t *Theme) paint(c palette) {
	style := func(l look) Style { return l.style(t.Profile.Colour) }
	t.Dim = style(look{fg: c.dim})
	t.Accent = style(look{fg: c.accent})
	t.Title = style(look{fg: c.accent, bold: true})
	t.Key = style(look{fg: c.accent})
	t.Select = style(look{bg: c.selected, bold: true})
	t.Border = style(look{fg: c.border})
	t.Good = style(look{fg: c.good})
	t.Bad = style(look{fg: c.bad})
	t.Warn = style(look{fg: c.warn})
	t.Added = style(look{fg: c.good})
	t.Removed = style(look{fg: c.bad})
	t.Code = Code{
		Keyword:   style(look{fg: c.violet}),
		Qualifier: style(look{fg: c.accent, bold: true}),
		Type:      style(look{fg: c.teal}),
		Function:  style(look{fg: c.accent}),
		Builtin:   style(look{fg: c.orange}),
		Launch:    style(look{fg: c.accent, bold: true}),
		Number:    style(look{fg: c.orange}),
		String:    style(look{fg: c.good}),
		Comment:   style(look{fg: c.dim, italic: true}),
		Preproc:   style(look{fg: c.violet}),
	}
}

// Fit makes s exactly w cells wide, as [term.Fit], with the theme's own mark at
// a cut.
func (t Theme) Fit(s string, w int) string { return term.FitTail(s, w, t.Glyphs.Cut) }
