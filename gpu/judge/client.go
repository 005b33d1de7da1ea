package judge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/torch"
	"example.com/hone/tasks"
)

// The limits of a judge that should have answered.
const (
	cancelLimit = 1500 * time.Millisecond // to end an evaluation that was cancelled
	quitLimit   = 500 * time.Millisecond  // to end when its input has
	ownLimit    = time.Minute             // of an evaluation, beside the limits of its compiler and runs
)

// leastTrials is the least number of trials of an evaluation.
const leastTrials = 5

// Launch says how a client starts its judge.
type Launch struct {
	Argv   []string  // the command line, such as hone's own path and "judge"
	Env    []string  // the environment; nil for the caller's. Keep keys out of it
	Stderr io.Writer // gets what the judge logs; nil to drop it
}

// Client is a gpu.Evaluator that has a judge process do the work. It may be
// used by several goroutines, which wait for each other.
type Client struct {
	launch Launch
	slot   chan *child // holds the judge, or nil where none runs, while nobody uses it
	once   sync.Once
	closed chan struct{}
}

var _ gpu.Evaluator = (*Client)(nil)

// Open starts a judge, which gets ready while nobody asks yet.
func Open(launch Launch) (*Client, error) {
	process, err := spawn(launch)
	if err != nil {
		return nil, err
	}
	c := &Client{launch: launch, slot: make(chan *child, 1), closed: make(chan struct{})}
	c.slot <- process
	return c, nil
}

// Close ends the judge and all that it started. An evaluation that runs is
// waited for: cancel its context first.
func (c *Client) Close() error {
	var err error
	c.once.Do(func() {
		process := <-c.slot
		close(c.closed)
		if process != nil {
			err = process.end()
		}
	})
	return err
}

// Evaluate implements gpu.Evaluator.
func (c *Client) Evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
	last, err := c.ask(ctx, order{Request: &req, Held: req.Held()}, patience(req), observe)
	switch {
	case err != nil:
		return gpu.Verdict{}, err
	case last.Verdict == nil:
		return gpu.Verdict{}, errors.New("the judge ended an evaluation without a verdict")
	}
	return *last.Verdict, nil
}

// Prepare has the judge get ready for a task: the first evaluation then waits
// for nothing but its own kernel. It returns once the judge has begun to.
func (c *Client) Prepare(ctx context.Context, task tasks.Task) error {
	_, err := c.ask(ctx, order{Prepare: &task}, patience(gpu.Request{Task: task}), func(gpu.Event) {})
	return err
}

// Derive completes a task that is known by its PyTorch reference alone, so that it can be
// answered in the cuda dialect: it gets a signature, the size "full", a tolerance and,
// where they are known, its operations. Any other task stays as it is, and one that cannot
// be answered so is a [torch.NoSignatureError]. The first time that takes as long as
// running the reference, later about as long as importing torch.
func (c *Client) Derive(ctx context.Context, task tasks.Task) (tasks.Task, error) {
	last, err := c.ask(ctx, order{Derive: &task}, patience(gpu.Request{Task: task}), func(gpu.Event) {})
	switch {
	case err != nil:
		return task, err
	case last.Task == nil:
		return task, fmt.Errorf("the judge did not say what task %s takes and gives", task.ID)
	}
	return *last.Task, nil
}

// Machine says what the judge judges answers in a dialect on. The first answer takes
// as long as opening a GPU, and for those written for PyTorch as importing torch.
func (c *Client) Machine(ctx context.Context, dialect gpu.Dialect) (gpu.Machine, error) {
	last, err := c.ask(ctx, order{Describe: dialect}, patience(gpu.Request{}), func(gpu.Event) {})
	switch {
	case err != nil:
		return gpu.Machine{}, err
	case last.Machine == nil:
		return gpu.Machine{}, errors.New("the judge did not say what it judges on")
	}
	return *last.Machine, nil
}

// acquire takes the judge, once nobody else uses it, and starts it where it does
// not run. It says so when it has to wait: the first judge on a machine builds
// its tools, which takes seconds.
func (c *Client) acquire(ctx context.Context, observe func(gpu.Event)) (*child, error) {
	var process *child
	select {
	case process = <-c.slot:
	default:
		observe(gpu.Event{Stage: gpu.StageRules, Status: gpu.StatusRunning, Detail: "waiting for the judge to get ready"})
		select {
		case process = <-c.slot:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, errors.New("the judge was closed")
		}
	}
	if process != nil && !process.dead() {
		return process, nil
	}
	process, err := spawn(c.launch)
	if err != nil {
		c.slot <- nil
		return nil, err
	}
	return process, nil
}

// ask has one order carried out.
func (c *Client) ask(ctx context.Context, o order, patience time.Duration, observe func(gpu.Event)) (answer, error) {
	process, err := c.acquire(ctx, observe)
	if err != nil {
		return answer{}, err
	}
	last, usable, err := process.ask(ctx, o, patience, observe)
	if !usable {
		err = errors.Join(err, process.end())
		process = nil
	}
	c.slot <- process
	if ctx.Err() != nil {
		return answer{}, ctx.Err()
	}
	return last, err
}

// ask sends one order and follows its answers to the last. The judge stays
// usable unless it died, broke the protocol or did not answer in time.
func (p *child) ask(ctx context.Context, o order, patience time.Duration, observe func(gpu.Event)) (last answer, usable bool, err error) {
	p.id++
	o.ID = p.id
	if err := p.send(o); err != nil {
		return answer{}, false, err
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	cancelled, released := ctx.Done(), o.hold()
	waits := false // the kernel is built, and waits for us
	for {
		select {
		case a, ok := <-p.answers:
			switch {
			case !ok:
				return answer{}, false, fmt.Errorf("the judge ended during an evaluation: %w", p.why())
			case a.ID != p.id:
				return answer{}, false, fmt.Errorf("the judge answers to order %d instead of %d", a.ID, p.id)
			case a.last():
				return a, true, a.failure()
			case a.Event != nil && ctx.Err() == nil:
				waits = released != nil && a.Event.Stage == gpu.StageCompile && a.Event.Status == gpu.StatusOK
				observe(*a.Event)
			}
		case <-released:
			released, waits = nil, false
			timer.Reset(patience)
			if err := p.send(order{Release: p.id}); err != nil {
				return answer{}, false, err
			}
		case <-cancelled:
			cancelled, released, waits = nil, nil, false
			timer.Reset(cancelLimit)
			if err := p.send(order{Cancel: p.id}); err != nil {
				return answer{}, false, ctx.Err()
			}
		case <-timer.C:
			if waits {
				timer.Reset(patience)
				continue
			}
			return answer{}, false, fmt.Errorf("the judge did not answer within %s and was ended", patience)
		}
	}
}

// failure is the error that a last answer carries, nil if it has a result.
func (a answer) failure() error {
	switch {
	case a.Unusable:
		return unusableError{text: a.Error}
	case a.Unfit:
		return &torch.NoSignatureError{Text: a.Error}
	case a.Error != "":
		return errors.New(a.Error)
	}
	return nil
}

// unusableError is an [ErrUnusable] that has come through the pipe as text.
type unusableError struct{ text string }

func (e unusableError) Error() string        { return e.text }
func (e unusableError) Is(target error) bool { return target == ErrUnusable }

// patience is how long an evaluation may take when every limit is just kept.
func patience(req gpu.Request) time.Duration {
	l := req.Limits.WithDefaults()
	runs := 3*max(l.Trials, leastTrials) + 2*len(req.Task.Sizes)
	return 4*l.Compile + time.Duration(runs)*l.Run + ownLimit
}
