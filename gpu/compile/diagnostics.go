package compile

import (
	"path"
	"strconv"
	"strings"

	"example.com/hone/gpu"
)

// message is one message of a compiler, as it placed it.
type message struct {
	file     string
	line     int
	column   int
	severity string // "error", "warning" or "note"
	code     string // the flag that switches it
	text     string
	from     []place // where the text was included or instantiated from, innermost first
}

// place is a position that a compiler names.
type place struct {
	file   string
	line   int
	column int
}

// parseGXX reads what g++, clang++ or the linker behind them printed. Lines that
// are no message, such as source excerpts, are passed over.
func parseGXX(log string) []message {
	var p gxxParser
	for _, line := range strings.Split(log, "\n") {
		p.line(printable(line))
	}
	return p.messages
}

// gxxParser collects messages line by line.
type gxxParser struct {
	messages []message
	from     []place // said ahead of the next message
}

func (p *gxxParser) line(line string) {
	if at, ok := includedFrom(line); ok {
		p.from = append(p.from, at)
		return
	}
	at, rest, ok := cutPlace(line)
	if !ok {
		p.unplaced(line)
		return
	}
	if strings.HasPrefix(rest, "required ") || strings.HasPrefix(rest, "  required ") ||
		strings.HasPrefix(strings.TrimSpace(rest), "required from") {
		p.from = append(p.from, at)
		return
	}
	severity, text, ok := cutSeverity(rest)
	if !ok && linkerSays(rest) {
		severity, text, ok = "error", rest, true
		at.file = path.Base(at.file)
	}
	if !ok {
		return
	}
	m := message{file: at.file, line: at.line, column: at.column, severity: severity, from: p.from}
	m.text, m.code = cutFlag(text)
	p.add(m)
}

// unplaced reads a message without a position: from the driver or the linker.
func (p *gxxParser) unplaced(line string) {
	tool, rest, ok := strings.Cut(line, ": ")
	if !ok {
		return
	}
	severity, text, ok := cutSeverity(rest)
	switch {
	case ok:
		p.add(message{file: tool, severity: severity, text: text, from: p.from})
	case linkerSays(rest):
		p.add(message{file: "ld", severity: "error", text: rest})
	}
}

// linkerSays reports whether a line without a severity is an error of the linker.
func linkerSays(text string) bool {
	for _, phrase := range []string{
		"undefined reference to", "multiple definition of", "final link failed", "relocation ", "hidden symbol ",
	} {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

func (p *gxxParser) add(m message) {
	p.messages = append(p.messages, m)
	if m.severity != "note" {
		p.from = nil
	}
}

// includedFrom reads "In file included from a.h:3," and the lines below it.
func includedFrom(line string) (place, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "In file included from ")
	if !ok {
		if rest, ok = strings.CutPrefix(line, "                 from "); !ok {
			return place{}, false
		}
	}
	at, _, ok := cutPlace(strings.TrimRight(rest, ",:") + ": ")
	return at, ok
}

// cutPlace reads "file:line:column: rest" or "file:line: rest".
func cutPlace(line string) (place, string, bool) {
	file, rest, ok := strings.Cut(line, ":")
	if !ok || file == "" || strings.HasPrefix(file, " ") {
		return place{}, "", false
	}
	number, rest, ok := strings.Cut(rest, ":")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return place{}, "", false
	}
	at := place{file: file, line: n}
	if number, after, ok := strings.Cut(rest, ":"); ok {
		if n, err := strconv.Atoi(number); err == nil {
			at.column, rest = n, after
		}
	}
	return at, strings.TrimSpace(rest), true
}

// cutSeverity reads "error: text".
func cutSeverity(s string) (severity, text string, ok bool) {
	kind, text, ok := strings.Cut(s, ": ")
	if !ok {
		return "", "", false
	}
	switch kind {
	case "error", "warning", "note":
		return kind, text, true
	case "fatal error", "sorry, unimplemented", "internal compiler error":
		return "error", text, true
	}
	return "", "", false
}

// cutFlag takes "[-Wflag]" off the end of a message.
func cutFlag(s string) (text, flag string) {
	i := strings.LastIndex(s, " [-W")
	if i < 0 || !strings.HasSuffix(s, "]") {
		return s, ""
	}
	return s[:i], s[i+2 : len(s)-1]
}

// printable drops control characters, which could move a terminal's cursor, and
// makes the text valid UTF-8.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < 0x20 || r >= 0x7f && r < 0xa0, r == 0xfffd,
			r >= 0x200e && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, s)
}

// foreignIncludes refuses includes that would read files of this machine into a
// message: a kernel includes headers by name.
func foreignIncludes(f File) []gpu.Diagnostic {
	var bad []gpu.Diagnostic
	for _, inc := range f.source.includes {
		reason := ""
		switch {
		case inc.at.kind == ident:
			reason = "write the header's name in the #include itself, not through a macro"
		case strings.HasPrefix(inc.name, "/"), strings.Contains(inc.name, ".."), strings.HasPrefix(inc.name, "~"):
			reason = "include headers by name, not by path: " + printable(inc.name)
		default:
			continue
		}
		bad = append(bad, gpu.Diagnostic{
			Tool: "hone", File: userFile, Line: inc.at.line, Column: inc.at.column, Severity: "error", Message: reason,
		})
	}
	return bad
}
