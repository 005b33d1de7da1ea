package pytorch

import (
	"context"
	"errors"
	"maps"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/judge/report"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/roofline"
	"example.com/hone/gpu/torch/candidate"
)

// evaluation is one answer on its way through the stages. The first stage that
// draws a conclusion ends it.
type evaluation struct {
	owner  *Evaluator
	shop   *workshop
	budget time.Duration
	req    gpu.Request
	report *report.Report

	form        form
	reference   *reference
	own         answer   // nil until it runs
	best        answer   // the best one so far, while it is timed
	started     []answer // all of them, to be closed
	course      *course
	peaks       roofline.Peaks // of the GPU, known before anything is timed
	trials      []trial
	tally       check.Tally
	native      bool              // some outputs were held against the reference in the task's own types
	unwatched   bool              // with every access watched, it took too long: that is not tried again
	environment map[string]string // what the verdict says beside what holds for every answer
}

func newEvaluation(v *Evaluator, req gpu.Request, observe func(gpu.Event)) *evaluation {
	e := &evaluation{
		owner: v, shop: v.shop, budget: v.budget, req: req, report: report.New(req, observe), environment: map[string]string{},
	}
	e.report.Verdict.ScoreBasis = report.EagerBasis
	e.form = e.formOf(req.Dialect)
	return e
}

// formOf is the form of the answers in a dialect.
func (e *evaluation) formOf(dialect gpu.Dialect) form {
	switch {
	case dialect != gpu.CUDA:
		return &python{evaluation: e}
	case e.shop.gpu != nil:
		return &onGPU{evaluation: e}
	}
	return &onCPU{evaluation: e}
}

func (e *evaluation) run(ctx context.Context) (gpu.Verdict, error) {
	return e.report.Judge(ctx, map[gpu.Stage]report.Stage{
		gpu.StageRules:   e.form.rules,
		gpu.StageCompile: e.form.compile,
		gpu.StageRun:     e.firstRun,
		gpu.StageCheck:   e.check,
		gpu.StageTime:    e.time,
	}, func() map[string]string {
		environment := e.shop.environment()
		maps.Copy(environment, e.environment)
		return environment
	})
}

// rules judges an answer's text where no syntax tree is read.
func (e *evaluation) rules(context.Context) (string, error) {
	e.report.Rules(e.req.Kernel)
	return "", nil
}

// start has an answer be the one that is judged.
func (e *evaluation) start(a answer) {
	e.own = a
	e.started = append(e.started, a)
}

// close ends the processes of answers that are not to rest, removes their files, gives
// back what a measurement held, and sees that the device still works.
func (e *evaluation) close(ctx context.Context) error {
	err := errors.Join(closeAnswers(e.rest(ctx)), e.course.close(ctx))
	if e.shop.gpu != nil {
		err = errors.Join(err, e.shop.gpu.Probe(ctx))
	}
	return err
}

// failed concludes from a fault.
func (e *evaluation) failed(fault process.Fault) {
	switch {
	case fault.Kind != candidate.FaultUnsupported:
		e.report.Failed(fault)
	case e.shop.gpu == nil:
		e.report.Unsupported(fault.Message, fault.Line)
	default:
		e.report.CannotRun(fault.Message, fault.Line)
	}
}
