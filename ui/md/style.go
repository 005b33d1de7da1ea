package md

import (
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
	"github.com/charmbracelet/glamour/ansi"
	"github.com/charmbracelet/glamour/styles"
	"github.com/muesli/termenv"
)

// styleConfig is the theme in glamour's terms. No document margin: the screens
// place the rows. No chroma palette: glamour keeps one for the whole process.
func styleConfig(th theme.Theme) ansi.StyleConfig {
	c := styles.NoTTYStyleConfig
	c.Document = ansi.StyleBlock{}
	c.List.LevelIndent = 2
	c.Item.BlockPrefix = th.Glyphs.Bullet + " "
	c.HorizontalRule.Format = "\n" + th.Glyphs.Horizontal + th.Glyphs.Horizontal + th.Glyphs.Horizontal + "\n"
	c.BlockQuote.IndentToken = pointer(th.Glyphs.Vertical + " ")
	c.ImageText.Format = "image: {{.text}}"
	c.Table = ansi.StyleTable{
		CenterSeparator: pointer(th.Glyphs.Cross),
		ColumnSeparator: pointer(th.Glyphs.Vertical),
		RowSeparator:    pointer(th.Glyphs.Horizontal),
	}
	if th.Profile.Colour == term.NoColour {
		return c
	}
	return paint(c, th)
}

func paint(c ansi.StyleConfig, th theme.Theme) ansi.StyleConfig {
	yes := pointer(true)
	c.Heading.Color, c.Heading.Bold = foreground(th.Title), yes
	c.H1.Prefix, c.H2.Prefix, c.H3.Prefix = "", "", ""
	c.Emph = ansi.StylePrimitive{Italic: yes}
	c.Strong = ansi.StylePrimitive{Bold: yes}
	c.Strikethrough = ansi.StylePrimitive{CrossedOut: yes}
	c.HorizontalRule.Color = foreground(th.Border)
	c.BlockQuote.Color = foreground(th.Dim)
	c.Link = ansi.StylePrimitive{Color: foreground(th.Dim), Underline: yes}
	c.LinkText = ansi.StylePrimitive{Color: foreground(th.Accent)}
	c.Code.StylePrimitive = ansi.StylePrimitive{Color: foreground(th.Code.Type)}
	c.CodeBlock.Color = foreground(th.Code.Type)
	return c
}

func foreground(s theme.Style) *string {
	if s.Foreground() == "" {
		return nil
	}
	return pointer(s.Foreground())
}

func pointer[T any](v T) *T { return &v }

func colourProfile(c term.Colour) termenv.Profile {
	switch c {
	case term.TrueColour:
		return termenv.TrueColor
	case term.Colour256:
		return termenv.ANSI256
	case term.Colour16:
		return termenv.ANSI
	}
	return termenv.Ascii
}
