package ondevice

import (
	"context"
	"errors"
	"slices"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/stat"
)

const (
	timeBudget = 250 * time.Millisecond // for the scored measurement
	roundTime  = 20 * time.Millisecond  // a racer's turn is no longer, unless one call is
	minRounds  = 4
	minSamples = 12
	maxSamples = 400
	halfWidth  = 0.005

	mostSets    = 8 // of tensors, visited in turn
	memoryShare = 3 // a third of the free memory is used for them

	paceSlack = 10 // how much slower than its first sample a call may be later
	candidate = report.Candidate
	best      = report.Best
)

// racer is one program in the measurement. Set i has the inputs of every other
// racer's set i; the last set is for warming up alone.
type racer struct {
	name    string
	program *program
	sets    []set
	first   int           // number of the first set in the process
	pace    time.Duration // of its first sample, flushing included
	samples []float64     // microseconds, corrected for what the events add
	out     bool          // it failed while it was timed, and takes no more turns
}

// time measures candidate, reference and the best kernel so far in turns.
func (e *evaluation) time(ctx context.Context) (detail string, err error) {
	if e.noPeaks != nil {
		return "", e.noPeaks
	}
	if err := e.oracle.lay(ctx, e.size); err != nil { // acceptance has left another size
		return "", err
	}
	course, err := e.line(ctx)
	defer func() { err = errors.Join(err, course.close()) }()
	if err != nil || e.report.Decided() {
		return "", err
	}
	watch := e.shop.gpu.Watch(ctx)
	defer watch.End()
	if err := e.race(ctx, course); err != nil || e.report.Decided() {
		return "", err
	}
	seen := watch.End()
	if err := e.record(ctx, course, seen); err != nil || e.report.Decided() {
		return "", err
	}
	return e.conclude()
}

// race takes rounds until the rule is content.
func (e *evaluation) race(ctx context.Context, c *course) error {
	rule := stat.Rule{HalfWidth: halfWidth, Min: minSamples, Max: maxSamples, Budget: e.budget}
	began := time.Now()
	for number := 0; number < minRounds || !c.enough(rule, time.Since(began)); number++ {
		if err := e.round(ctx, c, number); err != nil || e.report.Decided() {
			return err
		}
	}
	return nil
}

// round draws new inputs and gives every racer a turn on them, every other round
// in reverse order, so that a device that gets slower or faster treats all alike.
// One set, chosen in secret, is then checked: nothing that a candidate could have
// kept from earlier calls helps it, and it cannot know which calls matter.
func (e *evaluation) round(ctx context.Context, c *course, number int) error {
	trials, err := c.draw(ctx)
	if err != nil {
		return err
	}
	turn := c.running()
	if number%2 == 1 {
		slices.Reverse(turn)
	}
	for _, r := range turn {
		fault, err := r.take(ctx, c)
		if err != nil {
			return err
		}
		if fault != nil {
			if err := e.stumble(r, *fault); err != nil || e.report.Decided() {
				return err
			}
		}
	}
	chosen := int(secret() % uint64(c.turn))
	return e.inspect(ctx, trials[chosen], c.racers[0].sets[chosen])
}

// take is one turn: as many samples as the course has sets in use.
func (r *racer) take(ctx context.Context, c *course) (*process.Fault, error) {
	lab := c.oracle.shop.lab
	for _, s := range r.sets[:c.turn] {
		for _, out := range s.outputs {
			if err := errors.Join(lab.Fill(ctx, out, fillerNaN), lab.Send(ctx, out)); err != nil {
				return nil, err
			}
		}
	}
	result, fault, err := r.time(ctx, c, device.Cold, c.turn)
	if fault != nil || err != nil {
		return fault, err
	}
	for _, s := range result.Samples {
		r.samples = append(r.samples, microseconds(device.Corrected(s, result)))
	}
	return nil, nil
}

func (r *racer) time(ctx context.Context, c *course, method device.Method, samples int) (device.TimeResult, *process.Fault, error) {
	return r.program.process.Time(ctx, device.Timing{
		Method: method, Samples: samples, Warmup: 1, First: r.first, L2: int64(c.oracle.shop.gpu.Facts.L2),
		Dims: r.program.dims, Limit: r.limit(samples),
	})
}

// limit is that of so many samples and a call to warm up: little more than the
// limit of one run, once it is known how long a call takes.
func (r *racer) limit(samples int) time.Duration {
	if r.pace == 0 {
		return r.program.limit * time.Duration(samples+1)
	}
	return r.program.limit + r.pace*time.Duration(samples+1)*paceSlack
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// inspect checks the outputs of a timed call as any others.
func (e *evaluation) inspect(ctx context.Context, t trial, s set) (err error) {
	if err := e.oracle.settle(ctx, t); err != nil {
		return err
	}
	a := attempt{set: s, filler: fillerNaN}
	defer func() {
		a.set = set{} // the tensors of the course live on
		err = errors.Join(err, e.oracle.free(a))
	}()
	if err := e.oracle.judge(ctx, &a); err != nil || e.failed(a) {
		return err
	}
	if check.Wrong(a.sums) == 0 {
		return nil
	}
	diffs, err := e.oracle.fetch(ctx, a)
	if err != nil {
		return err
	}
	t.about = "in a timed call"
	e.mismatch(t, a, diffs, false)
	return nil
}

// stumble concludes from a fault of a racer.
func (e *evaluation) stumble(r *racer, fault process.Fault) (err error) {
	r.out, err = e.report.Stumbled(r.name, fault)
	return err
}

// record writes the figures into the verdict.
func (e *evaluation) record(ctx context.Context, c *course, seen []cuda.Reading) error {
	v := &e.report.Verdict
	racers := c.running()
	timings := make(map[string]gpu.Timing, len(racers))
	for _, r := range racers {
		t := e.timing("cold", r.samples)
		platform.Conditions(&t, seen)
		timings[r.name] = t
	}
	own := timings[candidate]
	v.Timing = &own
	for _, r := range racers[1:] {
		v.Baselines[r.name] = timings[r.name]
	}
	if e.report.Timeless(racers[0].samples) {
		return nil
	}
	for _, r := range racers[1:] {
		if ratio, ok := stat.Compare(r.samples, racers[0].samples); ok {
			v.Speedup[r.name] = ratio.Value
		}
	}
	return e.otherMethods(ctx, c)
}
