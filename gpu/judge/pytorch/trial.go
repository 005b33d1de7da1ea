package pytorch

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
	"example.com/hone/gpu/torch/candidate"
	"example.com/hone/gpu/torch/oracle"
	"example.com/hone/gpu/worker"
	"example.com/hone/tasks"
)

// What outputs hold before a run, in turns: NaN in every floating type, and a
// finite number in every type.
const (
	fillerNaN    = 0xFF
	fillerFinite = 0x4B
)

const leastTrials = 5

// trial says how the inputs of a call are drawn.
type trial struct {
	about string // what is special about them, for a person; may be empty
	seed  uint64
	kind  string // of oracle.Draw
}

// trials are those of one evaluation. The third has the first one's inputs but for
// one element.
func trials(count int) []trial {
	list := make([]trial, max(count, leastTrials))
	for i := range list {
		list[i] = trial{seed: secret(), kind: oracle.Fresh}
	}
	list[1].kind, list[1].about = oracle.Scaled, "inputs 8 times as large and negated, where the task allows it"
	list[2] = trial{seed: list[0].seed, kind: oracle.Perturbed, about: "one input element changed"}
	return list
}

// secret is a seed that nobody can foresee.
func secret() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime ends the process first
	return binary.LittleEndian.Uint64(b[:])
}

// bench is the judge's tensors of one task: what the oracle draws and expects.
type bench struct {
	reference *reference
	inputs    tensors
	state     tensors
	native    tensors // expected, in the task's types
	exact     tensors // expected, in double; nothing where that does not fit
	doubled   bool    // exact holds the last trial's
}

