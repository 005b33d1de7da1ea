package md

import (
	"strings"

	"example.com/hone/ui/code"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
	"github.com/charmbracelet/glamour"
	"github.com/charmbracelet/x/ansi"
)

// codeIndent is how far source text stands in from prose.
const codeIndent = "  "

// Rendered is one block as rows of at most its width.
type Rendered struct {
	key  key
	Rows []string
}

// Render draws one block in rows of at most width cells. It is pure and takes
// milliseconds: call it in a command and give the result to [Cache.Add].
func Render(block string, width int, th theme.Theme) Rendered {
	r := Rendered{key: keyOf(block, width, th)}
	block = term.Clean(block)
	first, _, _ := strings.Cut(block, "\n")
	switch {
	case width <= 0:
	case kindOf(first) == fenced:
		r.Rows = renderFence(block, width, th)
	case kindOf(first) == indented:
		r.Rows = renderProse(block, width, th)
	default:
		r.Rows = renderProse(literal(block), width, th)
	}
	return r
}

// renderFence leaves a fence of source text to package code, which colours it
// as the kernel pane does and guesses no language.
func renderFence(block string, width int, th theme.Theme) []string {
	lines := strings.Split(block, "\n")
	run := fenceOf(lines[0])
	info := strings.Fields(strings.TrimPrefix(strings.TrimLeft(lines[0], " "), run))
	last := len(lines)
	if last > 1 && strings.HasPrefix(fenceOf(lines[last-1]), run) {
		last--
	}
	text := strings.Join(lines[1:last], "\n")
	var rows []string
	for _, row := range code.Highlight(text, languageOf(info), th) {
		rows = append(rows, trimRow(th.Fit(codeIndent+row, width), width))
	}
	return rows
}

func languageOf(info []string) code.Language {
	if len(info) == 0 {
		return code.Plain
	}
	switch strings.ToLower(info[0]) {
	case "cuda", "cu", "cpp", "c++", "c", "cuh", "hip":
		return code.CUDA
	case "python", "py", "triton":
		return code.Python
	}
	return code.Plain
}

// renderProse asks glamour. Should glamour fail, the text is shown as it is.
func renderProse(block string, width int, th theme.Theme) []string {
	renderer, err := glamour.NewTermRenderer(
		glamour.WithStyles(styleConfig(th)),
		glamour.WithColorProfile(colourProfile(th.Profile.Colour)),
		glamour.WithWordWrap(width),
	)
	if err != nil {
		return term.Wrap(block, width)
	}
	out, err := renderer.Render(block)
	if err != nil {
		return term.Wrap(block, width)
	}
	return trim(strings.Split(out, "\n"), width)
}

// trim drops blank rows at both ends and the padding that glamour styles cell
// by cell, and cuts what does not break, such as a long word or a wide table.
func trim(rows []string, width int) []string {
	for i, row := range rows {
		rows[i] = trimRow(row, width)
	}
	for len(rows) > 0 && rows[0] == "" {
		rows = rows[1:]
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

func trimRow(row string, width int) string {
	text := strings.TrimRight(ansi.Truncate(ansi.Strip(row), width, ""), " ")
	return compact(ansi.Truncate(row, term.Width(text), ""))
}

const reset = "\x1b[0m"

// compact drops the styles in which no text is written, of which glamour leaves
// several a row, and ends the last one.
func compact(row string) string {
	var out strings.Builder
	pending, active := "", false
	for row != "" {
		text, rest, found := strings.Cut(row, "\x1b[")
		if text != "" {
			active = active || pending != ""
			out.WriteString(pending + text)
			pending = ""
		}
		if !found {
			break
		}
		parameters, rest, _ := strings.Cut(rest, "m")
		row = rest
		switch {
		case parameters != "0" && parameters != "":
			pending += "\x1b[" + parameters + "m"
		case active:
			out.WriteString(reset)
			fallthrough
		default:
			pending, active = "", false
		}
	}
	if active {
		out.WriteString(reset)
	}
	return out.String()
}
