package main

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch/oracle"
	"example.com/hone/tasks"
)

// fakeLinter answers by the name of the task.
type fakeLinter func(name string) (oracle.LintReport, *process.Fault, error)

func (f fakeLinter) Lint(_ context.Context, t tasks.Task) (oracle.LintReport, *process.Fault, error) {
	return f(t.Name)
}

func lintAnswers(name string) (oracle.LintReport, *process.Fault, error) {
	figure := 1.0
	passed := oracle.Finding{Check: "copy", Text: "a copy passes for 0"}
	switch name {
	case "zeros":
		return oracle.LintReport{Findings: []oracle.Finding{passed, {Check: "zeros", Bad: true, Figure: &figure, Text: "zeros pass\x1b[2J for 1"}}}, nil, nil
	case "raises":
		return oracle.LintReport{}, &process.Fault{Kind: oracle.FaultReference, Message: "ValueError: no", Line: 7}, nil
	case "no torch":
		return oracle.LintReport{}, nil, errors.New("the process did not start")
	}
	return oracle.LintReport{Findings: []oracle.Finding{passed}}, nil, nil
}

func named(names ...string) []tasks.Task {
	var all []tasks.Task
	for _, n := range names {
		all = append(all, tasks.Task{ID: "x/" + n, Name: n})
	}
	return all
}

func TestLintRows(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := &app{streams: &streams{out: &out}}
	all := named("good", "zeros", "raises")
	rows, err := lintTasks(t.Context(), fakeLinter(lintAnswers), all, printRows(a, all))
	if err != nil {
		t.Fatal(err)
	}
	want := "TASK      FINDING           FIGURE\n" +
		"x/good    fine\n" +
		"x/zeros   zeros             zeros pass for 1\n" +
		"x/raises  failed            reference: ValueError: no (line 7)\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	if got := lintSummary(rows); got != "1 of 3 tasks are fine, 1 with findings, 1 failed" {
		t.Errorf("summary: %s", got)
	}
	if len(rows[1].Findings) != 2 || rows[2].Findings == nil {
		t.Errorf("JSON has every check, and a list where there is none: %+v", rows)
	}
}

func TestLintStopsWhereNothingRuns(t *testing.T) {
	t.Parallel()
	rows, err := lintTasks(t.Context(), fakeLinter(lintAnswers), named("good", "no torch", "good"), func(lintRow) {})
	var evaluator evaluatorError
	if !errors.As(err, &evaluator) || !strings.Contains(err.Error(), "x/no torch") || len(rows) != 1 {
		t.Errorf("got %v after %d rows", err, len(rows))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lintTasks(ctx, fakeLinter(lintAnswers), named("good"), func(lintRow) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestLintTolerance(t *testing.T) {
	t.Parallel()
	kernelBench := oracle.Tolerance{Abs: 1e-4, Rel: 1e-4, HalfAbs: 1e-2, HalfRel: 1e-2}
	own := oracle.Tolerance{Abs: 1e-3, HalfAbs: 1e-3}
	for name, tt := range map[string]struct {
		task tasks.Task
		want oracle.Tolerance
	}{
		"by type":     {tasks.Task{}, kernelBench},
		"the task's":  {tasks.Task{Tolerance: tasks.Tolerance{Abs: 1e-3}}, own},
		"exact, told": {tasks.Task{Native: "x"}, oracle.Tolerance{}},
	} {
		if got := lintTolerance(tt.task); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

func TestTorchDevice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		configured string
		devices    int
		number     int
		name       string
	}{
		{"auto", 0, oracle.CPU, "cpu"}, {"auto", 2, 0, "cuda:0"}, {"emulated", 2, oracle.CPU, "cpu"}, {"1", 2, 1, "cuda:1"},
	} {
		if number, name := torchDevice(tt.configured, tt.devices); number != tt.number || name != tt.name {
			t.Errorf("%s with %d devices: %d, %s", tt.configured, tt.devices, number, name)
		}
	}
}

func TestPythons(t *testing.T) {
	t.Parallel()
	if got := (&config{Python: "mine"}).pythons(); !reflect.DeepEqual(got, []string{"mine"}) {
		t.Errorf("a Python that was named is the only one: %v", got)
	}
	if got := (&config{}).pythons(); len(got) < 2 {
		t.Errorf("got %v", got)
	}
}
