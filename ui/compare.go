package ui

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// comparison is the difference of two texts, line by line, in hunks.
type comparison struct {
	rows           []diffRow
	added, removed int
	hunks          []int // index of each hunk's first row
}

// diffRow is one line of a unified diff. Line numbers count from 1; 0 means
// that the line is not on that side.
type diffRow struct {
	kind     diffKind
	old, new int
	text     string
}

type diffKind int

const (
	diffSame diffKind = iota
	diffRemoved
	diffAdded
	diffHunk
)

// compare finds the changed lines. With ignoreSpace, lines that differ in white
// space alone count as the same, and the newer text is shown.
func compare(before, after string, context int, ignoreSpace bool) (comparison, error) {
	oldText, newText := before, after
	if ignoreSpace {
		oldText, newText = squeezeSpace(before), squeezeSpace(after)
	}
	unified, err := udiff.ToUnifiedDiff("", "", oldText, udiff.Lines(oldText, newText), context)
	if err != nil {
		return comparison{}, err
	}
	c := comparison{}
	oldLines, newLines := strings.Split(before, "\n"), strings.Split(after, "\n")
	for _, h := range unified.Hunks {
		c.addHunk(h, oldLines, newLines)
	}
	return c, nil
}

func (c *comparison) addHunk(h *udiff.Hunk, oldLines, newLines []string) {
	c.hunks = append(c.hunks, len(c.rows))
	c.rows = append(c.rows, diffRow{kind: diffHunk, old: h.FromLine, new: h.ToLine})
	oldLine, newLine := h.FromLine, h.ToLine
	for _, l := range h.Lines {
		switch l.Kind {
		case udiff.Delete:
			c.rows = append(c.rows, diffRow{diffRemoved, oldLine, 0, lineAt(oldLines, oldLine)})
			oldLine++
			c.removed++
		case udiff.Insert:
			c.rows = append(c.rows, diffRow{diffAdded, 0, newLine, lineAt(newLines, newLine)})
			newLine++
			c.added++
		default:
			c.rows = append(c.rows, diffRow{diffSame, oldLine, newLine, lineAt(newLines, newLine)})
			oldLine, newLine = oldLine+1, newLine+1
		}
	}
}

func lineAt(lines []string, n int) string {
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

// squeezeSpace removes white space inside lines and keeps the lines.
func squeezeSpace(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), "")
	}
	return strings.Join(lines, "\n")
}

// pair is one row of a diff seen side by side; a side that has no line there
// has a row of line number 0.
type pair struct{ left, right diffRow }

// pairRows sets removed lines beside the added lines that replace them.
func pairRows(rows []diffRow) []pair {
	var pairs []pair
	for i := 0; i < len(rows); {
		if rows[i].kind == diffSame || rows[i].kind == diffHunk {
			pairs = append(pairs, pair{rows[i], rows[i]})
			i++
			continue
		}
		removed, next := takeKind(rows, i, diffRemoved)
		added, next := takeKind(rows, next, diffAdded)
		for j := range max(len(removed), len(added)) {
			pairs = append(pairs, pair{rowOr(removed, j), rowOr(added, j)})
		}
		i = next
	}
	return pairs
}

func takeKind(rows []diffRow, from int, kind diffKind) ([]diffRow, int) {
	end := from
	for end < len(rows) && rows[end].kind == kind {
		end++
	}
	return rows[from:end], end
}

func rowOr(rows []diffRow, i int) diffRow {
	if i < len(rows) {
		return rows[i]
	}
	return diffRow{}
}

// hunkHeader writes the header of the hunk that begins at a row, as diff does.
func (c comparison) hunkHeader(at int) string {
	olds, news := 0, 0
	for _, row := range c.rows[at+1:] {
		if row.kind == diffHunk {
			break
		}
		if row.kind != diffAdded {
			olds++
		}
		if row.kind != diffRemoved {
			news++
		}
	}
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@", c.rows[at].old, olds, c.rows[at].new, news)
}
