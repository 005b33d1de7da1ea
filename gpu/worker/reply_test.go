package worker

import (
	"strings"
	"testing"

	"example.com/hone/gpu/process"
)

func TestAnswersAreParsedStrictly(t *testing.T) {
	t.Parallel()
	many := func(n int, line string) string { return strings.Repeat(line+"\n", n) }
	for name, c := range map[string]struct {
		body string
		want string // part of the error, empty when the body is good
	}{
		"ok of nothing":       {"", ""},
		"ok with a time":      {"wall_ns\t0\n", ""},
		"a negative time":     {"wall_ns\t-1\n", "bad line"},
		"no number":           {"wall_ns\t1e9\n", "bad line"},
		"a number too large":  {"wall_ns\t9007199254740993\n", "bad line"},
		"a field too many":    {"wall_ns\t1\t2\n", "bad line"},
		"a field too few":     {"kernel\tk\t1\t1\t1\t1\t1\t1\t1\n", "bad line"},
		"an unknown severity": {"finding\trace\tfatal\t1\ttext\n", "bad line"},
		"too many findings":   {many(65, "finding\trace\twarning\t1\ttext"), "more than"},
		"too many kernels":    {many(65, "kernel\tk\t1\t1\t1\t1\t1\t1\t1\t1"), "more than"},
		"an unknown line":     {"result\tcorrect\n", "unknown line"},
		"an empty line":       {"\n", "unknown line"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines, err := process.SplitBody(c.body)
			if err == nil {
				_, err = parseCall(lines)
			}
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v, want %q", err, c.want)
			}
		})
	}
}

// Whatever a worker answers is either refused or within all bounds and fit to be shown.
func FuzzReply(f *testing.F) {
	f.Add("wall_ns\t5\nkernel\tk\t1\t1\t1\t1\t32\t1\t1\t0\nfinding\trace\twarning\t3\tthreads\n")
	f.Fuzz(func(t *testing.T, body string) {
		lines, err := process.SplitBody(body)
		if err != nil {
			return
		}
		result, err := parseCall(lines)
		if err != nil {
			return
		}
		for _, finding := range result.Findings {
			if strings.ContainsAny(finding.Kind+finding.Evidence, "\x1b\n\r\x00\u009b") {
				t.Errorf("control characters reach the screen: %+v", finding)
			}
		}
		if result.Wall < 0 || len(result.Findings) > maxFindings || len(result.Kernels) > maxKernels {
			t.Errorf("beyond the bounds: %+v", result)
		}
	})
}
