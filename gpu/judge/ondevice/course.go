package ondevice

import (
	"context"
	"errors"
	"slices"
	"time"

	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/stat"
	"example.com/hone/gpu/tensor"
)

// course is the tensors that a measurement runs on, and who runs on them.
type course struct {
	oracle *oracle
	racers []*racer
	inputs [][]*tensor.Tensor // by set; all racers read the same
	turn   int                // samples that a racer takes at a time, each on a set of its own
}

// line puts the racers on the line, the candidate first. The best kernel so far
// is left out where it does not run here, and the verdict says why.
func (e *evaluation) line(ctx context.Context) (c *course, err error) {
	c = &course{oracle: e.oracle}
	if err := e.startBest(ctx); err != nil {
		return c, err
	}
	c.racers = []*racer{{name: candidate, program: e.kernel}, {name: report.ScoreBasis, program: e.oracle.baseline}}
	if e.best != nil {
		c.racers = append(c.racers, &racer{name: best, program: e.best})
	}
	if err := c.lay(ctx); err != nil {
		return c, err
	}
	exports := e.shop.exports()
	defer func() { err = errors.Join(err, exports.close()) }()
	for i := len(c.racers) - 1; i >= 0; i-- {
		fault, err := c.enter(ctx, c.racers[i], exports)
		switch {
		case err != nil:
			return c, err
		case fault != nil && c.racers[i].name == best:
			e.report.NoBaseline(best, fault.Sentence())
			if err := c.leaveOut(ctx, i); err != nil {
				return c, err
			}
		case fault != nil:
			return c, e.stumble(c.racers[i], *fault)
		}
	}
	return c, c.pace(ctx, e)
}

// running are the racers that still take turns, the candidate first.
func (c *course) running() []*racer {
	return slices.DeleteFunc(slices.Clone(c.racers), func(r *racer) bool { return r.out })
}

// leaveOut takes the last racer, of that number, out of the measurement.
func (c *course) leaveOut(ctx context.Context, last int) error {
	r := c.racers[last]
	c.racers = c.racers[:last]
	var outputs []*tensor.Tensor
	for _, s := range r.sets {
		outputs = append(outputs, s.outputs...)
	}
	return c.oracle.shop.lab.Free(ctx, outputs...)
}

// startBest starts the best kernel so far; there is none where it fails.
func (e *evaluation) startBest(ctx context.Context) error {
	if e.req.Best == "" {
		return nil
	}
	b, err := e.shop.candidate(ctx, e.req, e.req.Best, func(string) {})
	if err != nil {
		return err
	}
	if !b.OK() {
		e.report.NoBaseline(best, b.Trouble())
		return nil
	}
	var fault *process.Fault
	if e.best, fault, err = e.shop.start(ctx, b.DeviceArtifact, e.req.Limits.Memory, e.req.Limits.Run); fault != nil {
		e.report.NoBaseline(best, fault.Sentence())
	}
	return err
}

// lay makes the tensors: as many sets as memory allows, and one more to warm up.
func (c *course) lay(ctx context.Context) error {
	sets, err := c.affordable(ctx)
	if err != nil {
		return err
	}
	shop, sig := c.oracle.shop, c.oracle.task.Signature
	for range sets + 1 {
		var inputs []*tensor.Tensor
		for i, r := range c.racers {
			own := sig
			if i > 0 {
				own.Inputs = nil
			}
			s, err := shop.set(ctx, own, c.oracle.size, sameType)
			if err != nil {
				return err
			}
			if i == 0 {
				inputs = s.inputs
				c.inputs = append(c.inputs, inputs)
			}
			s.inputs = inputs
			r.sets = append(r.sets, s)
		}
	}
	c.turn = sets
	return nil
}

// affordable is the number of sets, without the one for warming up.
func (c *course) affordable(ctx context.Context) (int, error) {
	bytes, tensors := int64(0), len(c.oracle.native.all())
	for i, t := range c.oracle.native.all() {
		n := t.Bytes()
		if i >= len(c.oracle.native.inputs) {
			n *= int64(len(c.racers))
		}
		bytes += n
	}
	free, err := c.oracle.shop.gpu.Free(ctx)
	if err != nil {
		return 0, err
	}
	fit := free/memoryShare/max(bytes, 1) - 1
	// Beside the sets there is one to warm up, and the reference keeps its own.
	return int(max(1, min(mostSets, fit, int64(device.MaxBuffers/tensors-2)))), nil
}

// enter lends the tensors to a racer and lays guards around what it may write.
func (c *course) enter(ctx context.Context, r *racer, exports *exports) (*process.Fault, error) {
	for _, s := range r.sets {
		for _, t := range s.all() {
			if err := errors.Join(c.oracle.shop.lab.Guard(ctx, t), c.oracle.shop.lab.Send(ctx, t)); err != nil {
				return nil, err
			}
		}
	}
	dims, err := dimensions(c.oracle.task.Signature, c.oracle.size)
	if err != nil {
		return nil, err
	}
	sets := r.sets
	if r.program == c.oracle.baseline {
		sets = append([]set{c.oracle.native}, sets...)
		r.first, c.oracle.away = 1, true
	}
	return r.program.lend(ctx, dims, exports, sets...)
}

// pace finds how many samples a turn may have, by one sample of each racer.
func (c *course) pace(ctx context.Context, e *evaluation) error {
	if _, err := c.draw(ctx); err != nil {
		return err
	}
	for _, r := range c.racers {
		result, fault, err := r.time(ctx, c, device.Cold, 1)
		if err != nil {
			return err
		}
		if fault != nil {
			if err := e.stumble(r, *fault); err != nil || e.report.Decided() {
				return err
			}
			continue
		}
		r.pace = max(result.Wall, 1)
		c.turn = max(1, min(c.turn, int(roundTime/max(result.Samples[0], 1))))
	}
	return nil
}

// draw puts new inputs into every set, those for warming up included.
func (c *course) draw(ctx context.Context) ([]trial, error) {
	trials := make([]trial, len(c.inputs))
	for i, inputs := range c.inputs {
		trials[i] = fresh(c.oracle.size)
		if err := c.oracle.draw(ctx, trials[i], inputs); err != nil {
			return nil, err
		}
		for _, in := range inputs {
			if err := c.oracle.shop.lab.Send(ctx, in); err != nil {
				return nil, err
			}
		}
	}
	return trials, nil
}

// enough asks the rule for every racer.
func (c *course) enough(rule stat.Rule, spent time.Duration) bool {
	return !slices.ContainsFunc(c.running(), func(r *racer) bool { return !rule.Done(r.samples, spent) })
}

// close frees the tensors. It may be called on a nil course.
func (c *course) close() error {
	if c == nil {
		return nil
	}
	var all []*tensor.Tensor
	for _, inputs := range c.inputs {
		all = append(all, inputs...)
	}
	for _, r := range c.racers {
		for _, s := range r.sets {
			all = append(all, s.outputs...)
		}
	}
	return c.oracle.shop.lab.Free(context.Background(), all...)
}
