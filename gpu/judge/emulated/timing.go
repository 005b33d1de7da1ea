package emulated

import (
	"context"
	"fmt"
	"slices"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/stat"
	"example.com/hone/gpu/worker"
)

const (
	batchTime  = 2 * time.Millisecond // a sample is at least that long, so that sending it weighs little
	maxRepeat  = 10_000
	timeBudget = 250 * time.Millisecond
	minSamples = 6 // the fewest that have an interval
	maxSamples = 200
	halfWidth  = 0.01

	candidate = report.Candidate
	best      = report.Best
)

// racer is one program in the measurement.
type racer struct {
	name    string
	desk    *desk
	repeat  int
	samples []float64 // microseconds per run, measured in batches
	singles []float64 // microseconds of one run on inputs not seen before
	claims  []float64 // the worker's own figure, as a part of the judge's
	out     bool      // it failed while it was timed, and takes no more turns
}

// running are the racers that still take turns, the candidate first.
func running(racers []*racer) []*racer {
	return slices.DeleteFunc(slices.Clone(racers), func(r *racer) bool { return r.out })
}

// time measures candidate, reference and the best kernel so far in turns.
func (e *evaluation) time(ctx context.Context) (string, error) {
	racers, err := e.line(ctx)
	defer func() {
		for _, r := range racers {
			r.desk.close()
		}
	}()
	if err != nil || e.report.Decided() {
		return "", err
	}
	for _, t := range e.deck.timed {
		e.report.Seed(t.seed)
	}
	rule := stat.Rule{HalfWidth: halfWidth, Min: minSamples, Max: maxSamples, Budget: e.budget}
	began := time.Now()
	for round := 0; !enough(rule, racers, time.Since(began)); round++ {
		if err := e.round(ctx, racers, round); err != nil || e.report.Decided() {
			return "", err
		}
	}
	e.record(running(racers))
	e.doubt(racers[0])
	return fmt.Sprintf("%d samples", len(racers[0].samples)), nil
}

// line puts the racers on the line, the candidate first. The best kernel so far
// is left out where it does not run here, and the verdict says why.
func (e *evaluation) line(ctx context.Context) ([]*racer, error) {
	var err error
	if e.best, err = e.startBest(ctx); err != nil {
		return nil, err
	}
	programs := map[string]*program{candidate: e.plain, report.ScoreBasis: e.deck.oracle.baseline, best: e.best}
	var racers []*racer
	for _, name := range []string{candidate, report.ScoreBasis, best} {
		if programs[name] == nil {
			continue
		}
		r, fault, err := enter(ctx, name, programs[name], e.deck.timed[0])
		if err != nil {
			return racers, err
		}
		switch {
		case fault == nil:
			racers = append(racers, r)
		case name == best:
			e.report.NoBaseline(best, fault.Sentence())
		default:
			return racers, e.stumble(&racer{name: name}, *fault)
		}
	}
	return racers, nil
}

// startBest starts the best kernel so far, nil when there is none or it fails.
func (e *evaluation) startBest(ctx context.Context) (*program, error) {
	if e.req.Best == "" {
		return nil, nil
	}
	artifact, err := e.build(ctx, e.req.Best)
	if err != nil {
		return nil, err
	}
	if !artifact.OK() {
		e.report.NoBaseline(best, "it does not compile: "+report.FirstError(artifact.Diagnostics))
		return nil, nil
	}
	p, fault, err := e.start(ctx, artifact.Plain, 0)
	if fault != nil {
		e.report.NoBaseline(best, fault.Sentence())
	}
	return p, err
}

// enter gives a program its desk, warms it up and finds how many runs make a sample.
func enter(ctx context.Context, name string, p *program, t trial) (*racer, *worker.Fault, error) {
	d, fault, err := p.open(ctx, t.size)
	if fault != nil || err != nil {
		return nil, fault, err
	}
	r := &racer{name: name, desk: d, repeat: 1}
	r.lay(t)
	elapsed := time.Duration(0)
	for range 2 {
		if _, elapsed, fault, err = d.call(ctx, worker.ScheduleForward, 1, 0); fault != nil || err != nil {
			d.close()
			return nil, fault, err
		}
	}
	r.repeat = int(min(maxRepeat, batchTime/max(elapsed, 1)+1))
	return r, nil, nil
}

func (r *racer) lay(t trial) {
	inputs := make([]check.Values, len(t.inputs))
	for i, v := range t.inputs {
		inputs[i] = v.As(r.desk.program.signature.Inputs[i].DType)
	}
	r.desk.lay(inputs, fillerNaN)
}

