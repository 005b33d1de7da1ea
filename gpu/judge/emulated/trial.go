package emulated

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/worker"
	"example.com/hone/tasks"
)

// What outputs hold before a run, in turns: NaN in every floating type, and a
// finite number in every type.
const (
	fillerNaN    = 0xFF
	fillerFinite = 0x4B
)

// largeFactor multiplies the inputs of one trial, sign and all: a kernel that
// only works near the task's own magnitude fails there.
const largeFactor = -8

// freshInputs is what there is to say of an ordinary trial.
const freshInputs = "fresh inputs"

// trial is one set of inputs with what is right for them.
type trial struct {
	about    string // what is special about the inputs, for a person
	size     tasks.SizeSet
	seed     uint64
	own      bool // drawn exactly as the task says
	inputs   []check.Values
	truth    []check.Values
	baseline []check.Values
}

// special is what is special about a trial, empty when nothing is.
func (t trial) special() string {
	if t.about == freshInputs {
		return ""
	}
	return t.about
}

// secret is a seed that nobody can foresee.
func secret() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime ends the process first
	return binary.LittleEndian.Uint64(b[:])
}

// fresh draws a trial as the task says, times a factor.
func (o *oracle) fresh(ctx context.Context, size tasks.SizeSet, factor float64) (trial, error) {
	t := trial{about: freshInputs, size: size, seed: secret(), own: factor == 1}
	if !t.own {
		t.about = fmt.Sprintf("inputs %g times as large and negated, where the task allows it", -factor)
	}
	var err error
	if t.inputs, err = check.Draw(o.task.Signature.Inputs, size, t.seed, factor); err != nil {
		return trial{}, fmt.Errorf("task %s: %w", o.task.ID, err)
	}
	return o.settle(ctx, t)
}

// perturbed is a trial with one input element changed.
func (o *oracle) perturbed(ctx context.Context, t trial) (trial, error) {
	t.about, t.own, t.seed = "one input element changed", false, secret()
	t.inputs = check.Perturb(o.task.Signature.Inputs, t.inputs, t.seed)
	return o.settle(ctx, t)
}

// settle computes what is right for a trial's inputs.
func (o *oracle) settle(ctx context.Context, t trial) (trial, error) {
	var err error
	if t.truth, err = o.answer(ctx, o.truth, t.size, t.inputs); err != nil {
		return trial{}, err
	}
	if t.baseline, err = o.answer(ctx, o.baseline, t.size, t.inputs); err != nil {
		return trial{}, err
	}
	return t, nil
}

// attempt is one run of a program and all that is known of it.
type attempt struct {
	outputs  []check.Values
	result   worker.CallResult
	fault    *worker.Fault // then the rest is empty
	damage   string        // which bytes outside the buffers were written
	tampered string        // which input was changed
	filler   byte
	schedule int
}

// attempt runs the program once, in fresh buffers.
func (p *program) attempt(ctx context.Context, size tasks.SizeSet, inputs []check.Values, schedule int, filler byte, seed uint64) (attempt, error) {
	a := attempt{filler: filler, schedule: schedule}
	d, fault, err := p.open(ctx, size)
	if fault != nil || err != nil {
		a.fault = fault
		return a, err
	}
	defer d.close()
	d.lay(inputs, filler)
	if a.result, _, a.fault, err = d.call(ctx, schedule, 1, seed); a.fault != nil || err != nil {
		return a, err
	}
	a.outputs, a.damage, a.tampered = d.take(), d.damage(), d.tampered()
	return a, nil
}

// compare holds the outputs of an attempt against what is right.
func (t trial) compare(a attempt, tolerance tasks.Tolerance) []check.Difference {
	diffs := make([]check.Difference, len(a.outputs))
	for i, got := range a.outputs {
		diffs[i] = check.Compare(check.Output{Got: got, Truth: t.truth[i], Baseline: t.baseline[i]}, tolerance)
	}
	return diffs
}
