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
	"example.com/hone/gpu/torch/oracle"
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

// bench is the judge's tensors of one task: what the oracle draws and expects. It is
// the oracle's set 0.
type bench struct {
	reference *reference
	inputs    tensors
	state     tensors
	native    tensors // expected, in the task's types
	exact     tensors // expected, in double; of no tensors where that does not fit
	doubled   bool    // exact holds the last trial's
	why       string  // why it does not
}

// makeBench makes the tensors and lends them to the oracle.
func (r *reference) makeBench(ctx context.Context) error {
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
		if *part.into, err = r.memory.make(ctx, part.about); err != nil {
			return errors.Join(err, b.close())
		}
	}
	r.bench = b
	return r.lend(ctx, nil)
}

// lend maps the bench in the oracle, and behind it sets of inputs to be timed on. They
// take the place of those lent before.
func (r *reference) lend(ctx context.Context, inputs []tensors) error {
	b := r.bench
	set, err := r.set(ctx, map[string]tensors{"inputs": b.inputs, "state": b.state, "native": b.native, "exact": b.exact})
	defer set.close()
	if err != nil {
		return err
	}
	sets := []oracle.Set{set.Set}
	for _, t := range inputs {
		more, err := r.set(ctx, map[string]tensors{"inputs": t})
		defer more.close()
		if err != nil {
			return err
		}
		sets = append(sets, more.Set)
	}
	fault, err := r.process.Map(ctx, sets...)
	if err = r.trouble(fault, err); err != nil {
		return err
	}
	return b.state.receive(ctx)
}

// lentSet is a set on its way to the oracle.
type lentSet struct {
	oracle.Set
	files []lent
}

func (s lentSet) close() {
	for _, l := range s.files {
		l.close()
	}
}

func (r *reference) set(ctx context.Context, parts map[string]tensors) (s lentSet, err error) {
	for name, into := range map[string]*[]torch.Buffer{"inputs": &s.Inputs, "state": &s.State, "native": &s.Native, "exact": &s.Exact} {
		part, ok := parts[name]
		if !ok {
			continue
		}
		l, err := part.lend(ctx, true)
		if err != nil {
			return s, err
		}
		*into, s.files = l.buffers, append(s.files, l)
	}
	return s, nil
}

func (b *bench) close() error { return closeAll(b.inputs, b.state, b.native, b.exact) }

// closeAll closes tensors that may be nil.
func closeAll(list ...tensors) error {
	var errs []error
	for _, t := range list {
		if t != nil {
			errs = append(errs, t.close())
		}
	}
	return errors.Join(errs...)
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
	if err := b.draw(ctx, 0, t, b.inputs); err != nil {
		return err
	}
	r := b.reference
	expected, fault, err := r.process.Expect(ctx, 0)
	b.doubled, b.why = expected.Exact, expected.Why
	if err = r.trouble(fault, err); err != nil {
		return err
	}
	return errors.Join(b.native.receive(ctx), b.exact.receive(ctx))
}

// settle draws a trial's inputs, and tells where its outputs cannot be held against the
// reference in double: the criterion of them all is then the weaker one.
func (e *evaluation) settle(ctx context.Context, t trial) error {
	b := e.reference.bench
	if err := b.settle(ctx, t); err != nil {
		return err
	}
	e.holdNatively(b)
	return nil
}

func (e *evaluation) holdNatively(b *bench) {
	if b.doubled {
		return
	}
	e.native = true
	if c := e.report.Verdict.Check; c != nil { // written before the answer was timed
		c.Criterion = check.Natively
	}
	e.report.Find(gpu.Finding{Kind: "native_truth", Severity: report.Warning, Evidence: "held against the reference in the task's own types: " + b.why})
}

// draw puts a trial's inputs into one of the oracle's sets.
func (b *bench) draw(ctx context.Context, set int, t trial, into tensors) error {
	r := b.reference
	_, fault, err := r.process.Draw(ctx, set, oracle.Draw{Seed: t.seed, Kind: t.kind})
	if err = r.trouble(fault, err); err != nil {
		return err
	}
	return into.receive(ctx)
}

// truth is what outputs are held against.
func (b *bench) truth() tensors {
	if b.doubled {
		return b.exact
	}
	return b.native
}

