package md

import "strings"

// splitter cuts Markdown into top-level blocks, line by line. A block is
// finished when no later line can change how it is rendered.
type splitter struct {
	lines []string // of the open block
	kind  kind
	fence string // the opening run of an open fence, wherever it is
	blank bool   // the last line was blank
	whole bool   // from here on, nothing can be cut: a definition was seen
}

type kind int

const (
	none kind = iota
	paragraph
	quote
	list
	fenced   // a fence at the top level
	indented // code by indentation
)

// line takes the next complete line and returns the blocks that it finishes:
// none, one, or two when it is a block of its own.
func (s *splitter) line(line string) []string {
	var done []string
	if s.endsBefore(line) {
		done = append(done, s.take())
	}
	if len(s.lines) == 0 && isBlank(line) {
		return done
	}
	s.add(line)
	if s.kind == fenced && s.fence == "" {
		done = append(done, s.take())
	}
	return done
}

// endsBefore says that the open block is finished, seeing the line after it. A
// blank line ends most kinds; lists and indented code may go on behind it.
func (s *splitter) endsBefore(line string) bool {
	if len(s.lines) == 0 || s.whole || s.fence != "" {
		return false
	}
	if isBlank(line) {
		return s.kind != list && s.kind != indented
	}
	if s.interrupts(line) {
		return true
	}
	switch {
	case !s.blank:
		return false
	case s.kind == list:
		return indent(line) < 2 && !isItem(line)
	}
	return indent(line) < 4
}

// interrupts says that the line opens a fence at the top level, for which no
// blank line is needed.
func (s *splitter) interrupts(line string) bool {
	if s.kind == list {
		return indent(line) < 2 && fenceOf(line) != ""
	}
	return indent(line) < 4 && fenceOf(line) != ""
}

func (s *splitter) add(line string) {
	if len(s.lines) == 0 {
		s.kind = kindOf(line)
	}
	s.lines = append(s.lines, line)
	s.blank = isBlank(line)
	s.track(line)
	if s.fence == "" && isDefinition(line) {
		s.whole = true
	}
}

// track follows fences, inside of which blank lines end nothing. A quote ends at
// a blank line even so.
func (s *splitter) track(line string) {
	switch {
	case s.fence != "":
		if closes(line, s.fence) {
			s.fence = ""
		}
	case s.kind != indented && s.kind != quote:
		s.fence = fenceOf(withoutMarkers(line))
	}
}

// take ends the open block.
func (s *splitter) take() string {
	text := strings.TrimRight(strings.Join(s.lines, "\n"), "\n ")
	*s = splitter{whole: s.whole}
	return text
}

// open is the text of the block that is not finished.
func (s *splitter) open() string { return strings.Join(s.lines, "\n") }

// kindOf tells the kind of the block that line begins.
func kindOf(line string) kind {
	switch {
	case indent(line) >= 4:
		return indented
	case fenceOf(line) != "":
		return fenced
	case isItem(line):
		return list
	case strings.HasPrefix(strings.TrimLeft(line, " "), ">"):
		return quote
	}
	return paragraph
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// fenceOf returns the run of backquotes or tildes that opens or closes a fence
// on this line, or "".
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		run := line[:len(line)-len(rest)]
		if len(run) >= 3 && (mark == "~" || !strings.Contains(rest, "`")) {
			return run
		}
	}
	return ""
}

// closes says that the line closes the fence that was opened by a run of marks.
func closes(line, fence string) bool {
	run := fenceOf(line)
	return strings.HasPrefix(run, fence) && strings.TrimSpace(line) == run
}

// isItem says that the line begins an item of a list.
func isItem(line string) bool { return markerLength(strings.TrimLeft(line, " ")) > 0 }

// markerLength is the length of the marker of an item, with its space.
func markerLength(line string) int {
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	rest := line[digits:]
	switch {
	case rest == "":
		return 0
	case digits == 0 && strings.ContainsRune("-*+", rune(rest[0])):
	case digits > 0 && digits < 10 && (rest[0] == '.' || rest[0] == ')'):
	default:
		return 0
	}
	if len(rest) > 1 && rest[1] != ' ' {
		return 0
	}
	return min(digits+2, len(line))
}

// withoutMarkers drops the markers of lists and quotes before a fence.
func withoutMarkers(line string) string {
	for {
		line = strings.TrimLeft(line, " ")
		if n := markerLength(line); n > 0 {
			line = line[n:]
			continue
		}
		if !strings.HasPrefix(line, ">") {
			return line
		}
		line = line[1:]
	}
}

// isDefinition says that the line may define a link or a footnote, which changes
// the rendering of the text around it, near or far.
func isDefinition(line string) bool {
	line = withoutMarkers(line)
	return strings.HasPrefix(line, "[") && strings.Contains(line, "]:")
}
