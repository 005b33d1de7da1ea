package compile

import (
	"fmt"
	"slices"
	"strings"

	"example.com/hone/gpu"
)

// tool names the compiler in diagnostics.
const tool = "g++"

// maxNotes bounds the notes of one diagnostic.
const maxNotes = 5

// explainer turns a compiler's messages about a unit into diagnostics of the
// user's own text. What the rewriting put there is never mentioned.
type explainer struct {
	job job
}

// diagnostics explains all messages of a run.
func (e explainer) diagnostics(messages []message, r run) []gpu.Diagnostic {
	var list []gpu.Diagnostic
	seen := map[string]bool{}
	open := false // whether notes belong to the last diagnostic of the list
	for _, m := range messages {
		if m.severity == "note" {
			if text := e.note(m); open && text != "" && len(list[len(list)-1].Notes) < maxNotes {
				last := &list[len(list)-1]
				last.Notes = append(last.Notes, text)
			}
			continue
		}
		d, ok := e.explain(m)
		if ok && e.job.code.generated(m.line, m.column) && errorOn(list, d.Line) {
			ok = false // a consequence
		}
		id := fmt.Sprint(d.Line, ":", d.Column, ":", d.Message)
		switch open = ok && !seen[id]; {
		case !open:
		case m.file == entryFile:
			open, list = false, slices.Insert(list, 0, d) // what is never closed explains the rest
		default:
			list = append(list, d)
		}
		seen[id] = true
	}
	if r.ok {
		return list
	}
	return append(list, e.ending(list, r)...)
}

// errorOn reports whether a line has an error already.
func errorOn(list []gpu.Diagnostic, line int) bool {
	for _, d := range list {
		if d.Line == line && d.Severity == "error" {
			return true
		}
	}
	return false
}

// ending tells why a run without an error message did not succeed.
func (e explainer) ending(list []gpu.Diagnostic, r run) []gpu.Diagnostic {
	d := gpu.Diagnostic{Tool: tool, File: userFile, Severity: "error"}
	switch {
	case r.timedOut:
		d.Message = fmt.Sprintf("compiling took longer than %v and was stopped", r.limit)
	case killed(r.output):
		d.Message = "compiling needed more memory than it may use"
	case hasError(list):
		return nil
	default:
		d.Message = "the compiler failed: " + lastLine(r.output)
	}
	return []gpu.Diagnostic{d}
}

func hasError(list []gpu.Diagnostic) bool {
	for _, d := range list {
		if d.Severity == "error" {
			return true
		}
	}
	return false
}

func lastLine(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	if last := printable(lines[len(lines)-1]); last != "" {
		return last
	}
	return "it said nothing"
}

// explain places and words one error or warning; false drops it.
func (e explainer) explain(m message) (gpu.Diagnostic, bool) {
	d := gpu.Diagnostic{Tool: tool, File: userFile, Severity: m.severity, Code: m.code}
	switch {
	case m.file == userFile:
		d.Line, d.Column = e.job.code.position(m.line, m.column)
	case m.file == entryFile:
		return e.behind(m, d)
	case m.severity == "warning":
		return d, false
	case m.line == 0:
		return e.unplaced(m, d)
	default:
		e.relocate(m, &d)
	}
	var ok bool
	d.Message, ok = e.reword(m.text, d.Line)
	return d, ok
}

// relocate places a message about a header where the user's text led there.
func (e explainer) relocate(m message, d *gpu.Diagnostic) {
	for _, at := range m.from {
		if at.file == userFile {
			d.Line, d.Column = e.job.code.position(at.line, at.column)
			return
		}
	}
}

// behind explains a message about the text behind the user's: its usual cause is
// a brace that is still open.
func (e explainer) behind(m message, d gpu.Diagnostic) (gpu.Diagnostic, bool) {
	s := e.job.file.source
	for i, t := range s.code {
		if t.is("{") && s.close[i] == len(s.code) {
			d.Line, d.Column = t.line, t.column
			d.Message = fmt.Sprintf("a '}' is missing: the '{' of line %d is never closed", t.line)
			return d, true
		}
	}
	if m.severity == "warning" {
		return d, false
	}
	d.Message = "the task cannot call this text: " + m.text
	return d, true
}

