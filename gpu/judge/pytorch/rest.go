package pytorch

import (
	"context"
	"errors"
	"slices"

	"example.com/hone/gpu"
	"example.com/hone/gpu/torch"
	"example.com/hone/gpu/torch/candidate"
)

// rested is an answer that was judged right and may be the best one beside the next:
// to load it again would take seconds. It is stopped, so that it disturbs nothing, and
// holds no memory of a measurement.
type rested struct {
	text    string
	dialect gpu.Dialect
	answer  *pythonAnswer
}

// rest keeps the answers of an evaluation that may be the best one next, and lists the
// others, which are to be closed. At most two rest: the one that was judged, and the best
// one before it, each once and alive. One that was refused before it needed the reference
// changes nothing.
func (e *evaluation) rest(ctx context.Context) (leaving []answer) {
	if e.reference == nil {
		return nil
	}
	var staying []rested
	for _, a := range e.started {
		if r, ok := e.mayRest(ctx, a); ok && r.lieDown(ctx, e.reference) == nil {
			staying = append(staying, r)
			continue
		}
		leaving = append(leaving, a)
	}
	for _, r := range e.reference.resting {
		again := slices.ContainsFunc(staying, r.same)
		if r.text == e.req.Best && r.dialect == e.req.Dialect && r.answer.process.Alive() && !again {
			staying = append(staying, r)
			continue
		}
		r.answer.process.Resume()
		leaving = append(leaving, r.answer)
	}
	e.reference.resting = staying
	return leaving
}

// same reports whether another one is the same answer.
func (r rested) same(other rested) bool { return r.text == other.text && r.dialect == other.dialect }

// mayRest reports whether an answer is to be kept: the one that was judged, where it is
// right, and the best one before it, while the device has memory to spare.
func (e *evaluation) mayRest(ctx context.Context, a answer) (rested, bool) {
	own, ok := a.(*pythonAnswer)
	if !ok || !own.process.Alive() || !e.shop.roomy(ctx) {
		return rested{}, false
	}
	r := rested{text: e.req.Kernel, dialect: e.req.Dialect, answer: own}
	if a == e.best {
		r.text = e.req.Best
		return r, true
	}
	return r, a == e.own && e.report.Verdict.Outcome == gpu.OutcomeCorrect
}

// roomy reports whether half of the device's memory is free.
func (s *workshop) roomy(ctx context.Context) bool {
	if s.gpu == nil {
		return true
	}
	free, err := s.gpu.Free(ctx)
	return err == nil && free >= int64(s.gpu.Facts.Memory)/2
}

// lieDown takes the tensors of the last measurement away, one element each in their
// place, and stops the process.
func (r rested) lieDown(ctx context.Context, beside *reference) (err error) {
	about := beside.about
	var l lot
	for _, part := range []struct {
		into  *tensors
		about []torch.Tensor
	}{{&l.inputs, about.Tensors()}, {&l.state, about.State}, {&l.outputs, about.Outputs}} {
		if *part.into, err = beside.memory.make(ctx, scalars(part.about)); err != nil {
			return errors.Join(err, l.close())
		}
	}
	fault, err := r.answer.hand(ctx, l)
	if err = errors.Join(err, l.close()); err == nil && fault != nil {
		err = errors.New(fault.Sentence())
	}
	if err == nil {
		r.answer.process.Pause()
	}
	return err
}

// scalars are tensors of one element in the place of others.
func scalars(about []torch.Tensor) []torch.Tensor {
	list := slices.Clone(about)
	for i := range list {
		list[i].Shape = nil
	}
	return list
}

// wake has a rested answer run again, nil where it is not among them. What it builds from
// now on concerns the evaluation that wakes it: the one that loaded it is over.
func (r *reference) wake(text string, dialect gpu.Dialect, build candidate.Build) answer {
	at := slices.IndexFunc(r.resting, func(x rested) bool {
		return x.text == text && x.dialect == dialect && x.answer.process.Alive()
	})
	if at < 0 {
		return nil
	}
	a := r.resting[at].answer
	r.resting = slices.Delete(r.resting, at, at+1)
	a.process.Serve(build)
	a.process.Resume()
	return a
}

// endRest ends the answers that rest.
func (r *reference) endRest() error {
	var errs []error
	for _, x := range r.resting {
		x.answer.process.Resume()
		errs = append(errs, x.answer.close())
	}
	r.resting = nil
	return errors.Join(errs...)
}
