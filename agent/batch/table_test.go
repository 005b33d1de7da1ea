package batch

import (
	"fmt"
	"math"
	"reflect"
	"testing"
)

// of is a complete trajectory of a task worth so much; negative: one that lacks turns.
func of(task string, level int, value float64) Trajectory {
	t := Trajectory{Task: task, Level: level, Samples: []Sample{{}, {}}}
	if value < 0 {
		return t
	}
	correct := value > 0
	t.Complete, t.Value, t.Correct = true, &value, &correct
	return t
}

func (e Estimate) String() string {
	text := figure(e.Avg)
	for _, at := range e.Best {
		text += fmt.Sprintf(" %d:%s", at.K, figure(at.Value))
	}
	return text
}

func figure(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(math.Round(*v*1e4) / 1e4)
}

func TestSum(t *testing.T) {
	t.Parallel()
	four := []Trajectory{
		of("a", 1, 0), of("a", 1, 1), of("a", 1, 2), of("a", 1, 0),
		of("b", 2, 0), of("b", 2, 0), of("b", 2, 0), of("b", 2, 1.5),
	}
	tests := []struct {
		name      string
		all       []Trajectory
		dependent bool
		correct   string
		speedup   string
		fast      []string // of 1, 1.5 and 2
		counts    []int    // tasks, trajectories, incomplete, turns
	}{
		{
			// Task a: best@2 is (3*2 + 2*1 + 0) / 6 = 4/3; b: 1.5/2. The mean of
			// 0.75 and 0.375 is avg.
			"by hand", four, false, "0.375 1:0.375 2:0.6667 4:1", "0.5625 1:0.5625 2:1.0417 4:1.75",
			[]string{"0.375 1:0.375 2:0.6667 4:1", "0.25 1:0.25 2:0.5 4:1", "0.125 1:0.125 2:0.25 4:0.5"},
			[]int{2, 8, 0, 16},
		},
		{
			"a beam", four, true, "0.375 4:1", "0.5625 4:1.75",
			[]string{"0.375 4:1", "0.25 4:1", "0.125 4:0.5"}, []int{2, 8, 0, 16},
		},
		{
			"one lacks turns", append([]Trajectory{of("a", 1, -1)}, four[1:4]...), false,
			"0.6667 1:0.6667 2:1 4:-", "1 1:1 2:1.6667 4:-",
			[]string{"0.6667 1:0.6667 2:1 4:-", "0.3333 1:0.3333 2:0.6667 4:-", "0.3333 1:0.3333 2:0.6667 4:-"},
			[]int{1, 3, 1, 8},
		},
		{
			"nothing is known", []Trajectory{of("a", 1, -1)}, false, "- 1:- 2:- 4:-", "- 1:- 2:- 4:-",
			[]string{"- 1:- 2:- 4:-", "- 1:- 2:- 4:-", "- 1:- 2:- 4:-"}, []int{0, 0, 1, 2},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, total := Sum(tt.all, 4, tt.dependent)
			if got := total.Correct.String(); got != tt.correct {
				t.Errorf("correct %s, want %s", got, tt.correct)
			}
			if got := total.Speedup.String(); got != tt.speedup {
				t.Errorf("speedup %s, want %s", got, tt.speedup)
			}
			for i, want := range tt.fast {
				if got := total.Fast[i].String(); got != want {
					t.Errorf("fast_%g %s, want %s", total.Fast[i].P, got, want)
				}
			}
			if got := []int{total.Tasks, total.Trajectories, total.Incomplete, total.Turns}; !reflect.DeepEqual(got, tt.counts) {
				t.Errorf("counts %v, want %v", got, tt.counts)
			}
		})
	}
}

func TestSumByTaskAndLevel(t *testing.T) {
	t.Parallel()
	tasks, levels, total := Sum([]Trajectory{of("b", 2, 1), of("a", 1, 2), of("c", 2, 0)}, 1, false)
	var names []string
	for _, r := range tasks {
		names = append(names, fmt.Sprint(r.Task, *r.Level, figure(r.Speedup.Avg)))
	}
	for _, r := range levels {
		names = append(names, fmt.Sprint("level", *r.Level, figure(r.Speedup.Avg)))
	}
	if want := []string{"a12", "b21", "c20", "level12", "level20.5"}; !reflect.DeepEqual(names, want) {
		t.Errorf("rows %v, want %v", names, want)
	}
	if total.Level != nil || figure(total.Speedup.Avg) != "1" {
		t.Errorf("total %v of level %v", total.Speedup, total.Level)
	}
	if got := counts(6); !reflect.DeepEqual(got, []int{1, 2, 4, 6}) {
		t.Errorf("counts %v", got)
	}
}