func (r *reference) bench(ctx context.Context) (*bench, error) {
	b := &bench{reference: r}
	about := r.about
	exact := make([]torch.Tensor, 0, len(about.Outputs))
	if about.Exact {
		for _, t := range about.Outputs {
			exact = append(exact, t.Exact())
		}
	}
	for _, part := range []struct {
		into  *tensors
		about []torch.Tensor
	}{{&b.inputs, about.Tensors()}, {&b.state, about.State}, {&b.native, about.Outputs}, {&b.exact, exact}} {
		var err error
		if *part.into, err = newTensors(part.about, true); err != nil {
			b.close()
			return nil, err
		}
	}
	fault, err := r.process.Map(ctx, oracle.Set{
		Inputs: b.inputs.lent(true), State: b.state.lent(true), Native: b.native.lent(true), Exact: b.exact.lent(true),
	})
	if err = r.trouble(fault, err); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() {
	for _, t := range []tensors{b.inputs, b.state, b.native, b.exact} {
		t.close()
	}
}

// trouble makes an error of a fault of the reference, which is trusted.
func (r *reference) trouble(fault *process.Fault, err error) error {
	if fault != nil {
		err = errors.Join(err, fmt.Errorf("reference of task %s: %s", r.task.ID, fault.Sentence()))
	}
	return err
}

// settle draws a trial's inputs and has the reference say what is right for them.
func (b *bench) settle(ctx context.Context, t trial) error {
	r := b.reference
	if _, fault, err := r.process.Draw(ctx, 0, oracle.Draw{Seed: t.seed, Kind: t.kind}); fault != nil || err != nil {
		return r.trouble(fault, err)
	}
	expected, fault, err := r.process.Expect(ctx, 0)
	b.doubled = expected.Exact
	return r.trouble(fault, err)
}

// compare holds outputs against what is right.
func (b *bench) compare(outputs []check.Values) []check.Difference {
	native := b.native.values()
	truth := native
	if b.doubled {
		truth = b.exact.values()
	}
	diffs := make([]check.Difference, len(outputs))
	for i, got := range outputs {
		diffs[i] = check.Compare(check.Output{Got: got, Truth: truth[i], Baseline: native[i]}, b.reference.tolerance(i))
	}
	return diffs
}

// tolerance is the task's, or KernelBench's for the type of an output.
func (r *reference) tolerance(output int) tasks.Tolerance {
	if r.task.Tolerance != (tasks.Tolerance{}) {
		return r.task.Tolerance
	}
	return tasks.DefaultTolerance([]tasks.Tensor{{DType: tasks.DType(r.about.Outputs[output].DType)}})
}

// lot is one set of tensors that a candidate is lent.
type lot struct {
	inputs, state, outputs tensors
}

func (r *reference) lot() (lot, error) {
	var l lot
	for _, part := range []struct {
		into     *tensors
		about    []torch.Tensor
		writable bool
	}{{&l.inputs, r.about.Tensors(), false}, {&l.state, r.about.State, false}, {&l.outputs, r.about.Outputs, true}} {
		var err error
		if *part.into, err = newTensors(part.about, part.writable); err != nil {
			l.close()
			return lot{}, err
		}
	}
	return l, nil
}

// lay copies what was drawn, and fills the outputs.
func (l lot) lay(b *bench, filler byte) {
	l.inputs.lay(b.inputs)
	l.state.lay(b.state)
	l.outputs.fill(filler)
}

func (l lot) close() {
	l.inputs.close()
	l.state.close()
	l.outputs.close()
}

func (l lot) lent() candidate.Set {
	return candidate.Set{Inputs: l.inputs.lent(false), State: l.state.lent(false), Outputs: l.outputs.lent(true)}
}

// attempt is one run of the answer and all that is known of it.
type attempt struct {
	outputs  []check.Values
	fault    *process.Fault // then the rest is empty
	damage   string         // which bytes outside the tensors were written
	tampered string         // which input was changed
	filler   byte
}

// attempt runs the answer on the settled trial, in tensors that no other run sees.
func (e *evaluation) attempt(ctx context.Context, b *bench, filler byte) (attempt, error) {
	a := attempt{filler: filler}
	l, err := e.reference.lot()
	if err != nil {
		return a, err
	}
	defer l.close()
	l.lay(b, filler)
	if a.fault, err = e.process.Map(ctx, l.lent()); a.fault != nil || err != nil {
		return a, err
	}
	if _, a.fault, err = e.process.Call(ctx, candidate.Call{Limit: e.req.Limits.Run}); a.fault != nil || err != nil {
		return a, err
	}
	a.see(l, b)
	return a, nil
}

// see takes the outputs out, and looks whether anything else was written.
func (a *attempt) see(l lot, b *bench) {
	a.outputs = l.outputs.values()
	for _, t := range []tensors{l.inputs, l.state, l.outputs} {
		if d := t.damage(); d != "" {
			a.damage = d
		}
	}
	if a.tampered = l.inputs.differing(b.inputs); a.tampered == "" {
		a.tampered = l.state.differing(b.state)
	}
}

// ended concludes from an attempt that did not end well.
func (e *evaluation) ended(a attempt) bool {
	switch {
	case a.fault != nil:
		e.failed(*a.fault)
	case a.damage != "":
		e.report.Failed(process.Fault{Kind: worker.FaultOutOfBounds, Message: a.damage})
	case a.tampered != "":
		e.report.Tampered(a.tampered)
	default:
		return false
	}
	return true
}

// tally adds up the trials of one evaluation.
type tally struct {
	trials, passed int
	wrong, total   int64
	maxAbs, maxRel float64
	bench          *bool // KernelBench's criterion over the task's own inputs
}

func wrong(diffs []check.Difference) int64 {
	n := int64(0)
	for _, d := range diffs {
		n += int64(len(d.Wrong))
	}
	return n
}

func (l *tally) add(own bool, diffs []check.Difference) {
	l.trials++
	bad := wrong(diffs)
	if l.wrong += bad; bad == 0 {
		l.passed++
	}
	for _, d := range diffs {
		l.total += int64(d.Got.Len())
		l.maxAbs, l.maxRel = max(l.maxAbs, d.MaxAbs), max(l.maxRel, d.MaxRel)
		if own {
			pass := check.KernelBench(d.Output) && (l.bench == nil || *l.bench)
			l.bench = &pass
		}
	}
}

// firstMismatches is how many wrong elements are shown.
const firstMismatches = 5

// mismatch concludes from outputs that are wrong.
func (e *evaluation) mismatch(t trial, a attempt, diffs []check.Difference) {
	first := []gpu.Mismatch{}
	for _, d := range diffs {
		first = append(first, d.First(e.tally.trials-1, firstMismatches-len(first))...)
	}
	e.record(first)
	e.report.Mismatch(report.Mismatch{About: t.about, Diffs: diffs, Filler: a.filler})
}

// record writes the check into the verdict.
func (e *evaluation) record(first []gpu.Mismatch) {
	tolerance := e.reference.tolerance(0)
	criterion := "fp64"
	if !e.reference.about.Exact {
		criterion = "native"
	}
	e.report.Verdict.Check = &gpu.Check{
		Trials: e.tally.trials, Passed: e.tally.passed, Criterion: criterion,
		MaxAbs: &e.tally.maxAbs, MaxRel: &e.tally.maxRel, Atol: tolerance.Abs, Rtol: tolerance.Rel,
		KernelBenchPass: e.tally.bench, Wrong: e.tally.wrong, Total: e.tally.total, First: first,
	}
}
