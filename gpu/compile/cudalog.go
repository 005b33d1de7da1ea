package compile

import (
	"strconv"
	"strings"
)

// parseCUDA reads what NVRTC, nvcc's front end, ptxas and nvlink printed. Lines
// that are no message, such as source excerpts and counts, are passed over.
func parseCUDA(log string) []message {
	var p cudaParser
	for _, line := range strings.Split(log, "\n") {
		p.line(line)
	}
	return p.messages
}

// cudaParser collects messages line by line.
type cudaParser struct {
	messages []message
	during   bool // inside a list of instantiations
	listing  bool // inside a list that the last message announced with a colon
}

func (p *cudaParser) line(raw string) {
	if p.caret(raw) {
		return
	}
	line := printable(raw)
	m, ok := frontEndMessage(line)
	if !ok {
		m, ok = toolMessage(line)
	}
	if ok {
		p.messages, p.during = append(p.messages, m), false
		p.listing = strings.HasSuffix(m.text, ":")
		return
	}
	if p.listing = p.listing && strings.HasPrefix(line, listIndent); p.listing {
		p.messages[len(p.messages)-1].text += " " + strings.TrimSpace(line) + ";"
		return
	}
	p.instantiation(strings.TrimSpace(line))
}

// listIndent is how far at least the front end moves such a list in.
const listIndent = "          "

// excerptIndent is how far the front end moves its source excerpts in.
const excerptIndent = 2

// caret takes the column of the last message from the line that points at it.
func (p *cudaParser) caret(line string) bool {
	if strings.TrimLeft(line, " \t") != "^" {
		return false
	}
	if last := len(p.messages) - 1; last >= 0 && p.messages[last].column == 0 {
		p.messages[last].column = max(len(line)-excerptIndent, 1)
	}
	return true
}

// instantiation reads a line about where the last message's template was used:
// `instantiation of "f<int>" at line 9`, after "detected during".
func (p *cudaParser) instantiation(line string) {
	rest, first := strings.CutPrefix(line, "detected during")
	p.during = p.during || first
	last := len(p.messages) - 1
	if !p.during || last < 0 {
		return
	}
	at := strings.LastIndex(rest, " at line ")
	if at < 0 {
		p.during = first // a heading with the list below it
		return
	}
	number, file, named := strings.Cut(rest[at+len(" at line "):], " of ")
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil {
		return
	}
	where := place{file: p.messages[last].file, line: n}
	if named {
		where.file = strings.Trim(file, `"`)
	}
	p.messages[last].from = append(p.messages[last].from, where)
}

// frontEndMessage reads `kernel.cu(12): warning #177-D: text`.
func frontEndMessage(line string) (message, bool) {
	closing := strings.Index(line, "): ")
	if closing < 0 || strings.HasPrefix(line, " ") {
		return message{}, false
	}
	open := strings.LastIndexByte(line[:closing], '(')
	if open <= 0 {
		return message{}, false
	}
	n, err := strconv.Atoi(line[open+1 : closing])
	if err != nil {
		return message{}, false
	}
	m := message{file: line[:open], line: n}
	kind, text, ok := strings.Cut(line[closing+len("): "):], ": ")
	if !ok {
		return message{}, false
	}
	if i := strings.Index(kind, " #"); i >= 0 {
		kind, m.code = kind[:i], kind[i+1:]
	}
	m.severity, m.text = cudaSeverity(kind), text
	return m, m.severity != ""
}

func cudaSeverity(kind string) string {
	switch strings.TrimSpace(kind) {
	case "error", "catastrophic error", "internal error", "fatal":
		return "error"
	case "warning":
		return "warning"
	case "note", "remark":
		return "note"
	}
	return ""
}

// toolMessage reads `ptxas fatal   : text` and its like.
func toolMessage(line string) (message, bool) {
	head, text, ok := strings.Cut(line, ": ")
	if !ok {
		return message{}, false
	}
	if head == "nvrtc" {
		kind, rest, ok := strings.Cut(text, ": ")
		return message{file: head, severity: cudaSeverity(kind), text: rest}, ok && cudaSeverity(kind) != ""
	}
	tool, kind, ok := strings.Cut(head, " ")
	if !ok {
		return message{}, false
	}
	switch tool {
	case "ptxas", "nvlink", "nvcc", "fatbinary", "cudafe++":
		m := message{file: tool, severity: cudaSeverity(kind), text: strings.TrimSpace(text)}
		return m, m.severity != ""
	}
	return message{}, false
}

// usage is what ptxas says a kernel takes.
type usage struct {
	registers, spillStores, spillLoads, sharedBytes int
}

// parsePTXAS reads the figures of each kernel, by its symbol, out of a verbose
// log.
func parsePTXAS(log string) map[string]usage {
	found := map[string]usage{}
	kernel, function := "", ""
	for _, line := range strings.Split(log, "\n") {
		switch text := printable(line); {
		case strings.Contains(text, "Compiling entry function '"):
			kernel = quoted(text)
		case strings.Contains(text, "Function properties for "):
			_, function, _ = strings.Cut(text, "Function properties for ")
		case kernel != "" && strings.Contains(text, "bytes spill stores"):
			if strings.TrimSpace(function) == kernel {
				u := found[kernel]
				u.spillStores, u.spillLoads = figure(text, " bytes spill stores"), figure(text, " bytes spill loads")
				found[kernel] = u
			}
		case kernel != "" && strings.Contains(text, "Used ") && strings.Contains(text, " registers"):
			u := found[kernel]
			u.registers, u.sharedBytes = figure(text, " registers"), figure(text, " bytes smem")
			found[kernel] = u
		}
	}
	return found
}

// figure is the number in front of a unit, 0 when there is none.
func figure(text, unit string) int {
	before, _, ok := strings.Cut(text, unit)
	if !ok {
		return 0
	}
	n, _ := strconv.Atoi(before[strings.LastIndexByte(before, ' ')+1:])
	return n
}
