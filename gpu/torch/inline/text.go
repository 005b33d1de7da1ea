package inline

import (
	"fmt"
	"sort"
	"strings"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
)

// answerFile is the name of the answer in diagnostics.
const answerFile = "answer.py"

// fragment is one source string of a request.
type fragment struct {
	kind string // "CUDA" or "C++"
	text string
	line int // of the answer where it starts, 0 when unknown
	at   int // first line in the whole text
}

// wholeText is all sources of a request as one text.
type wholeText struct {
	text      string
	fragments []fragment // in the order of the text
	placed    bool       // the lines of the text are those of the answer
}

// fragments lists the sources, CUDA first: a C++ source declares what it uses of them.
func (r Request) fragments() []fragment {
	var list []fragment
	add := func(kind string, texts []string, lines []int) {
		for i, text := range texts {
			f := fragment{kind: kind, text: strings.ReplaceAll(text, "\r\n", "\n")}
			if i < len(lines) {
				f.line = lines[i]
			}
			list = append(list, f)
		}
	}
	add("CUDA", r.CUDA, r.CUDALines)
	add("C++", r.CPP, r.CPPLines)
	return list
}

// whole joins the sources: each at its own line of the answer where all of these are
// known and do not overlap, one behind the other otherwise.
func (r Request) whole() wholeText {
	list := r.fragments()
	if w, ok := placeAll(list); ok {
		return w
	}
	return joinAll(list)
}

// farthest bounds the lines of an answer, since a request is not trusted.
const farthest = 100_000

func placeAll(list []fragment) (wholeText, bool) {
	list = append([]fragment(nil), list...)
	sort.SliceStable(list, func(i, j int) bool { return list[i].line < list[j].line })
	var b strings.Builder
	line := 1
	for i := range list {
		f := &list[i]
		if f.line < line || f.line > farthest {
			return wholeText{}, false
		}
		b.WriteString(strings.Repeat("\n", f.line-line))
		b.WriteString(f.text + "\n")
		f.at = f.line
		line = f.line + strings.Count(f.text, "\n") + 1
	}
	return wholeText{text: b.String(), fragments: list, placed: true}, true
}

func joinAll(list []fragment) wholeText {
	var b strings.Builder
	line := 1
	for i := range list {
		list[i].at = line
		b.WriteString(list[i].text + "\n")
		line += strings.Count(list[i].text, "\n") + 1
	}
	return wholeText{text: b.String(), fragments: list}
}

// find is the source that a line of the text lies in, nil outside of all.
func (w wholeText) find(line int) *fragment {
	for i := len(w.fragments) - 1; i >= 0; i-- {
		f := &w.fragments[i]
		if line >= f.at && line <= f.at+strings.Count(f.text, "\n") {
			return f
		}
	}
	return nil
}

// locate turns diagnostics of the text into diagnostics of the answer. Each says
// which line of its source it is about.
func (w wholeText) locate(list []gpu.Diagnostic) []gpu.Diagnostic {
	for i := range list {
		d := &list[i]
		w.reword(d)
		d.File = answerFile
		f := w.find(d.Line)
		if f == nil {
			continue
		}
		own := d.Line - f.at + 1
		if w.placed {
			d.Notes = append(d.Notes, fmt.Sprintf("line %d of the %s source", own, f.kind))
			continue
		}
		d.File, d.Line = f.kind+" source", own
	}
	return list
}

// reword says of the wrappers' calls what is wrong with the functions that they call.
func (w wholeText) reword(d *gpu.Diagnostic) {
	rest, ok := strings.CutPrefix(d.Message, "the task cannot call this text: ")
	if !ok {
		return
	}
	d.Message = "Python cannot call this function: " + rest
	if missing, ok := strings.CutPrefix(rest, "undefined reference to `"); ok {
		missing = strings.TrimSuffix(missing, "'")
		d.Message = missing + " is declared but not defined"
		name, _, _ := strings.Cut(missing, "(")
		if p, ok := prototype(compile.Prototypes(w.text), name); ok {
			d.Line = p.Line
		}
	}
}

// locateAll does the same for constructs.
func (w wholeText) locateAll(list []compile.Construct) []compile.Construct {
	if w.placed {
		return list
	}
	for i := range list {
		if f := w.find(list[i].Line); f != nil {
			list[i].Line -= f.at - 1
		}
	}
	return list
}
