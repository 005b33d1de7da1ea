package ondevice

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"

	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/tensor"
	"example.com/hone/tasks"
)

// largeFactor multiplies the inputs of one trial, sign and all: a kernel that
// only works near the task's own magnitude fails there.
const largeFactor = -8

// trial says how the inputs of a call are drawn.
type trial struct {
	about   string // what is special about the inputs, for a person; may be empty
	size    tasks.SizeSet
	seed    uint64
	factor  float64
	changed uint64 // picks one input element to change; 0 for none
}

// own reports whether the inputs are drawn exactly as the task says.
func (t trial) own() bool { return t.factor == 1 && t.changed == 0 }

// secret is a number that nobody can foresee, and never 0.
func secret() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime ends the process first
	return binary.LittleEndian.Uint64(b[:]) | 1
}

func fresh(size tasks.SizeSet) trial { return trial{size: size, seed: secret(), factor: 1} }

// trials are those of one evaluation. The third has the first one's inputs but
// for one element.
func trials(size tasks.SizeSet, count int) []trial {
	list := make([]trial, max(count, leastTrials))
	for i := range list {
		list[i] = fresh(size)
	}
	list[1].factor = largeFactor
	list[1].about = fmt.Sprintf("inputs %d times as large and negated, where the task allows it", -largeFactor)
	list[2] = trial{about: "one input element changed", size: size, seed: list[0].seed, factor: 1, changed: secret()}
	return list
}

// leastTrials is the least number for a check.
const leastTrials = 5

// attempt is one run of a candidate and all that is known of it. Its tensors
// must be freed.
type attempt struct {
	set      set
	outputs  []*tensor.Tensor // private copies: what is judged cannot be changed any more
	result   device.CallResult
	fault    *process.Fault // then the rest is empty
	damage   string         // which bytes outside the tensors were written
	tampered string         // which input was changed
	sums     []check.Sum    // of the outputs' comparisons
	filler   byte
}

// attempt runs a candidate on the trial that the oracle has settled, in tensors
// that no other run ever sees.
func (o *oracle) attempt(ctx context.Context, p *program, t trial, c device.Call, filler byte) (a attempt, err error) {
	a.filler = filler
	dims, err := dimensions(o.task.Signature, t.size)
	if err != nil {
		return a, err
	}
	if a.set, err = o.shop.set(ctx, o.task.Signature, t.size, sameType); err != nil {
		return a, err
	}
	if err := o.hand(ctx, a.set, filler); err != nil {
		return a, err
	}
	exports := o.shop.exports()
	defer func() { err = errors.Join(err, exports.close()) }()
	if a.fault, err = p.lend(ctx, dims, exports, a.set); a.fault != nil || err != nil {
		return a, err
	}
	if a.result, a.fault, err = p.call(ctx, c); a.fault != nil || err != nil {
		return a, err
	}
	return a, o.judge(ctx, &a)
}

// hand copies the settled inputs into a set and prepares its outputs.
func (o *oracle) hand(ctx context.Context, s set, filler byte) error {
	lab := o.shop.lab
	for i, in := range s.inputs {
		if err := lab.Copy(ctx, in, o.native.inputs[i]); err != nil {
			return err
		}
	}
	for _, out := range s.outputs {
		if err := lab.Fill(ctx, out, filler); err != nil {
			return err
		}
	}
	for _, t := range s.all() {
		if err := lab.Guard(ctx, t); err != nil {
			return err
		}
		if err := lab.Send(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// judge holds what a run left behind against what the oracle settled.
func (o *oracle) judge(ctx context.Context, a *attempt) error {
	return errors.Join(o.take(ctx, a), o.look(ctx, a), o.compare(ctx, a))
}

// look finds out whether anything but the outputs was written.
func (o *oracle) look(ctx context.Context, a *attempt) error {
	lab := o.shop.lab
	for _, t := range a.set.all() {
		if err := lab.Receive(ctx, t); err != nil {
			return err
		}
		before, after, err := lab.Damage(ctx, t)
		switch {
		case err != nil:
			return err
		case after > 0:
			a.damage = fmt.Sprintf("wrote outside %s: %d bytes changed after its end", t.Name, after)
		case before > 0:
			a.damage = fmt.Sprintf("wrote outside %s: %d bytes changed before its start", t.Name, before)
		}
	}
	for i, in := range a.set.inputs {
		differing, err := lab.Differing(ctx, in, o.native.inputs[i])
		if err != nil {
			return err
		}
		if differing > 0 {
			a.tampered = in.Name
		}
	}
	return nil
}

// take copies the outputs, so that what a process does later changes nothing.
func (o *oracle) take(ctx context.Context, a *attempt) error {
	for i, out := range a.set.outputs {
		if err := o.shop.lab.Receive(ctx, out); err != nil {
			return err
		}
		private, err := o.shop.lab.New(ctx, o.task.Signature.Outputs[i], out.DType, o.size, false)
		if err != nil {
			return err
		}
		a.outputs = append(a.outputs, private)
		if err := o.shop.lab.Copy(ctx, private, out); err != nil {
			return err
		}
	}
	return nil
}

func (o *oracle) compare(ctx context.Context, a *attempt) error {
	for i, got := range a.outputs {
		c, err := o.shop.lab.Compare(ctx, got, o.exact.outputs[i], o.native.outputs[i], o.task.Tolerance)
		if err != nil {
			return err
		}
		a.sums = append(a.sums, c.Sum)
	}
	return nil
}

// free gives the tensors of an attempt back.
func (o *oracle) free(a attempt) error {
	return o.shop.lab.Free(context.Background(), append(a.set.all(), a.outputs...)...)
}

// differs reports whether another run on the same inputs ends with outputs
// beyond the tolerance of the first one's.
func (o *oracle) differs(ctx context.Context, first, again attempt) (yes bool, err error) {
	lab := o.shop.lab
	for i, out := range first.outputs {
		exact, err := lab.New(ctx, o.task.Signature.Outputs[i], exactType(out.DType), o.size, false)
		if err != nil {
			return false, err
		}
		err = lab.Convert(ctx, exact, out)
		if err == nil {
			var c tensor.Comparison
			c, err = lab.Compare(ctx, again.outputs[i], exact, out, o.task.Tolerance)
			yes = yes || c.Wrong > 0
		}
		if err = errors.Join(err, lab.Free(ctx, exact)); err != nil {
			return false, err
		}
	}
	return yes, nil
}
