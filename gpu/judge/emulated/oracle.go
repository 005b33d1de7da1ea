package emulated

import (
	"context"
	"errors"
	"fmt"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/worker"
	"example.com/hone/tasks"
)

// oracle says what is right for one task. Its two programs are the task's own
// reference, which is trusted; no candidate ever shares a process or a buffer
// with them. One goroutine at a time may use it.
type oracle struct {
	task     tasks.Task
	truth    *program // every floating tensor in double
	baseline *program // every floating tensor in the task's type
}

// newOracle compiles and starts both references at once.
func newOracle(ctx context.Context, shop *workshop, task tasks.Task) (*oracle, error) {
	o := &oracle{task: task}
	done := make(chan error, 1)
	go func() {
		var err error
		o.truth, err = shop.reference(ctx, task, tasks.Float64)
		done <- err
	}()
	var err error
	o.baseline, err = shop.reference(ctx, task, ownType(task.Signature))
	if err = errors.Join(err, <-done); err != nil {
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

func (o *oracle) close() error {
	return errors.Join(o.truth.close(), o.baseline.close())
}

// ownType is the floating type of a signature, double where it has none.
func ownType(sig tasks.Signature) tasks.DType {
	for _, t := range sig.Tensors() {
		if t.DType.Floating() {
			return t.DType
		}
	}
	return tasks.Float64
}

// reference builds and starts a task's native reference in one floating type.
func (s *workshop) reference(ctx context.Context, task tasks.Task, real tasks.DType) (*program, error) {
	limits := gpu.DefaultLimits()
	artifact, err := s.compiler.Build(ctx, compile.Source{
		Name: task.ID + " reference", Text: task.Native, Unit: compile.ReferenceUnit(task.Signature, real),
		Limit: limits.Compile, Trusted: true,
	})
	if err != nil {
		return nil, fmt.Errorf("reference of task %s: %w", task.ID, err)
	}
	if !artifact.OK() {
		return nil, fmt.Errorf("reference of task %s in %s does not compile: %s", task.ID, real, report.FirstError(artifact.Diagnostics))
	}
	process, err := s.process(ctx, limits.Memory)
	if err != nil {
		return nil, err
	}
	p, fault, err := start(ctx, process, artifact.Plain, in(task.Signature, real), 0, limits.Run)
	if fault != nil {
		err = fmt.Errorf("reference of task %s: %s", task.ID, fault.Sentence())
	}
	return p, err
}

// in is a signature with every floating tensor in one type.
func in(sig tasks.Signature, real tasks.DType) tasks.Signature {
	convert := func(from []tasks.Tensor) []tasks.Tensor {
		to := append([]tasks.Tensor(nil), from...)
		for i := range to {
			if to[i].DType.Floating() {
				to[i].DType = real
			}
		}
		return to
	}
	sig.Inputs, sig.Outputs = convert(sig.Inputs), convert(sig.Outputs)
	return sig
}

// answer runs a reference on inputs given in the task's types.
func (o *oracle) answer(ctx context.Context, p *program, size tasks.SizeSet, inputs []check.Values) ([]check.Values, error) {
	converted := make([]check.Values, len(inputs))
	for i, v := range inputs {
		converted[i] = v.As(p.signature.Inputs[i].DType)
	}
	a, err := p.attempt(ctx, size, converted, worker.ScheduleForward, fillerNaN, 0)
	if err != nil {
		return nil, err
	}
	switch {
	case a.fault != nil:
		return nil, fmt.Errorf("reference of task %s at size %s: %s", o.task.ID, size.Name, a.fault.Sentence())
	case a.damage != "":
		return nil, fmt.Errorf("reference of task %s at size %s %s", o.task.ID, size.Name, a.damage)
	}
	return a.outputs, nil
}
