package compile

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/hone/gpu"
)

// cudaExplainer turns messages of NVRTC or nvcc about a unit into diagnostics of
// the user's own text.
type cudaExplainer struct {
	tool string // "nvrtc" or "nvcc"
	file File
	code rewritten
}

// diagnostics explains all messages of a run; one that failed has an error at
// least.
func (e cudaExplainer) diagnostics(messages []message, log string, ok bool) []gpu.Diagnostic {
	var list []gpu.Diagnostic
	seen := map[string]bool{}
	open := false // whether notes belong to the last diagnostic of the list
	for _, m := range messages {
		if m.severity == "note" {
			if open && m.file == userFile && len(list[len(list)-1].Notes) < maxNotes {
				last := &list[len(list)-1]
				last.Notes = append(last.Notes, fmt.Sprintf("line %d: %s", m.line, m.text))
			}
			continue
		}
		d, told := e.explain(m)
		id := fmt.Sprint(d.Line, ":", d.Column, ":", d.Message)
		if open = told && !seen[id]; open {
			list = append(list, d)
		}
		seen[id] = true
	}
	if !ok && !hasError(list) {
		list = append(list, gpu.Diagnostic{
			Tool: e.tool, File: userFile, Severity: "error",
			Message: "the compiler failed: " + lastLine([]byte(log)),
		})
	}
	return list
}

// explain places and words one error or warning; false drops it.
func (e cudaExplainer) explain(m message) (gpu.Diagnostic, bool) {
	d := gpu.Diagnostic{Tool: e.tool, File: userFile, Severity: m.severity, Code: m.code, Message: m.text}
	switch {
	case m.line == 0:
		d.Tool = m.file
		return e.unplaced(d), true
	case m.file == userFile:
		d.Line, d.Column = e.code.position(m.line, m.column)
	case m.file == nameMap, m.severity == "warning":
		return d, false
	}
	for _, at := range m.from {
		switch {
		case at.file != userFile:
		case d.Line == 0:
			d.Line = at.line
		case len(d.Notes) < maxNotes:
			d.Notes = append(d.Notes, fmt.Sprintf("line %d: instantiated here", at.line))
		}
	}
	e.hostFunction(&d)
	return d, true
}

// nameMap is where NVRTC places errors in the names it was asked for.
const nameMap = "__nv_name_map"

// hostFunction explains why a device part does not know a function of the host.
func (e cudaExplainer) hostFunction(d *gpu.Diagnostic) {
	if !strings.HasPrefix(d.Message, `identifier "`) || !strings.HasSuffix(d.Message, `" is undefined`) {
		return
	}
	name := strings.Split(d.Message, `"`)[1]
	for _, fn := range e.file.bodies {
		if fn.name == name && !fn.device {
			const hint = "line %d: %s is a host function; device code can call it when it is __device__"
			d.Notes = append(d.Notes, fmt.Sprintf(hint, fn.line, name))
			return
		}
	}
}

// unplaced places a message of ptxas or a linker, which know symbols but no lines.
func (e cudaExplainer) unplaced(d gpu.Diagnostic) gpu.Diagnostic {
	name := sourceName(quoted(d.Message))
	switch {
	case strings.HasPrefix(d.Message, "Unresolved extern function"),
		strings.HasPrefix(d.Message, "Undefined reference to"):
		d.Message = name + " is declared but not defined"
		d.Line, d.Column = explainer{job: job{file: e.file}}.firstUse(name)
	case strings.Contains(d.Message, "uses too much shared data"):
		d.Message = fmt.Sprintf("the kernel %s has too many __shared__ variables: %s", name, sharedSizes(d.Message))
		d.Line = e.lineOf(name)
	case strings.HasPrefix(d.Message, "Entry function '"):
		d.Line = e.lineOf(name)
		d.Message = strings.Replace(d.Message, "'"+quoted(d.Message)+"'", name, 1)
	}
	return d
}

// lineOf is the line of a kernel, 0 when it is not known.
func (e cudaExplainer) lineOf(name string) int {
	for _, k := range e.file.byName[name[strings.LastIndexByte(name, ':')+1:]] {
		return k.Line
	}
	return 0
}

// sharedSizes words "(0xc3500 bytes, 0xc000 max)".
func sharedSizes(text string) string {
	open := strings.LastIndexByte(text, '(')
	used, most, ok := strings.Cut(strings.TrimSuffix(text[open+1:], ")"), " bytes, ")
	n, err := strconv.ParseInt(used, 0, 64)
	limit, err2 := strconv.ParseInt(strings.TrimSuffix(most, " max"), 0, 64)
	if open < 0 || !ok || err != nil || err2 != nil {
		return text
	}
	return fmt.Sprintf("%d bytes, at most %d fit", n, limit)
}
