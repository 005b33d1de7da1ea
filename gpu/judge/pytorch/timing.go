package pytorch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/gpu/stat"
)

const (
	timeBudget = 400 * time.Millisecond
	minSamples = 6
	maxSamples = 200
	halfWidth  = 0.01
)

// time measures the answer, PyTorch eager and the best answer so far by turns.
func (e *evaluation) time(ctx context.Context) (string, error) {
	if err := e.calibrate(ctx); err != nil {
		return "", err
	}
	release := e.shop.hold()
	defer release()
	resume, err := e.reference.compiled.rest(ctx)
	if err != nil {
		return "", err
	}
	defer resume()
	if err := e.line(ctx); err != nil || e.report.Decided() {
		return "", err
	}
	if e.shop.gpu == nil {
		if err := e.race(ctx); err != nil || e.report.Decided() {
			return "", err
		}
		return e.settleTimes(ctx, nil)
	}
	watch := e.shop.gpu.Watch(ctx)
	defer watch.End()
	if err := e.race(ctx); err != nil || e.report.Decided() {
		return "", err
	}
	return e.settleTimes(ctx, watch.End())
}

// calibrate waits for the device's peaks: measuring them would disturb what follows.
func (e *evaluation) calibrate(ctx context.Context) (err error) {
	if e.shop.gpu != nil {
		e.peaks, err = e.shop.gpu.Peaks(ctx, func() { e.report.Step("measuring the peaks of this device, once") })
	}
	return err
}

// race takes rounds until the rule is content.
func (e *evaluation) race(ctx context.Context) error {
	rule := stat.Rule{HalfWidth: halfWidth, Min: minSamples, Max: maxSamples, Budget: e.budget}
	began := time.Now()
	for number := 0; number < minRounds || !e.course.enough(rule, time.Since(began)); number++ {
		if err := e.round(ctx, number); err != nil || e.report.Decided() {
			return err
		}
	}
	return nil
}

// enough asks the rule for every racer.
func (c *course) enough(rule stat.Rule, spent time.Duration) bool {
	return !slices.ContainsFunc(c.running(), func(r *racer) bool { return !rule.Done(r.samples, spent) })
}

// round draws new inputs and gives every racer a turn on them, every other round in
// reverse order, so that a machine that gets slower or faster treats all alike. One
// set, chosen in secret, is then checked: nothing that an answer could have kept from
// earlier calls helps it, and it cannot know which calls matter.
func (e *evaluation) round(ctx context.Context, number int) error {
	c := e.course
	trials, err := c.draw(ctx, c.turn)
	if err != nil {
		return err
	}
	turn := c.running()
	if number%2 == 1 {
		slices.Reverse(turn)
	}
	for _, r := range turn {
		if err := e.takeTurn(ctx, r); err != nil || e.report.Decided() {
			return err
		}
	}
	chosen := int(secret() % uint64(c.turn))
	return e.inspect(ctx, trials[chosen], c.racers[0].lots[chosen])
}

// takeTurn is as many samples of a racer as sets are in use.
func (e *evaluation) takeTurn(ctx context.Context, r *racer) error {
	if r.answer != nil {
		for _, l := range r.lots[:e.course.turn] {
			if err := l.outputs.fill(ctx, fillerNaN); err != nil {
				return err
			}
		}
	}
	samples, fault, err := e.timed(ctx, r, e.course.turn)
	r.samples = append(r.samples, samples...)
	return e.stumble(r, fault, err)
}

// inspect checks the outputs of a timed call as any others.
func (e *evaluation) inspect(ctx context.Context, t trial, l lot) (err error) {
	b := e.reference.bench
	if err := e.settle(ctx, t); err != nil {
		return err
	}
	l.state = e.course.racers[0].lots[0].state
	a := attempt{filler: fillerNaN}
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.see(ctx, l, b); err != nil || e.ended(a) || check.Wrong(a.sums) == 0 {
		return err
	}
	return e.conclude(ctx, t, a, false)
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// settleTimes writes the figures into the verdict, and holds the answer's, which are
// claims, against the judge's own clock and against what the device can do.
func (e *evaluation) settleTimes(ctx context.Context, seen []cuda.Reading) (string, error) {
	v := &e.report.Verdict
	racers := e.course.running()
	own := e.timing(racers[0], seen)
	v.Timing = &own
	for _, r := range racers[1:] {
		v.Baselines[r.name] = e.timing(r, seen)
	}
	if e.report.Timeless(racers[0].samples) {
		return "", nil
	}
	for name, baseline := range v.Baselines {
		v.Speedup[name] = baseline.MedianUS / own.MedianUS
	}
	if e.shop.gpu == nil {
		return fmt.Sprintf("%d samples", own.Samples), e.holdAgainstTurns(ctx, racers[0])
	}
	return e.holdAgainstDevice(ctx)
}

func (e *evaluation) timing(r *racer, seen []cuda.Reading) gpu.Timing {
	t := gpu.Timing{MedianUS: stat.Median(r.samples), Samples: len(r.samples)}
	if e.shop.gpu == nil {
		t.Device, t.Emulated, t.Method = Device, true, "host"
	} else {
		t.Device, t.Method = e.shop.gpu.Facts.Name, "cold"
		platform.Conditions(&t, seen)
	}
	if i, ok := stat.MedianInterval(r.samples); ok {
		t.CI95US = &[2]float64{i.Low, i.High}
	}
	return t
}
