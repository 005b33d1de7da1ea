package theme

// Glyphs is what lines and marks are drawn with. All are one cell wide.
type Glyphs struct {
	Horizontal, Vertical                       string
	TopLeft, TopRight, BottomLeft, BottomRight string
	TeeLeft, TeeRight, TeeDown, TeeUp, Cross   string

	Pointer string // before the selected row: the same in every set
	Cut     string // where a row was cut
	Arrow   string // from, to
	Dot     string // between the parts of a line
	Bullet  string // before an item

	OK      string // passed
	Fail    string // failed
	Running string
	Waiting string
	Skipped string
	Best    string

	Branch, LastBranch, Trunk string // a tree's lines, two cells wide

	Spark []string // a bar's height, lowest first
}

func unicodeGlyphs() Glyphs {
	return Glyphs{
		Horizontal: "─", Vertical: "│",
		TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯",
		TeeLeft: "├", TeeRight: "┤", TeeDown: "┬", TeeUp: "┴", Cross: "┼",
		Pointer: ">", Cut: "…", Arrow: "→", Dot: "·", Bullet: "•",
		OK: "✓", Fail: "✗", Running: "●", Waiting: "○", Skipped: "–", Best: "★",
		Branch: "├─", LastBranch: "╰─", Trunk: "│ ",
		Spark: []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
	}
}

func asciiGlyphs() Glyphs {
	return Glyphs{
		Horizontal: "-", Vertical: "|",
		TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+",
		TeeLeft: "+", TeeRight: "+", TeeDown: "+", TeeUp: "+", Cross: "+",
		Pointer: ">", Cut: "~", Arrow: ">", Dot: "|", Bullet: "-",
		OK: "+", Fail: "x", Running: "*", Waiting: ".", Skipped: "-", Best: "*",
		Branch: "|-", LastBranch: "`-", Trunk: "| ",
		Spark: []string{"_", ".", "=", "#"},
	}
}
