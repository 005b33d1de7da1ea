package pytorch

import (
	"context"
	"errors"
	"slices"
	"time"

	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/clock"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/stat"
	"example.com/hone/gpu/torch/oracle"
)

const (
	minRounds = 3
	roundTime = 20 * time.Millisecond // a racer's turn is no longer, unless one call is

	mostSets    = 4 // of tensors, visited in turn, beside one to warm up on
	memoryShare = 3 // a third of the free memory is used for them
	paceSlack   = 10
)

// course is what a measurement runs on, and who runs. A nil one is none.
type course struct {
	reference *reference
	compiled  *compiled // nil where it does not take part
	inputs    []tensors // by set; all racers read the same
	racers    []*racer
	turn      int // samples that a racer takes at a time, each on a set of its own; the last set is for warming up alone
}

// racer is an answer, or the reference in an oracle.
type racer struct {
	name    string
	answer  answer // nil for the reference
	first   int    // set of an oracle that has the first inputs
	out     bool   // it failed, and runs no more: the verdict says why
	lots    []lot  // of an answer; the inputs are the course's
	pace    time.Duration
	samples []float64 // microseconds, less what the clock adds
	clock   []float64 // per call of an answer's turn, by the judge's clock
}

// The racers' names, beside the reference's.
const (
	newest = report.Candidate
	best   = report.Best
)

// line puts the racers on the line, the new answer first.
func (e *evaluation) line(ctx context.Context) error {
	c := &course{reference: e.reference}
	e.course = c
	if err := e.startBest(ctx); err != nil {
		return err
	}
	c.racers = []*racer{{name: newest, answer: e.own}, {name: report.EagerBasis, first: 1}}
	if e.reference.compiled.ready() {
		c.compiled = e.reference.compiled
		c.racers = append(c.racers, &racer{name: report.CompileBasis})
	} else if why := e.reference.compiled.why(); why != "" {
		e.report.NoBaseline(report.CompileBasis, why)
	}
	if e.best != nil {
		c.racers = append(c.racers, &racer{name: best, answer: e.best})
	}
	if err := c.lay(ctx); err != nil {
		return err
	}
	for _, r := range c.racers {
		fault, err := c.enter(ctx, r)
		if err = e.stumble(r, fault, err); err != nil || e.report.Decided() {
			return err
		}
	}
	return e.setPace(ctx)
}

// enter lends a racer its tensors.
func (c *course) enter(ctx context.Context, r *racer) (*process.Fault, error) {
	switch {
	case r.answer != nil:
		return r.answer.hand(ctx, r.lots...)
	case r.name == report.CompileBasis:
		return c.compiled.lend(ctx, c.inputs)
	}
	return nil, c.reference.lend(ctx, c.inputs)
}

// startBest starts the best answer so far; there is none where it fails, and the verdict
// says why.
func (e *evaluation) startBest(ctx context.Context) error {
	if e.req.Best == "" || e.req.Best == e.req.Kernel {
		return nil
	}
	a := e.reference.wake(e.req.Best, e.req.Dialect, e.shop.quietly(e.req.Limits.Compile))
	if a == nil {
		var why string
		var err error
		if a, why, err = e.form.another(ctx, e.req.Best); err != nil {
			return err
		}
		if a == nil {
			e.report.NoBaseline(best, why)
			return nil
		}
	}
	e.best = a
	e.started = append(e.started, a)
	return nil
}

// affordable is how many sets there may be: one for each sample of a turn and one to
// warm up on, as memory and the answers allow, and never none.
func (c *course) affordable(ctx context.Context) (int, error) {
	r := c.reference
	free, err := r.memory.free(ctx)
	if err != nil {
		return 0, err
	}
	outputs := total(r.about.Outputs) * int64(len(c.racers))
	sets := int(max(2, min(mostSets+1, free/memoryShare/max(1, total(r.about.Tensors())+outputs))))
	tensors := len(r.about.Tensors()) + len(r.about.State) + len(r.about.Outputs)
	for _, racer := range c.racers {
		if racer.answer != nil {
			sets = min(sets, racer.answer.capacity(tensors))
		}
	}
	return sets, nil
}

// lay makes the tensors. Where there is a single set, it serves to warm up as well.
func (c *course) lay(ctx context.Context) error {
	r := c.reference
	sets, err := c.affordable(ctx)
	if err != nil {
		return err
	}
	c.turn = max(1, sets-1)
	for range sets {
		inputs, err := r.memory.make(ctx, r.about.Tensors())
		if err != nil {
			return err
		}
		c.inputs = append(c.inputs, inputs)
	}
	for _, racer := range c.racers {
		if racer.answer == nil {
			continue
		}
		if err := c.equip(ctx, racer); err != nil {
			return err
		}
	}
	return nil
}

// equip makes the sets of an answer. Only the first one has the state, which then
// counts for all.
func (c *course) equip(ctx context.Context, r *racer) error {
	for i, inputs := range c.inputs {
		l := lot{inputs: inputs}
		var err error
		if l.outputs, err = c.reference.memory.make(ctx, c.reference.about.Outputs); err != nil {
			return err
		}
		r.lots = append(r.lots, l)
		if i > 0 {
			continue
		}
		if r.lots[0].state, err = c.reference.memory.make(ctx, c.reference.about.State); err != nil {
			return err
		}
		if err := r.lots[0].state.lay(ctx, c.reference.bench.state); err != nil {
			return err
		}
	}
	return nil
}

