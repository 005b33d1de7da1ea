package device

import (
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu/process"
)

func split(t *testing.T, body string) [][]string {
	t.Helper()
	lines, err := process.SplitBody(body)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestParseAnswers(t *testing.T) {
	t.Parallel()
	const kernel = "kernel\tk\t2\t1\t1\t1\t64\t1\t1\t0\t32\t0\t1024\t2048\tthreads\n"
	result, err := parseCall(split(t, "wall_ns\t1500\n"+kernel))
	if err != nil || result.Wall != 1500*time.Nanosecond || len(result.Kernels) != 1 || *result.Kernels[0].Occupancy != 0.5 {
		t.Errorf("call %+v, %v", result, err)
	}
	plan := Timing{Method: Graph, Samples: 3}
	times, err := parseTime(split(t, "wall_ns\t9\nempty_ns\t2\nnull_ns\t4\nsamples\t5\t6\nsamples\t7\n"), plan)
	if err != nil || times.Method != Graph || times.Empty != 2 || times.Null != 4 || len(times.Samples) != 3 || times.Samples[2] != 7 {
		t.Errorf("time %+v, %v", times, err)
	}
	for _, bad := range []string{
		"wall_ns\t-1\n", "wall_ns\n", "speed\t1\n", "wall_ns\t1\t2\n", "wall_ns\t9007199254740993\n",
		"kernel\tk\n", strings.Repeat(kernel, maxKernels+1),
	} {
		if _, err := parseCall(split(t, bad)); err == nil {
			t.Errorf("call %.40q was read", bad)
		}
	}
	for _, bad := range []string{"", "samples\t1\n", "samples\t1\t2\t3\t4\n", "samples\t1\tx\t2\n", "samples\t1\t-2\t3\n", "other\t1\n"} {
		if _, err := parseTime(split(t, bad), plan); err == nil {
			t.Errorf("time %q was read", bad)
		}
	}
	const refused = "refused\tit waits\n"
	if times, err := parseTime(split(t, refused), plan); err != nil || times.Refused != "it waits" {
		t.Errorf("refused: %+v, %v", times, err)
	}
	if _, err := parseTime(split(t, refused+"samples\t1\t2\t3\n"), plan); err == nil {
		t.Error("a graph that was refused has samples")
	}
	if _, err := parseTime(split(t, refused), Timing{Method: Cold, Samples: 3}); err == nil {
		t.Error("calls that no graph is made of were refused")
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add("wall_ns\t1\n")
	f.Add("samples\t1\t2\n")
	f.Fuzz(func(t *testing.T, body string) {
		lines, err := process.SplitBody(body)
		if err != nil {
			return
		}
		if result, err := parseCall(lines); err == nil && len(result.Kernels) > maxKernels {
			t.Errorf("%d kernels", len(result.Kernels))
		}
		if result, err := parseTime(lines, Timing{Method: Graph, Samples: 2}); err == nil && len(result.Samples) != 2 && result.Refused == "" {
			t.Errorf("%d samples", len(result.Samples))
		}
	})
}
