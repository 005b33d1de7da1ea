package pytorch

import (
	"context"
	"errors"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/process"
)

// answer is an answer that runs: it is loaded in a process of its own.
type answer interface {
	// hand lends lots, inputs and state to be read. They take the place of those lent
	// before. A lot without state has that of the one before it.
	hand(ctx context.Context, lots ...lot) (*process.Fault, error)
	// call runs the answer on the first lot.
	call(ctx context.Context, c call) (called, *process.Fault, error)
	// time times single calls, each on one of the lots in turn, after one on the last
	// lot that is not timed. The samples are claims; Wall is by the judge's clock, of
	// them and what of the rest cannot be told apart.
	time(ctx context.Context, t timing) (device.TimeResult, *process.Fault, error)
	// capacity is the most lots of so many tensors that can be lent at once, at least one.
	capacity(tensors int) int
	close() error
}

// call says how an answer is called.
type call struct {
	repeat int           // calls one after another without a pause; 0 is one
	trial  int           // number of it: what is not written holds something else in each
	looked bool          // list the kernels, and where that can be, wait for each, so that a fault names its kernel
	limit  time.Duration // for all calls together
}

// called is what an answer's process says of a call: claims.
type called struct {
	kernels  []gpu.Resources
	findings []gpu.Finding
}

// timing says how calls of an answer are timed.
type timing struct {
	samples int
	l2      int64         // bytes to flush before each, on a GPU
	limit   time.Duration // for all of them together
}

// run is one way to run an answer on a trial.
type run struct {
	answer  answer
	again   answer // the same, to see whether outputs are as wrong again; nil where that tells nothing
	watched bool   // every access is looked at, which takes long: a timeout says nothing of the answer
}

// form is what is particular to the answers in one dialect.
type form interface {
	// rules judges an answer's text. Nothing of it is built or executed.
	rules(ctx context.Context) (detail string, err error)
	// compile builds the answer and loads it.
	compile(ctx context.Context) (detail string, err error)
	// first is how the answer runs at first. Of runs that fail the last one tells most.
	first() []run
	// runs is how it runs on a trial, by its number; the last one counts in the tally.
	runs(trial int) []run
	// resources completes what launches told with what the compiler knows.
	resources(kernels []gpu.Resources) []gpu.Resources
	// another starts another answer beside the one that is judged, to be timed. Where it
	// does not run there is none, and why not.
	another(ctx context.Context, text string) (a answer, why string, err error)
}

// saying says why an answer does not run; "" of no fault.
func saying(fault *process.Fault) string {
	if fault == nil {
		return ""
	}
	return fault.Sentence()
}

// closeAnswers ends the processes of answers.
func closeAnswers(list []answer) error {
	var errs []error
	for _, a := range list {
		errs = append(errs, a.close())
	}
	return errors.Join(errs...)
}
