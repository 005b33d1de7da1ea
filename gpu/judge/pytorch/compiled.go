package pytorch

import (
	"context"
	"sync"
	"time"

	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch/oracle"
)

// compiled is a task's reference as torch.compile makes it, in an oracle of its own, with
// inputs of its own: it takes half a minute to make, for which no verdict waits. It draws
// and expects nothing, and rests while an answer is timed in which it takes no part.
type compiled struct {
	reference *reference
	process   *oracle.Process // read after done, as refused
	refused   string          // why there is nothing to time
	cancel    context.CancelFunc
	done      chan struct{}
	gate      chan struct{}    // full while the process is launched, or an answer timed
	launched  *process.Process // for who holds the gate; nil before
	resting   bool
}

// compileLimit is how long torch.compile may take: nobody waits for it.
const compileLimit = 10 * time.Minute

// compileInBackground has torch.compile work on a reference that has been loaded. What is
// refused needs no process, which would hold memory of the device.
func (s *workshop) compileInBackground(r *reference) *compiled {
	ctx, cancel := context.WithCancel(context.Background())
	c := &compiled{reference: r, cancel: cancel, done: make(chan struct{}), gate: make(chan struct{}, 1)}
	go func() {
		defer close(c.done)
		if err := c.make(ctx, s); err != nil {
			c.refused = err.Error()
		}
		if c.refused != "" && c.process != nil {
			_ = c.process.Close() // asked to end once more when the reference is
		}
	}()
	return c
}

func (c *compiled) make(ctx context.Context, s *workshop) error {
	if err := c.start(ctx, s); err != nil {
		return err
	}
	_, fault, err := c.process.Load(ctx, c.reference.path, compileLimit)
	if err = c.reference.trouble(fault, err); err != nil {
		return err
	}
	fault, err = c.lend(ctx, []tensors{c.reference.bench.inputs})
	if err = c.reference.trouble(fault, err); err != nil {
		return err
	}
	timed, fault, err := c.process.Time(ctx, oracle.Timing{What: oracle.Compile, Samples: 1, Limit: compileLimit})
	if err = c.reference.trouble(fault, err); err != nil {
		return err
	}
	c.refused = timed.Refused
	return nil
}

// start waits for a time at which no answer is timed. Once it is launched, the process
// can be stopped whatever it does.
func (c *compiled) start(ctx context.Context, s *workshop) (err error) {
	if err := c.enter(ctx); err != nil {
		return err
	}
	leave := sync.OnceFunc(c.leave)
	defer leave()
	config := s.oracleConfig()
	config.Launched = func(p *process.Process) {
		c.launched = p
		leave()
	}
	c.process, err = oracle.Start(ctx, config)
	return err
}

func (c *compiled) enter(ctx context.Context) error {
	select {
	case c.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *compiled) leave() { <-c.gate }

// rest stops the process until it is resumed, unless there is something to time by now.
// A nil one rests.
func (c *compiled) rest(ctx context.Context) (resume func(), err error) {
	if c == nil {
		return func() {}, nil
	}
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	if c.made() || c.launched == nil {
		return c.leave, nil
	}
	c.resting = true
	c.launched.Pause()
	return func() {
		c.launched.Resume()
		c.resting = false
		c.leave()
	}, nil
}

// made reports whether torch.compile has ended its work, for good or ill.
func (c *compiled) made() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// ready reports whether there is something to time by now. There is none of a nil one.
func (c *compiled) ready() bool {
	return c != nil && !c.resting && c.made() && c.refused == "" && c.process.Alive()
}

// why says why there will be nothing to time, "" where there is or may be.
func (c *compiled) why() string {
	switch {
	case c == nil || c.resting || !c.made():
		return ""
	case c.refused == "" && !c.process.Alive():
		return "its process has ended"
	}
	return c.refused
}

// lend maps sets of inputs. They take the place of those lent before.
func (c *compiled) lend(ctx context.Context, inputs []tensors) (*process.Fault, error) {
	var sets []oracle.Set
	for _, t := range inputs {
		set, err := c.reference.set(ctx, map[string]tensors{"inputs": t})
		defer set.close()
		if err != nil {
			return nil, err
		}
		sets = append(sets, set.Set)
	}
	return c.process.Map(ctx, sets...)
}

// home takes the sets of a measurement away. There are none of a nil one, nor of one that
// fails at that: its process has ended.
func (c *compiled) home(ctx context.Context) error {
	if !c.ready() {
		return nil
	}
	fault, err := c.lend(ctx, []tensors{c.reference.bench.inputs})
	if fault != nil {
		c.refused = fault.Sentence()
	}
	return err
}

// close ends the process, made or not. It may be called on a nil one.
func (c *compiled) close() error {
	if c == nil {
		return nil
	}
	c.cancel()
	<-c.done
	if c.process == nil {
		return nil
	}
	return c.process.Close()
}