// unplaced explains a message of the linker or of the compiler's driver.
func (e explainer) unplaced(m message, d gpu.Diagnostic) (gpu.Diagnostic, bool) {
	if m.file == "collect2" || killed([]byte(m.text)) {
		return d, false // the reason stands elsewhere
	}
	var ok bool
	d.Message, ok = e.reword(m.text, 0)
	return d, ok
}

// note words a note of the user's own text; others help nobody who did not
// write the header.
func (e explainer) note(m message) string {
	if m.file != userFile {
		return ""
	}
	text, ok := e.reword(m.text, m.line)
	if !ok || strings.HasSuffix(text, ":") {
		return ""
	}
	line, _ := e.job.code.position(m.line, m.column)
	return fmt.Sprintf("line %d: %s", line, text)
}

// reword replaces what a message says of the rewritten text; false when it says
// nothing else.
func (e explainer) reword(text string, line int) (string, bool) {
	text = strings.TrimSuffix(text, " [-fpermissive]")
	switch {
	case strings.Contains(text, "solve(") && aboutDeclaration(text):
		return e.signature(quoted(text)), true
	case strings.Contains(text, "solve(") && strings.Contains(text, "and later 'static'"):
		return "solve must not be static: it is called from outside of this file", true
	case strings.Contains(text, "no match for call to '(hone::"),
		strings.Contains(text, "no match for call to '(const hone::"):
		return e.launchArguments(line), true
	case strings.Contains(text, "multiple definition of"):
		return quoted(text) + " is defined more than once", true
	case strings.Contains(text, "undefined reference to"):
		return quoted(text) + " is declared but not defined", true
	case strings.Contains(text, "hone::config"), strings.Contains(text, "call to 'config"):
		return "a launch takes a grid and a block, then at most the bytes of shared memory and a stream", true
	case strings.HasSuffix(text, "is a variably modified type"):
		return "the size of a __shared__ array must be a constant", true
	case strings.HasPrefix(text, "typedef 'hone_") && strings.Contains(text, "is initialized"):
		return "a __shared__ variable cannot have an initial value", true
	}
	text = withoutAliases(text)
	return text, !strings.Contains(text, "hone_") && !strings.Contains(text, "hone::")
}

func aboutDeclaration(text string) bool {
	return strings.HasPrefix(text, "conflicting declaration of C function") ||
		strings.HasPrefix(text, "ambiguating new declaration of") ||
		strings.HasPrefix(text, "conflicting types for") // clang
}

// signature words a solve that is not the one the task calls.
func (e explainer) signature(got string) string {
	want := strings.TrimSuffix(strings.TrimPrefix(e.job.source.Declaration, `extern "C" `), ";")
	return fmt.Sprintf("solve has another signature than the task asks for: want %s, got %s", want, got)
}

// launchArguments words arguments that a kernel does not take.
func (e explainer) launchArguments(line int) string {
	for i := len(e.job.file.Launches) - 1; i >= 0; i-- {
		l := e.job.file.Launches[i]
		if l.Line > line {
			continue
		}
		known := e.job.file.byName[kernelName(l.site.kernel)]
		if len(known) == 0 {
			return fmt.Sprintf("the arguments of this launch do not fit the kernel %s", l.Kernel)
		}
		return fmt.Sprintf("the arguments of this launch do not fit the kernel %s(%s)",
			known[0].Name, strings.Join(strings.Fields(known[0].Parameters), " "))
	}
	return "the arguments of this launch do not fit its kernel"
}

// quoted is the first 'quoted' part of a message, or `quoted' as linkers do.
func quoted(text string) string {
	open := strings.IndexAny(text, "'`")
	if open < 0 {
		return text
	}
	rest := text[open+1:]
	if end := strings.IndexByte(rest, '\''); end >= 0 {
		return rest[:end]
	}
	return rest
}

// withoutAliases writes the type itself for the alias of a shared variable's
// type: 'hone_tile_t' {aka 'float [32]'} is 'float [32]'.
func withoutAliases(text string) string {
	for from := 0; ; {
		start := strings.Index(text[from:], "'hone_")
		if start < 0 {
			return text
		}
		start += from
		const joint = "' {aka '"
		end := strings.Index(text[start:], joint)
		next := strings.IndexByte(text[start+1:], '\'')
		if end < 0 || next != end-1 {
			from = start + 1
			continue
		}
		rest := text[start+end+len(joint):]
		text = text[:start] + "'" + strings.Replace(rest, "'}", "'", 1)
	}
}