// compare holds outputs against what is right.
func (b *bench) compare(ctx context.Context, outputs tensors) ([]check.Sum, error) {
	list := make([]check.Sum, len(b.reference.about.Outputs))
	for i := range list {
		var err error
		if list[i], err = b.reference.memory.compare(ctx, i, outputs, b.truth(), b.native, b.reference.tolerance()); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// explain compares again on the host, where it is known which elements are wrong.
func (b *bench) explain(ctx context.Context, outputs tensors) ([]check.Difference, error) {
	var sides [3][]check.Values
	for i, t := range []tensors{outputs, b.truth(), b.native} {
		var err error
		if sides[i], err = t.values(ctx); err != nil {
			return nil, err
		}
	}
	diffs := make([]check.Difference, len(sides[0]))
	for i := range diffs {
		diffs[i] = check.Compare(check.Output{Got: sides[0][i], Truth: sides[1][i], Baseline: sides[2][i]}, b.reference.tolerance())
	}
	return diffs, nil
}

// tolerance is the task's, or the one that a signature of its outputs would have: an answer
// in either dialect is held to the same.
func (r *reference) tolerance() tasks.Tolerance { return torch.Tolerance(r.task, r.about) }

// lot is one set of tensors that a candidate is lent.
type lot struct {
	inputs, state, outputs tensors
}

func (r *reference) lot(ctx context.Context) (lot, error) {
	var l lot
	for _, part := range []struct {
		into  *tensors
		about []torch.Tensor
	}{{&l.inputs, r.about.Tensors()}, {&l.state, r.about.State}, {&l.outputs, r.about.Outputs}} {
		var err error
		if *part.into, err = r.memory.make(ctx, part.about); err != nil {
			return lot{}, errors.Join(err, l.close())
		}
	}
	return l, nil
}

// lay copies what was drawn, and fills the outputs.
func (l lot) lay(ctx context.Context, b *bench, filler byte) error {
	return errors.Join(l.inputs.lay(ctx, b.inputs), l.state.lay(ctx, b.state), l.outputs.fill(ctx, filler))
}

func (l lot) close() error { return closeAll(l.inputs, l.state, l.outputs) }

// lentLot is a lot on its way to a process.
type lentLot struct{ inputs, state, outputs lent }

func (l lentLot) close() {
	for _, part := range []lent{l.inputs, l.state, l.outputs} {
		part.close()
	}
}

// lend is the lot as a process is given it, inputs and state to be read. What was lent
// is to be closed even after an error.
func (l lot) lend(ctx context.Context) (given lentLot, err error) {
	for _, part := range []struct {
		into     *lent
		tensors  tensors
		writable bool
	}{{&given.inputs, l.inputs, false}, {&given.state, l.state, false}, {&given.outputs, l.outputs, true}} {
		if part.tensors == nil {
			continue
		}
		if *part.into, err = part.tensors.lend(ctx, part.writable); err != nil {
			return given, err
		}
	}
	return given, nil
}

// attempt is one run of the answer and all that is known of it. It is to be closed.
type attempt struct {
	outputs  tensors         // a copy: what a process that goes on does changes nothing
	sums     []check.Sum     // of the outputs' comparisons
	kernels  []gpu.Resources // that it says it launched
	fault    *process.Fault  // then the rest is empty
	damage   string          // which bytes outside the tensors were written
	tampered string          // which input was changed
	filler   byte
}

func (a attempt) close() error { return closeAll(a.outputs) }

// attempt runs an answer on the settled trial, in tensors that no other run sees.
func (e *evaluation) attempt(ctx context.Context, runs answer, c call, filler byte) (a attempt, err error) {
	a.filler = filler
	l, err := e.reference.lot(ctx)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	if err := l.lay(ctx, e.reference.bench, filler); err != nil {
		return a, err
	}
	if a.fault, err = runs.hand(ctx, l); a.fault != nil || err != nil {
		return a, err
	}
	result, fault, err := runs.call(ctx, c)
	for _, f := range result.findings {
		e.report.Find(f)
	}
	if a.fault, a.kernels = fault, result.kernels; fault != nil || err != nil {
		return a, err
	}
	return a, a.see(ctx, l, e.reference.bench)
}

// see takes the outputs out, looks whether anything else was written, and compares.
func (a *attempt) see(ctx context.Context, l lot, b *bench) (err error) {
	for _, t := range []tensors{l.inputs, l.state, l.outputs} {
		if err := t.receive(ctx); err != nil {
			return err
		}
		said, err := t.damage(ctx)
		if err != nil {
			return err
		}
		if said != "" {
			a.damage = said
		}
	}
	if a.outputs, err = l.outputs.copy(ctx); err != nil {
		return err
	}
	if a.tampered, err = l.inputs.differing(ctx, b.inputs); err == nil && a.tampered == "" {
		a.tampered, err = l.state.differing(ctx, b.state)
	}
	if err != nil || a.damage != "" || a.tampered != "" {
		return err
	}
	a.sums, err = b.compare(ctx, a.outputs)
	return err
}

// ended concludes from an attempt that did not end well.
func (e *evaluation) ended(a attempt) bool {
	switch {
	case e.report.Decided(): // by what it had built while it ran
	case a.fault != nil:
		e.failed(*a.fault)
	default:
		return e.report.Spoilt(nil, a.damage, a.tampered)
	}
	return true
}
