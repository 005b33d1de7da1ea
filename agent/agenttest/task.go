package agenttest

import (
	"math"

	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

// TaskSHA256 is the digest of [Task].
const TaskSHA256 = "5a0f8c1d7b2e4936a1c07d5be3f49820716dc5ab94e2f0387dd16b5c2e8a9f41"

const reference = `import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, dim=1)


def get_inputs():
    return [torch.randn(300, 257)]


def get_init_inputs():
    return []
`

// Task is a row softmax.
func Task() tasks.Task {
	return tasks.Task{
		ID: "builtin/l1/softmax", Name: "softmax", Title: "Row softmax", Level: 1, Reference: reference,
		Signature: tasks.Signature{
			Inputs: []tasks.Tensor{{
				Name: "x", DType: tasks.Float32, Shape: []string{"M", "N"},
				Fill: tasks.Fill{Kind: "normal", High: 1},
			}},
			Outputs: []tasks.Tensor{{Name: "y", DType: tasks.Float32, Shape: []string{"M", "N"}}},
			Dims:    []string{"M", "N"},
		},
		Sizes: []tasks.SizeSet{
			{Name: "small", Values: map[string]int64{"M": 300, "N": 257}},
			{Name: "full", Values: map[string]int64{"M": 16384, "N": 4096}},
			{Name: "odd", Values: map[string]int64{"M": 7, "N": 1021}},
		},
		Tolerance: tasks.Tolerance{Abs: 1e-4, Rel: 1e-4},
		SHA256:    TaskSHA256,
	}
}

func nan() gpu.Number { return gpu.Number(math.NaN()) }