// enough asks the rule for every racer.
func enough(rule stat.Rule, racers []*racer, spent time.Duration) bool {
	return !slices.ContainsFunc(running(racers), func(r *racer) bool { return !rule.Done(r.samples, spent) })
}

// round takes one sample of each racer, every other round in reverse order, so
// that a machine that gets slower or faster treats all alike.
func (e *evaluation) round(ctx context.Context, racers []*racer, round int) error {
	turn := running(racers)
	if round%2 == 1 {
		slices.Reverse(turn)
	}
	t := e.deck.timed[round%len(e.deck.timed)]
	for _, r := range turn {
		fault, err := r.sample(ctx, t)
		if err != nil {
			return err
		}
		if fault != nil {
			if err := e.stumble(r, *fault); err != nil || e.report.Decided() {
				return err
			}
			continue
		}
		if r.name == candidate && e.wrongWhenTimed(r.desk, t) {
			return nil
		}
	}
	return nil
}

// sample measures one batch of runs, and before it a single one on inputs that
// the racer has not seen: work skipped in a batch shows in the gap between them.
func (r *racer) sample(ctx context.Context, t trial) (*worker.Fault, error) {
	r.lay(t)
	if r.repeat > 1 {
		_, elapsed, fault, err := r.desk.call(ctx, worker.ScheduleForward, 1, 0)
		if fault != nil || err != nil {
			return fault, err
		}
		r.singles = append(r.singles, microseconds(elapsed))
		r.lay(t)
	}
	result, elapsed, fault, err := r.desk.call(ctx, worker.ScheduleForward, r.repeat, 0)
	if fault != nil || err != nil {
		return fault, err
	}
	r.samples = append(r.samples, microseconds(elapsed)/float64(r.repeat))
	r.claims = append(r.claims, float64(result.Wall)/float64(elapsed))
	return nil, nil
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// wrongWhenTimed checks the outputs of a timed batch as any others.
func (e *evaluation) wrongWhenTimed(d *desk, t trial) bool {
	a := attempt{outputs: d.take(), damage: d.damage(), tampered: d.tampered(), filler: fillerNaN}
	if e.failed(a) {
		return true
	}
	if !wrong(t.compare(a, e.req.Task.Tolerance)) {
		return false
	}
	t.about = "in a timed call"
	e.count(t, []attempt{a})
	e.concludeCheck()
	return true
}

// stumble concludes from a fault of a racer.
func (e *evaluation) stumble(r *racer, fault worker.Fault) (err error) {
	r.out, err = e.report.Stumbled(r.name, fault)
	return err
}

// record writes the figures into the verdict.
func (e *evaluation) record(racers []*racer) {
	timings := make(map[string]gpu.Timing, len(racers))
	for _, r := range racers {
		timings[r.name] = r.timing()
	}
	own := timings[candidate]
	e.report.Verdict.Timing = &own
	for _, r := range racers[1:] {
		e.report.Verdict.Baselines[r.name] = timings[r.name]
		if ratio, ok := stat.Compare(r.samples, racers[0].samples); ok {
			e.report.Verdict.Speedup[r.name] = ratio.Value
		}
	}
}

func (r *racer) timing() gpu.Timing {
	t := gpu.Timing{
		Device: Device, Emulated: true, Method: "host", MedianUS: stat.Median(r.samples), Samples: len(r.samples),
	}
	if i, ok := stat.MedianInterval(r.samples); ok {
		t.CI95US = &[2]float64{i.Low, i.High}
	}
	return t
}

// doubt concludes that figures contradict each other: a worker that claims more
// time than passed or a small part of it, or runs in a batch that are far
// quicker than single ones. Delays of a busy machine only ever add time, so the
// quickest of several single runs and the largest claim are held against the
// batches.
func (e *evaluation) doubt(r *racer) {
	const (
		overhead = 300 // microseconds that a call may take beside its runs
		gap      = 5
	)
	median, claim := stat.Median(r.samples), slices.Max(r.claims)
	several := len(r.samples) >= minSamples
	why := ""
	switch {
	case claim > 1:
		why = "the worker reports more time than passed"
	case several && claim < 1.0/gap && (1-claim)*median*float64(r.repeat) > overhead:
		why = fmt.Sprintf("the worker reports %.0f%% of the time that passed", 100*claim)
	case several && len(r.singles) > 0 && slices.Min(r.singles) > gap*median+overhead:
		why = fmt.Sprintf("a run takes %.1f us in a batch, but %.1f us on its own", median, slices.Min(r.singles))
	default:
		return
	}
	e.report.Suspect(why)
}
