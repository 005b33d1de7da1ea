package pytorch

import (
	"context"
	"fmt"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/stat"
	"example.com/hone/gpu/torch/candidate"
	"example.com/hone/gpu/torch/oracle"
)

const (
	timeBudget = 400 * time.Millisecond
	minRounds  = 3
	minSamples = 6
	maxSamples = 200
	halfWidth  = 0.01
	turn       = 3 // samples that answer and eager take at a time
)

// race is the samples of a measurement, in microseconds by turns.
type race struct {
	answer []float64
	eager  []float64
	clock  []float64 // of answer's turns by the judge's own clock, per call
}

// time measures the answer and PyTorch eager by turns.
func (e *evaluation) time(ctx context.Context) (string, error) {
	b, err := e.reference.bench(ctx)
	if err != nil {
		return "", err
	}
	defer b.close()
	rule := stat.Rule{HalfWidth: halfWidth, Min: minSamples, Max: maxSamples, Budget: e.budget}
	var r race
	began := time.Now()
	for round := 0; round < minRounds || !r.enough(rule, time.Since(began)); round++ {
		if err := e.round(ctx, b, &r); err != nil || e.report.Decided() {
			return "", err
		}
	}
	e.settleTimes(r)
	return fmt.Sprintf("%d samples", len(r.answer)), nil
}

func (r *race) enough(rule stat.Rule, spent time.Duration) bool {
	return rule.Done(r.answer, spent) && rule.Done(r.eager, spent)
}

// round draws new inputs, has the answer and eager take a turn on them, and checks
// what the answer's last timed call wrote.
func (e *evaluation) round(ctx context.Context, b *bench, r *race) error {
	t := trials(0)[0]
	t.about = "in a timed call"
	if err := b.settle(ctx, t); err != nil {
		return err
	}
	l, err := e.reference.lot()
	if err != nil {
		return err
	}
	defer l.close()
	l.lay(b, fillerNaN)
	fault, err := e.takeTurn(ctx, l, r)
	if err != nil {
		return err
	}
	a := attempt{fault: fault, filler: fillerNaN}
	if fault == nil {
		a.see(l, b)
	}
	if e.ended(a) {
		return nil
	}
	if diffs := b.compare(a.outputs); wrong(diffs) > 0 {
		e.conclude(t, a, diffs)
		return nil
	}
	return e.timeEager(ctx, r)
}

func (e *evaluation) takeTurn(ctx context.Context, l lot, r *race) (*process.Fault, error) {
	if fault, err := e.process.Map(ctx, l.lent()); fault != nil || err != nil {
		return fault, err
	}
	began := time.Now()
	result, fault, err := e.process.Time(ctx, candidate.Timing{
		Method: device.Warm, Samples: turn, Limit: e.req.Limits.Run * (turn + 1),
	})
	if fault != nil || err != nil {
		return fault, err
	}
	r.clock = append(r.clock, microseconds(time.Since(began))/turn)
	for _, s := range result.Samples {
		r.answer = append(r.answer, microseconds(s))
	}
	return nil, nil
}

func (e *evaluation) timeEager(ctx context.Context, r *race) error {
	timed, fault, err := e.reference.process.Time(ctx, oracle.Timing{What: oracle.Eager, Samples: turn, Limit: e.req.Limits.Run * turn})
	if err = e.reference.trouble(fault, err); err != nil {
		return err
	}
	for _, s := range timed.Samples {
		r.eager = append(r.eager, microseconds(s))
	}
	return nil
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// settleTimes writes the figures into the verdict, and holds the answer's, which are
// claims, against the judge's own clock.
func (e *evaluation) settleTimes(r race) {
	v := &e.report.Verdict
	own, eager := timing(r.answer), timing(r.eager)
	v.Timing, v.Baselines[report.EagerBasis] = &own, eager
	v.Speedup[report.EagerBasis] = eager.MedianUS / own.MedianUS
	clock := stat.Median(r.clock)
	own.HostSlopeUS = &clock
	const (
		overheadUS = 3000 // of a turn's messages, checks and copies, by call
		gap        = 5
	)
	if clock > gap*own.MedianUS+overheadUS {
		e.report.Suspect(fmt.Sprintf("a call takes %.4g us by the answer's clock, and %.4g us by the judge's", own.MedianUS, clock))
	}
}

func timing(samples []float64) gpu.Timing {
	t := gpu.Timing{
		Device: Device, Emulated: true, Method: "host", MedianUS: stat.Median(samples), Samples: len(samples),
	}
	if i, ok := stat.MedianInterval(samples); ok {
		t.CI95US = &[2]float64{i.Low, i.High}
	}
	return t
}
