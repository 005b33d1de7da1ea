package batch

import (
	"maps"
	"slices"

	"example.com/hone/agent"
	"example.com/hone/agent/reward"
)

// Report is what came of a run.
type Report struct {
	Schema       string       `json:"schema"`
	Run          string       `json:"run"`
	Folder       string       `json:"folder"`
	Settings     Settings     `json:"settings"`
	Emulated     bool         `json:"emulated"` // times are not GPU times
	Stopped      string       `json:"stopped"`  // "done", "interrupted", "error", or the budget that is used up
	Cause        string       `json:"cause"`    // of an error
	Spent        agent.Spent  `json:"spent"`
	Basis        []string     `json:"score_basis"` // the baselines of the speedups
	Levels       []Row        `json:"levels"`
	Total        Row          `json:"total"`
	Tasks        []Row        `json:"tasks"`
	Trajectories []Trajectory `json:"trajectories"`
}

// Row sums up complete trajectories: of a task, a level, or all. Every figure is
// the mean over its tasks of what the task's trajectories give.
type Row struct {
	Task         string     `json:"task,omitempty"`
	Level        *int       `json:"level"` // null in the total; 0 where tasks have none
	Tasks        int        `json:"tasks"` // with a complete trajectory
	Trajectories int        `json:"trajectories"`
	Incomplete   int        `json:"incomplete"` // trajectories that are not counted
	Turns        int        `json:"turns"`      // that came to a result
	Correct      Estimate   `json:"correct"`    // share of trajectories with a correct turn
	Speedup      Estimate   `json:"speedup"`    // of the best turn, 0 where none is correct
	Fast         []FastRate `json:"fast"`
}

// FastRate is fast_p: the share of trajectories that reach a speedup of P or more.
type FastRate struct {
	P float64 `json:"p"`
	Estimate
}

// Estimate is avg@k, which is the same for every k, and best@k without bias
// (Chen et al. 2021; reward.BestAt).
type Estimate struct {
	Avg  *float64 `json:"avg"`
	Best []At     `json:"best"` // for k = 1, 2, 4, ... and the number of trajectories
}

// At is best@k; null where a task has fewer than k trajectories, or where the
// trajectories share a beginning and so are no independent draws.
type At struct {
	K     int      `json:"k"`
	Value *float64 `json:"value"`
}

// thresholds are the p of fast_p in the paper, and one beyond.
func thresholds() []float64 { return []float64{1, 1.5, 2} }

// Sum makes the rows of a run from its trajectories. Those of a beam search are
// dependent: of best@k only k = all of them says something.
func Sum(all []Trajectory, perTask int, dependent bool) (tasks, levels []Row, total Row) {
	byTask, byLevel := map[string][]Trajectory{}, map[int][]Trajectory{}
	for _, t := range all {
		byTask[t.Task] = append(byTask[t.Task], t)
		byLevel[t.Level] = append(byLevel[t.Level], t)
	}
	ks := counts(perTask)
	if dependent {
		ks = ks[len(ks)-1:]
	}
	for _, task := range slices.Sorted(maps.Keys(byTask)) {
		level := byTask[task][0].Level
		r := row(byTask[task], ks)
		r.Task, r.Level = task, &level
		tasks = append(tasks, r)
	}
	for _, level := range slices.Sorted(maps.Keys(byLevel)) {
		r := row(byLevel[level], ks)
		r.Level = &level
		levels = append(levels, r)
	}
	return tasks, levels, row(all, ks)
}

// counts are 1, 2, 4, ... up to n, and n.
func counts(n int) []int {
	var ks []int
	for k := 1; k < n; k *= 2 {
		ks = append(ks, k)
	}
	return append(ks, n)
}

func row(all []Trajectory, ks []int) Row {
	r := Row{Fast: []FastRate{}}
	values := map[string][]float64{}
	for _, t := range all {
		r.Turns += len(t.Samples)
		if !t.Complete {
			r.Incomplete++
			continue
		}
		r.Trajectories++
		values[t.Task] = append(values[t.Task], *t.Value)
	}
	correct := map[string][]float64{}
	for _, t := range all {
		if t.Complete {
			correct[t.Task] = append(correct[t.Task], share(*t.Correct))
		}
	}
	r.Tasks = len(values)
	r.Correct, r.Speedup = estimate(correct, ks), estimate(values, ks)
	for _, p := range thresholds() {
		r.Fast = append(r.Fast, FastRate{P: p, Estimate: estimate(reaching(values, p), ks)})
	}
	return r
}

func share(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

// reaching has 1 for every value of at least p, else 0.
func reaching(values map[string][]float64, p float64) map[string][]float64 {
	reached := map[string][]float64{}
	for task, all := range values {
		reached[task] = reward.Reached(all, p)
	}
	return reached
}

// estimate is the mean over tasks of avg and best@k of each.
func estimate(byTask map[string][]float64, ks []int) Estimate {
	e := Estimate{Avg: mean(byTask, reward.AvgAt), Best: []At{}}
	for _, k := range ks {
		best := mean(byTask, func(values []float64) (float64, bool) { return reward.BestAt(values, k) })
		e.Best = append(e.Best, At{K: k, Value: best})
	}
	return e
}

// mean is the mean of a figure over the tasks, nil if a task has none or there are none.
func mean(byTask map[string][]float64, of func([]float64) (float64, bool)) *float64 {
	var all [][]float64
	for _, task := range slices.Sorted(maps.Keys(byTask)) { // in order, for the same sum each time
		all = append(all, byTask[task])
	}
	figure, known := reward.OverTasks(all, of)
	if known < len(all) {
		return nil
	}
	return figure
}

// Bases are the baselines that the speedups are of.
func Bases(all []Trajectory) []string {
	found := map[string]bool{}
	for _, t := range all {
		for _, s := range t.Samples {
			if s.Basis != "" {
				found[s.Basis] = true
			}
		}
	}
	return append([]string{}, slices.Sorted(maps.Keys(found))...)
}
