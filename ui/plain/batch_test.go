package plain

import (
	"testing"

	"example.com/hone/agent"
	"example.com/hone/agent/batch"
)

func trajectory(task string, level int, speedup float64) batch.Trajectory {
	correct := speedup > 0
	t := batch.Trajectory{Task: task, Level: level, Complete: true, Correct: &correct, Value: &speedup, Samples: []batch.Sample{{Basis: "reference"}}}
	return t
}

func TestBatch(t *testing.T) {
	t.Parallel()
	all := []batch.Trajectory{
		trajectory("builtin/l1/softmax", 1, 1.5), trajectory("builtin/l1/softmax", 1, 0),
		trajectory("builtin/l2/matmul_bias_gelu", 2, 0.8), {Task: "builtin/l2/matmul_bias_gelu", Level: 2, Samples: []batch.Sample{}},
		trajectory("mine/\x1b[31mred", 0, 0), trajectory("mine/\x1b[31mred", 0, 0),
	}
	r := batch.Report{
		Run: "01KKNTQ1T80000000000000009", Folder: "runs/run-01KKNTQ1T80000000000000009", Emulated: true,
		Settings: batch.Settings{Device: "CPU emulation"}, Stopped: agent.EndTokenBudget,
		Spent: agent.Spent{Turns: 5, Tokens: 12345, Cost: 0.25}, Basis: batch.Bases(all), Trajectories: all,
	}
	r.Tasks, r.Levels, r.Total = batch.Sum(all, 2, false)
	golden(t, "batch.txt", Batch(r))
}
