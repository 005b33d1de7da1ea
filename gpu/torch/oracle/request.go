package oracle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
)

// Set is the memory of one trial. All of it is written by this process.
type Set struct {
	Inputs []torch.Buffer // of the description's Tensors, in order
	State  []torch.Buffer // of its State, written when they are mapped; may be empty
	Native []torch.Buffer // of its Outputs, in the task's types; may be empty where nothing is expected
	Exact  []torch.Buffer // of their Exact; empty where there is none
}

func (s Set) groups() []torch.Group {
	return []torch.Group{
		{Name: "inputs", Buffers: s.Inputs}, {Name: "state", Buffers: s.State},
		{Name: "native", Buffers: s.Native}, {Name: "exact", Buffers: s.Exact},
	}
}

// check holds the sizes of a set's buffers against what was described.
func (s Set) check(d *torch.Description) error {
	if d == nil {
		return errors.New("map a set: no reference has been loaded")
	}
	exact := make([]torch.Tensor, len(d.Outputs))
	for i, out := range d.Outputs {
		exact[i] = out.Exact()
	}
	return errors.Join(fits("input", s.Inputs, d.Tensors(), false), fits("state", s.State, d.State, true),
		fits("native output", s.Native, d.Outputs, true), fits("exact output", s.Exact, exact, true))
}

func fits(what string, buffers []torch.Buffer, tensors []torch.Tensor, optional bool) error {
	if len(buffers) == 0 && optional {
		return nil
	}
	if len(buffers) != len(tensors) {
		return fmt.Errorf("map %d buffers for %d tensors: %s", len(buffers), len(tensors), what)
	}
	for i, t := range tensors {
		if b := buffers[i]; b.Bytes != t.Bytes() || !b.Writable {
			return fmt.Errorf("map %s %s of %d bytes to a buffer of %d bytes, writable: %t", what, t.Name, t.Bytes(), b.Bytes, b.Writable)
		}
	}
	return nil
}

// Map gives the process sets of buffers in the place of the last ones.
func (p *Process) Map(ctx context.Context, sets ...Set) (*process.Fault, error) {
	for i, set := range sets {
		if err := set.check(p.description); err != nil {
			return nil, err
		}
		request, err := torch.MapRequest(i, set.groups()...)
		if err != nil {
			return nil, err
		}
		if _, fault, err := process.Exchange(ctx, p.Process, p.limit, request, process.Nothing); fault != nil || err != nil {
			return fault, wrap(err, "map buffers")
		}
	}
	return nil, nil
}

// Kinds of [Draw].
const (
	Fresh     = "fresh"     // as the task draws
	Scaled    = "scaled"    // floating inputs eight times as large, with the other sign where there are both signs
	Perturbed = "perturbed" // those of Fresh with the same seed, but for one element
)

// Draw is one drawing of inputs.
type Draw struct {
	Seed uint64 `json:"seed"` // which a candidate must never learn
	Kind string `json:"kind"`
}

// Drawn is what a drawing did.
type Drawn struct {
	Kind    string `json:"kind"`    // Fresh for a Scaled one whose reference may refuse other magnitudes
	Changed string `json:"changed"` // the perturbed input, else empty
	Element int64  `json:"element"` // of it, in row-major order
}

// Draw writes new inputs to a set.
func (p *Process) Draw(ctx context.Context, set int, d Draw) (Drawn, *process.Fault, error) {
	request := struct {
		Do  string `json:"do"`
		Set int    `json:"set"`
		Draw
	}{"draw", set, d}
	return ask[Drawn](ctx, p, process.Call, p.limit, request)
}

// Expected says what an expectation could give.
type Expected struct {
	Exact bool   `json:"exact"` // the exact outputs have been written
	Why   string `json:"why"`   // why not
}

// Expect runs the reference on a set's inputs, which it leaves as they are, and
// writes its outputs in the task's types, and in double where that is possible.
func (p *Process) Expect(ctx context.Context, set int) (Expected, *process.Fault, error) {
	request := struct {
		Do  string `json:"do"`
		Set int    `json:"set"`
	}{"expect", set}
	return ask[Expected](ctx, p, process.Call, p.limit, request)
}

