package torch

import (
	"fmt"
	"strconv"

	"example.com/hone/tasks"
)

// NoSignatureError says why a task cannot be answered in the cuda dialect, and what to
// do instead.
type NoSignatureError struct{ Text string }

func (e *NoSignatureError) Error() string { return e.Text }

// MaxTensors is the most of a signature: as many buffers as a worker on a GPU is given.
const MaxTensors = 64

// FullSize is the name of the only size of a derived task.
const FullSize = "full"

// Derive completes a task that is known by its PyTorch reference alone, so that it can
// be answered in the cuda dialect: see [Signature]. ID, reference and hash stay.
func Derive(task tasks.Task, d Description) (tasks.Task, error) {
	signature, err := Signature(d)
	if err != nil {
		return task, fmt.Errorf("task %s: %w", task.ID, err)
	}
	task.Signature = signature
	task.Sizes = []tasks.SizeSet{{Name: FullSize}}
	if d.Flops != nil && *d.Flops > 0 {
		task.Flops = strconv.FormatInt(*d.Flops, 10)
	}
	task.Tolerance = Tolerance(task, d)
	return task, nil
}

// Tolerance is the task's own, or where it has none, KernelBench's for the coarsest type
// among what its reference gives.
func Tolerance(task tasks.Task, d Description) tasks.Tolerance {
	if task.Tolerance != (tasks.Tolerance{}) {
		return task.Tolerance
	}
	outputs := make([]tasks.Tensor, len(d.Outputs))
	for i, t := range d.Outputs {
		outputs[i].DType = tasks.DType(t.DType)
	}
	return tasks.DefaultTolerance(outputs)
}

// Signature is that of the solve that does what a reference does: it takes the tensors
// among the inputs, in order, then the model's parameters and buffers, and then the
// outputs, all of fixed shapes. What cannot be said so is a [NoSignatureError].
func Signature(d Description) (tasks.Signature, error) {
	var s signer
	for _, v := range d.Inputs {
		if v.Tensor != nil {
			s.sig.Inputs = append(s.sig.Inputs, s.tensor(*v.Tensor))
		} else {
			s.sig.Constants = append(s.sig.Constants, tasks.Constant{Name: v.Name, Text: v.Text})
		}
	}
	for _, t := range d.State {
		s.sig.Inputs = append(s.sig.Inputs, s.tensor(t))
	}
	for _, t := range d.Outputs {
		s.sig.Outputs = append(s.sig.Outputs, s.tensor(t))
	}
	if n := len(s.names); s.err == nil && n > MaxTensors {
		s.refuse("it has %d tensors, more than the %d that solve may take", n, MaxTensors)
	}
	return s.sig, s.err
}

// signer makes a signature, up to the first tensor that cannot be in one.
type signer struct {
	sig   tasks.Signature
	names []string // taken
	err   error
}

func (s *signer) tensor(t Tensor) tasks.Tensor {
	made := tasks.Tensor{Name: tasks.CName(t.Name, s.names), DType: tasks.DType(t.DType), Shape: make([]string, len(t.Shape))}
	s.names = append(s.names, made.Name)
	for i, extent := range t.Shape {
		made.Shape[i] = strconv.FormatInt(extent, 10)
	}
	switch {
	case s.err != nil:
	case made.DType.Bytes() == 0:
		s.refuse("tensor %s is of type %s, which the cuda dialect has not", t.Name, t.DType)
	case t.Elements() == 0:
		s.refuse("tensor %s is empty, and the cuda dialect has no pointer to nothing", t.Name)
	}
	return made
}

func (s *signer) refuse(format string, args ...any) {
	s.err = &NoSignatureError{fmt.Sprintf(format, args...) + ": answer it in the torch dialect (--dialect torch)"}
}