// close has the oracle give the course's memory back, and frees it.
func (c *course) close(ctx context.Context) error {
	if c == nil {
		return nil
	}
	err := error(nil)
	if len(c.inputs) > 0 && c.reference.process.Alive() {
		err = errors.Join(c.reference.lend(ctx, nil), c.compiled.home(ctx))
	}
	for _, r := range c.racers {
		for _, l := range r.lots {
			err = errors.Join(err, closeAll(l.state, l.outputs))
		}
	}
	return errors.Join(err, closeAll(c.inputs...))
}

// setPace finds by one sample of each racer how many samples a turn may have.
func (e *evaluation) setPace(ctx context.Context) error {
	c := e.course
	if _, err := c.draw(ctx, len(c.inputs)); err != nil {
		return err
	}
	for _, r := range c.running() {
		samples, fault, err := e.timed(ctx, r, 1)
		if err = e.stumble(r, fault, err); err != nil || e.report.Decided() {
			return err
		}
		if len(samples) > 0 {
			c.turn = max(1, min(c.turn, int(float64(roundTime.Microseconds())/max(samples[0], 1))))
		}
	}
	return nil
}

// running are the racers that have not failed.
func (c *course) running() []*racer {
	return slices.DeleteFunc(slices.Clone(c.racers), func(r *racer) bool { return r.out })
}

// draw puts new inputs into the first sets.
func (c *course) draw(ctx context.Context, count int) ([]trial, error) {
	list := make([]trial, count)
	for i := range list {
		list[i] = trial{seed: secret(), kind: oracle.Fresh, about: "in a timed call"}
		if err := c.reference.bench.draw(ctx, 1+i, list[i], c.inputs[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// timed has a racer take samples, one on each of the first sets.
func (e *evaluation) timed(ctx context.Context, r *racer, count int) ([]float64, *process.Fault, error) {
	began := time.Now()
	var result device.TimeResult
	var fault *process.Fault
	var err error
	limit := e.limit(r, count)
	switch {
	case r.name == report.CompileBasis:
		result, fault, err = timeReference(ctx, e.course.compiled.process, oracle.Timing{
			What: oracle.Compile, Samples: count, Set: r.first, L2: e.shop.cache(), Limit: limit})
	case r.answer == nil:
		result, fault, err = timeReference(ctx, e.reference.process, oracle.Timing{
			What: oracle.Eager, Samples: count, Set: r.first, L2: e.shop.cache(), Limit: limit})
	default:
		result, fault, err = r.answer.time(ctx, timing{samples: count, l2: e.shop.cache(), limit: limit})
	}
	if fault != nil || err != nil {
		return nil, fault, err
	}
	took := time.Since(began)
	if r.pace == 0 {
		r.pace = max(took, time.Microsecond)
	}
	r.clock = append(r.clock, microseconds(result.Wall)/float64(count))
	samples := make([]float64, len(result.Samples))
	for i, s := range result.Samples {
		samples[i] = microseconds(e.shop.corrected(s, result))
	}
	return samples, nil, nil
}

// limit is that of so many samples: little more than the limit of one call, once it
// is known how long a racer takes.
func (e *evaluation) limit(r *racer, count int) time.Duration {
	if r.pace == 0 {
		return e.req.Limits.Run * time.Duration(2*count+2)
	}
	return e.req.Limits.Run + r.pace*time.Duration(count+1)*paceSlack
}

// corrected is a sample without what the clock adds.
func (s *workshop) corrected(sample time.Duration, r device.TimeResult) time.Duration {
	if s.gpu == nil {
		return sample
	}
	return device.Corrected(sample, r)
}

// timeReference times the reference, each call on one of the oracle's sets in turn.
func timeReference(ctx context.Context, p *oracle.Process, t oracle.Timing) (device.TimeResult, *process.Fault, error) {
	timed, fault, err := p.Time(ctx, t)
	if timed.Refused != "" {
		fault = &process.Fault{Kind: oracle.FaultReference, Message: timed.Refused}
	}
	return device.TimeResult{Samples: timed.Samples, Wall: timed.Wall, Empty: timed.Empty, Null: timed.Null}, fault, err
}

// timeAlone has eager timed while there is no answer that could slow it down, and neither
// spare processes are started nor the device's peaks measured.
func (s *workshop) timeAlone(ctx context.Context, r *reference) error {
	_, _ = s.gpu.Peaks(ctx, func() {}) // an evaluation asks for the figures, and tells why there are none
	release := s.hold()
	defer release()
	return r.timeAlone(ctx, s.cache())
}

// timeAlone times eager, and finds what a call of it costs the host.
func (r *reference) timeAlone(ctx context.Context, cache int64) error {
	const samples = 9
	if err := r.bench.draw(ctx, 0, trials(0)[0], r.bench.inputs); err != nil {
		return err
	}
	result, fault, err := timeReference(ctx, r.process, oracle.Timing{What: oracle.Eager, Samples: samples, L2: cache, Limit: loadLimit})
	if err = r.trouble(fault, err); err != nil {
		return err
	}
	times := make([]float64, len(result.Samples))
	for i, s := range result.Samples {
		times[i] = microseconds(device.Corrected(s, result))
	}
	r.alone = stat.Median(times)
	slope, fault, err := clock.Batch(r.calls).Slope(ctx, maxBatch)
	r.overhead = max(0, slope-r.alone)
	return r.trouble(fault, err)
}

// stumble concludes from a fault in the measurement: of the new answer it is the
// verdict, of eager it is an error, and anybody else is left out from then on, which the
// verdict tells.
func (e *evaluation) stumble(r *racer, fault *process.Fault, err error) error {
	switch {
	case fault == nil || err != nil:
		return err
	case r.name == newest:
		e.ended(attempt{fault: fault})
	case r.name == report.EagerBasis:
		return e.reference.trouble(fault, nil)
	default:
		r.out = true
		e.report.NoBaseline(r.name, "while it was timed: "+fault.Sentence())
	}
	return nil
}
