package pytorch

import (
	"context"

	"example.com/hone/gpu/torch/oracle"
)

// compiled is a task's reference as torch.compile makes it, in an oracle of its own: it
// takes half a minute to make, for which no verdict waits. It draws and expects nothing.
type compiled struct {
	reference *reference
	process   *oracle.Process // read after done, as refused
	refused   string          // why there is nothing to time
	cancel    context.CancelFunc
	done      chan struct{}
}

// compileInBackground has torch.compile work on a reference that has been loaded.
func (s *workshop) compileInBackground(r *reference) *compiled {
	ctx, cancel := context.WithCancel(context.Background())
	c := &compiled{reference: r, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		if err := c.make(ctx, s); err != nil {
			c.refused = err.Error()
		}
	}()
	return c
}

func (c *compiled) make(ctx context.Context, s *workshop) (err error) {
	if c.process, err = s.oracle(ctx); err != nil {
		return err
	}
	_, fault, err := c.process.Load(ctx, c.reference.path, loadLimit)
	if err = c.reference.trouble(fault, err); err != nil {
		return err
	}
	if err := c.lend(ctx, []tensors{c.reference.bench.inputs}); err != nil {
		return err
	}
	timed, fault, err := c.process.Time(ctx, oracle.Timing{What: oracle.Compile, Samples: 1, Limit: loadLimit})
	if err = c.reference.trouble(fault, err); err != nil {
		return err
	}
	c.refused = timed.Refused
	return nil
}

// ready reports whether there is something to time by now. There is none of a nil one.
func (c *compiled) ready() bool {
	if c == nil {
		return false
	}
	select {
	case <-c.done:
		return c.refused == "" && c.process.Alive()
	default:
		return false
	}
}

// lend maps sets of inputs. They take the place of those lent before.
func (c *compiled) lend(ctx context.Context, inputs []tensors) error {
	var sets []oracle.Set
	for _, t := range inputs {
		set, err := c.reference.set(ctx, map[string]tensors{"inputs": t})
		defer set.close()
		if err != nil {
			return err
		}
		sets = append(sets, set.Set)
	}
	fault, err := c.process.Map(ctx, sets...)
	return c.reference.trouble(fault, err)
}

// home takes the sets of a measurement away. There are none of a nil one.
func (c *compiled) home(ctx context.Context) error {
	if !c.ready() {
		return nil
	}
	return c.lend(ctx, []tensors{c.reference.bench.inputs})
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
