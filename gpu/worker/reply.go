package worker

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"example.com/hone/gpu"
)

// The bounds of what one answer may list.
const (
	maxLayers   = 32
	maxKernels  = 64
	maxFindings = 64
	maxText     = 2000 // characters of one field
)

// CallResult is what a worker says of one call. All of it is a claim.
type CallResult struct {
	Wall     time.Duration // of all repetitions together
	Kernels  []gpu.Resources
	Findings []gpu.Finding
}

// parseHello reads the layers of containment that the worker put on itself.
func parseHello(lines [][]string) (map[string]string, error) {
	if len(lines) == 0 || len(lines) > maxLayers || len(lines[0]) != 2 || lines[0][0] != "protocol" {
		return nil, malformedf("the greeting names no protocol")
	}
	if lines[0][1] != "1" {
		return nil, malformedf("the greeting speaks protocol %q, not 1", clean(lines[0][1]))
	}
	layers := make(map[string]string)
	for _, line := range lines[1:] {
		if len(line) != 3 || line[0] != "layer" {
			return nil, malformedf("the greeting has an unknown line")
		}
		layers[clean(line[1])] = clean(line[2])
	}
	return layers, nil
}

func parseOK(lines [][]string) (CallResult, error) {
	var result CallResult
	for _, line := range lines {
		fields := fieldReader{fields: line}
		switch key := fields.text(); key {
		case "wall_ns":
			result.Wall = time.Duration(fields.count())
		case "kernel":
			result.Kernels = append(result.Kernels, fields.kernel())
		case "finding":
			result.Findings = append(result.Findings, fields.finding())
		default:
			return CallResult{}, malformedf("an answer has the unknown line %q", key)
		}
		if !fields.complete() {
			return CallResult{}, malformedf("an answer has a bad line %q", clean(strings.Join(line, " ")))
		}
	}
	if len(result.Kernels) > maxKernels || len(result.Findings) > maxFindings {
		return CallResult{}, malformedf("an answer lists more than %d kernels or %d findings", maxKernels, maxFindings)
	}
	return result, nil
}

func parseFault(lines [][]string) (*Fault, error) {
	fault := &Fault{}
	for _, line := range lines {
		fields := fieldReader{fields: line}
		switch key := fields.text(); key {
		case "kind":
			fault.Kind = FaultKind(fields.text())
		case "message":
			fault.Message = fields.text()
		case "kernel":
			fault.Kernel = fields.text()
		case "line":
			fault.Line = int(fields.count())
		case "block":
			fault.Block = fields.point()
		case "thread":
			fault.Thread = fields.point()
		default:
			return nil, malformedf("a fault has the unknown line %q", key)
		}
		if !fields.complete() {
			return nil, malformedf("a fault has a bad line %q", clean(strings.Join(line, " ")))
		}
	}
	if !fault.Kind.reported() || fault.Message == "" {
		return nil, malformedf("a fault has no known kind or no message")
	}
	return fault, nil
}

// fieldReader takes the fields of one line in order and remembers whether one
// was missing or malformed.
type fieldReader struct {
	fields []string
	bad    bool
}

func (r *fieldReader) complete() bool { return !r.bad && len(r.fields) == 0 }

func (r *fieldReader) next() string {
	if len(r.fields) == 0 {
		r.bad = true
		return ""
	}
	field := r.fields[0]
	r.fields = r.fields[1:]
	return field
}

func (r *fieldReader) text() string { return clean(r.next()) }

// count reads a whole number from 0 to 2^53, which JSON carries exactly.
func (r *fieldReader) count() int64 {
	n, err := strconv.ParseInt(r.next(), 10, 64)
	if err != nil || n < 0 || n > 1<<53 {
		r.bad = true
		return 0
	}
	return n
}

func (r *fieldReader) point() *[3]int64 {
	return &[3]int64{r.count(), r.count(), r.count()}
}

func (r *fieldReader) kernel() gpu.Resources {
	return gpu.Resources{
		Kernel:      r.text(),
		Launches:    r.count(),
		Grid:        *r.point(),
		Block:       *r.point(),
		SharedBytes: r.count(),
	}
}

func (r *fieldReader) finding() gpu.Finding {
	f := gpu.Finding{Kind: r.text(), Severity: r.text(), Line: int(r.count()), Evidence: r.text()}
	if f.Kind == "" || (f.Severity != "error" && f.Severity != "suspect" && f.Severity != "warning") {
		r.bad = true
	}
	return f
}

// clean makes one line for a person of what a worker wrote: no control
// characters, no invisible ones, bounded.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxText {
		text = string(runes[:maxText]) + "..."
	}
	return text
}
