package ondevice

import (
	"context"
	"errors"
	"fmt"

	"example.com/hone/gpu"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/stat"
	"example.com/hone/gpu/tensor"
	"example.com/hone/tasks"
)

// oracle says what is right for one task, for one trial at a time. Its two
// programs are the task's own reference, which is trusted; no candidate ever
// shares a process with them, nor memory but inputs to read.
type oracle struct {
	shop     *workshop
	task     tasks.Task
	truth    *program // every floating tensor in double
	baseline *program // every floating tensor in the task's type

	size   tasks.SizeSet // that the tensors have, without a name when there are none
	alone  float64       // microseconds that the baseline takes while no candidate runs; 0 when unknown
	exact  set           // lent to truth
	native set           // lent to baseline as its set 0; its inputs are the trial's own, untouched
	away   bool          // baseline has been lent the sets of a measurement beside its own
}

// newOracle compiles and starts both references at once.
func newOracle(ctx context.Context, shop *workshop, task tasks.Task) (*oracle, error) {
	o := &oracle{shop: shop, task: task}
	done := make(chan error, 1)
	go func() {
		var err error
		o.truth, err = o.start(ctx, tasks.Float64)
		done <- err
	}()
	var err error
	o.baseline, err = o.start(ctx, ownType(task.Signature))
	if err = errors.Join(err, <-done); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
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

// start builds and starts the reference in one floating type.
func (o *oracle) start(ctx context.Context, real tasks.DType) (*program, error) {
	artifact, err := o.shop.reference(ctx, o.task, real)
	if err != nil {
		return nil, fmt.Errorf("reference of task %s: %w", o.task.ID, err)
	}
	if !artifact.OK() {
		why := report.FirstError(artifact.Diagnostics)
		if artifact.Needs != nil {
			why = "it needs nvcc for " + artifact.Needs.Construct
		}
		return nil, fmt.Errorf("reference of task %s in %s does not compile: %s", o.task.ID, real, why)
	}
	limits := gpu.DefaultLimits()
	p, fault, err := o.shop.start(ctx, artifact, limits.Memory, limits.Run)
	if fault != nil {
		err = errors.Join(err, fmt.Errorf("reference of task %s: %s", o.task.ID, fault.Sentence()))
	}
	return p, err
}

// Close ends the references and frees the tensors.
func (o *oracle) Close() error {
	return errors.Join(o.truth.close(), o.baseline.close(), o.clear())
}

// clear frees the tensors.
func (o *oracle) clear() error {
	all := append(o.exact.all(), o.native.all()...)
	o.size, o.exact, o.native = tasks.SizeSet{}, set{}, set{}
	return o.shop.lab.Free(context.Background(), all...)
}

// lay has tensors of a size ready in both programs.
func (o *oracle) lay(ctx context.Context, size tasks.SizeSet) (err error) {
	if o.size.Name == size.Name {
		return nil
	}
	if err := o.clear(); err != nil {
		return err
	}
	dims, err := dimensions(o.task.Signature, size)
	if err != nil {
		return err
	}
	if o.exact, err = o.shop.set(ctx, o.task.Signature, size, exactType); err != nil {
		return err
	}
	if o.native, err = o.shop.set(ctx, o.task.Signature, size, sameType); err != nil {
		return err
	}
	exports := o.shop.exports()
	defer func() { err = errors.Join(err, exports.close()) }()
	for _, part := range []struct {
		program *program
		set     set
	}{{o.truth, o.exact}, {o.baseline, o.native}} {
		fault, err := part.program.lend(ctx, dims, exports, part.set)
		if fault != nil {
			err = errors.Join(err, fmt.Errorf("reference of task %s at size %s: %s", o.task.ID, size.Name, fault.Sentence()))
		}
		if err != nil {
			return err
		}
	}
	o.size = size
	return nil
}

// home takes the sets of a measurement away from baseline, whose memory they held.
func (o *oracle) home(ctx context.Context) (err error) {
	if !o.away {
		return nil
	}
	o.away = false
	exports := o.shop.exports()
	defer func() { err = errors.Join(err, exports.close()) }()
	fault, err := o.baseline.lend(ctx, o.baseline.dims, exports, o.native)
	if fault != nil {
		err = errors.Join(err, fmt.Errorf("reference of task %s: %s", o.task.ID, fault.Sentence()))
	}
	return err
}

// exactType is the type in which the truth holds a tensor, sameType its own.
func exactType(t tasks.DType) tasks.DType {
	if t.Floating() {
		return tasks.Float64
	}
	return t
}

func sameType(t tasks.DType) tasks.DType { return t }

// set makes the tensors of one call.
func (s *workshop) set(ctx context.Context, sig tasks.Signature, size tasks.SizeSet, as func(tasks.DType) tasks.DType) (set, error) {
	var made set
	for i, t := range sig.Tensors() {
		tensor, err := s.lab.New(ctx, t, as(t.DType), size, true)
		if err != nil {
			return set{}, errors.Join(err, s.lab.Free(context.Background(), made.all()...))
		}
		if i < len(sig.Inputs) {
			made.inputs = append(made.inputs, tensor)
		} else {
			made.outputs = append(made.outputs, tensor)
		}
	}
	return made, nil
}

// draw puts a trial's inputs into tensors of the task's own types.
func (o *oracle) draw(ctx context.Context, t trial, into []*tensor.Tensor) error {
	for i, in := range o.task.Signature.Inputs {
		if err := o.shop.lab.Draw(ctx, into[i], in.Fill, t.seed, uint64(i), t.factor); err != nil {
			return fmt.Errorf("draw input %s: %w", in.Name, err)
		}
	}
	if t.changed == 0 {
		return nil
	}
	which := int(t.changed % uint64(len(into)))
	return o.shop.lab.Perturb(ctx, into[which], o.task.Signature.Inputs[which].Fill, t.changed)
}

// settle draws a trial's inputs and computes what is right for them: o.native
// has inputs and the baseline's outputs, o.exact the truth.
func (o *oracle) settle(ctx context.Context, t trial) error {
	if err := o.lay(ctx, t.size); err != nil {
		return err
	}
	if err := o.draw(ctx, t, o.native.inputs); err != nil {
		return err
	}
	for i, in := range o.native.inputs {
		if err := o.shop.lab.Convert(ctx, o.exact.inputs[i], in); err != nil {
			return err
		}
	}
	return errors.Join(o.compute(ctx, o.truth, o.exact), o.compute(ctx, o.baseline, o.native))
}

// timeAlone times the baseline on the settled trial while there is no candidate
// that could slow it down.
func (o *oracle) timeAlone(ctx context.Context) error {
	const samples = 5
	p := o.baseline
	result, fault, err := p.process.Time(ctx, device.Timing{
		Method: device.Cold, Samples: samples, Warmup: 1, L2: int64(o.shop.gpu.Facts.L2), Dims: p.dims, Limit: p.limit,
	})
	if fault != nil {
		err = errors.Join(err, fmt.Errorf("reference of task %s while it was timed: %s", o.task.ID, fault.Sentence()))
	}
	if err != nil {
		return err
	}
	times := make([]float64, samples)
	for i, s := range result.Samples {
		times[i] = microseconds(device.Corrected(s, result))
	}
	o.alone = stat.Median(times)
	return nil
}

// compute runs a reference on what its set holds.
func (o *oracle) compute(ctx context.Context, p *program, s set) error {
	for _, out := range s.outputs {
		if err := o.shop.lab.Fill(ctx, out, fillerNaN); err != nil {
			return err
		}
	}
	_, fault, err := p.call(ctx, device.Call{})
	if fault != nil {
		err = errors.Join(err, fmt.Errorf("reference of task %s at size %s: %s", o.task.ID, o.size.Name, fault.Sentence()))
	}
	return err
}