// Repeat runs the reference so often on a set's inputs, without a pause between calls,
// and waits for the device at the end. Its outputs go nowhere.
func (p *Process) Repeat(ctx context.Context, set, count int, limit time.Duration) (*process.Fault, error) {
	request := struct {
		Do    string `json:"do"`
		Set   int    `json:"set"`
		Count int    `json:"count"`
	}{"repeat", set, count}
	message, err := torch.Request(process.Call, request)
	if err != nil {
		return nil, err
	}
	_, fault, err := process.Exchange(ctx, p.Process, limit, message, process.Nothing)
	return fault, err
}

// What a [Timing] times.
const (
	Eager   = "eager"
	Compile = "compile" // torch.compile; its compilation is not in the samples
)

// MaxSamples bounds one timing: an answer holds them all.
const MaxSamples = 4096

// Timing asks for single calls of forward, each from the state that the model was
// built with.
type Timing struct {
	What    string
	Samples int
	Set     int           // of the first sample; the mapped sets follow in turn
	L2      int64         // bytes of cache to flush before each sample, on a GPU
	Limit   time.Duration // for everything together; samples end after two thirds of it
}

// Timed is what was timed.
type Timed struct {
	Samples []time.Duration `json:"samples"`  // at least one, fewer than asked for where time ran out; none where Refused
	Setup   time.Duration   `json:"setup_ns"` // of warming up, compilation included
	Wall    time.Duration   `json:"wall_ns"`  // of all samples with everything around them
	Empty   time.Duration   `json:"empty_ns"` // what the clock shows around nothing
	Null    time.Duration   `json:"null_ns"`  // the same around a kernel that does nothing, right after another one; on a CPU as Empty
	Refused string          `json:"refused"`  // why torch.compile gave nothing, one line
	Flags   torch.Flags     `json:"flags"`
}

// Time times the reference on the inputs of the mapped sets.
func (p *Process) Time(ctx context.Context, t Timing) (Timed, *process.Fault, error) {
	if t.Samples < 1 || t.Samples > MaxSamples {
		return Timed{}, nil, fmt.Errorf("time %d samples: not from 1 to %d", t.Samples, MaxSamples)
	}
	request := struct {
		What    string `json:"what"`
		Samples int    `json:"samples"`
		Set     int    `json:"set"`
		L2      int64  `json:"l2"`
		Budget  int64  `json:"budget_ns"`
	}{t.What, t.Samples, t.Set, t.L2, int64(t.Limit) * 2 / 3}
	return ask[Timed](ctx, p, process.Time, t.Limit, request)
}

// Tolerance is what an output may be off: Abs + Rel*|truth|, by its type.
type Tolerance struct {
	Abs     float64 `json:"abs"`
	Rel     float64 `json:"rel"`
	HalfAbs float64 `json:"half_abs"` // of float16 and bfloat16
	HalfRel float64 `json:"half_rel"`
}

// Linting asks for what makes a task a bad one to judge by.
type Linting struct {
	Tolerance
	Memory int64 // of the device in bytes, 0 for what it has free
	L2     int64 // as in [Timing]
	Limit  time.Duration
}

// Finding is one check. Figure is nil where there is none, or where it is no number.
type Finding struct {
	Check  string   `json:"check"` // such as "zeros"; see Bad
	Bad    bool     `json:"bad"`   // the task has what the check looks for
	Figure *float64 `json:"figure"`
	Unit   string   `json:"unit"`
	Text   string   `json:"text"`   // the figure in words, one line
	Output string   `json:"output"` // that it is about, empty for all
	Input  string   `json:"input"`  // that it is about, else empty
}

// LintReport is all checks, passed ones too, in a fixed order.
type LintReport struct {
	Findings []Finding `json:"findings"`
}

// Bad are the findings that a person should know.
func (r LintReport) Bad() []Finding {
	var bad []Finding
	for _, f := range r.Findings {
		if f.Bad {
			bad = append(bad, f)
		}
	}
	return bad
}

// Lint runs the reference some times, on inputs of its own. It needs no buffers.
func (p *Process) Lint(ctx context.Context, l Linting) (LintReport, *process.Fault, error) {
	request := struct {
		Do string `json:"do"`
		Tolerance
		Memory int64 `json:"memory"`
		L2     int64 `json:"l2"`
	}{"lint", l.Tolerance, l.Memory, l.L2}
	return ask[LintReport](ctx, p, process.Call, l.Limit, request)
}
