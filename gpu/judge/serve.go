package judge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"

	"example.com/hone/gpu"
	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/gpu/torch"
	"example.com/hone/tasks"
)

// Options say where a judge works.
type Options struct {
	Cache      string    // folder for the emulator and compiled kernels
	CacheBytes int64     // bound on the compiled kernels, 0 for the default
	Scratch    string    // folder for the workers' scratch folders, empty for the system's
	Log        io.Writer // for what concerns no single evaluation; nil to drop it

	Device    string       // "auto" or empty, "emulated", or a GPU's number in the driver's order
	Libraries cuda.Options // where the NVIDIA libraries may be
	Visible   platform.Visible
	Python    []string // where a Python with torch may be, in order: names or paths
}

// number is that of the GPU to use, the first where any will do.
func (o Options) number() int {
	n, err := strconv.Atoi(o.Device)
	if err != nil {
		return 0
	}
	return n
}

// Serve is the judge process's main loop: it reads orders and writes answers
// until in ends or ctx does, and then ends everything that it started. A read
// of in that is under way may outlive it.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts Options) error {
	if opts.Log == nil {
		opts.Log = io.Discard
	}
	j := &judge{opts: opts}
	defer j.close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{evaluate: j.evaluate, prepare: j.prepare, derive: j.derive, describe: j.describe, out: out, answers: make(chan answer), holds: map[uint64]chan struct{}{}}
	orders := make(chan order)
	ended := make(chan error, 1)
	go func() { ended <- readOrders(ctx, in, orders) }()
	j.warm(ctx)
	return s.serve(ctx, orders, ended)
}

// readOrders passes orders on until there are no more.
func readOrders(ctx context.Context, in io.Reader, orders chan<- order) error {
	for {
		var o order
		if err := readFrame(in, &o); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		select {
		case orders <- o:
		case <-ctx.Done():
			return nil
		}
	}
}

// server gives out evaluations one at a time. The goroutine in serve owns it.
type server struct {
	evaluate func(context.Context, gpu.Request, func(gpu.Event)) (gpu.Verdict, error)
	prepare  func(context.Context, tasks.Task) error
	derive   func(context.Context, tasks.Task) (tasks.Task, error)
	describe func(context.Context, gpu.Dialect) (gpu.Machine, error)
	out      io.Writer
	answers  chan answer // from the evaluation that runs
	queue    []order
	holds    map[uint64]chan struct{} // of orders whose kernel may not run yet
	current  uint64                   // the evaluation that runs, 0 when none does
	cancel   context.CancelFunc
}

func (s *server) serve(ctx context.Context, orders <-chan order, ended <-chan error) error {
	var failure error
	for {
		select {
		case o := <-orders:
			s.take(ctx, o)
		case a := <-s.answers:
			if failure = s.tell(ctx, a); failure != nil {
				return s.stop(failure)
			}
		case err := <-ended:
			return s.stop(err)
		case <-ctx.Done():
			return s.stop(nil)
		}
	}
}

func (s *server) take(ctx context.Context, o order) {
	switch {
	case o.work():
		s.queue = append(s.queue, s.held(o))
	case o.Release != 0:
		s.release(o.Release)
	case o.Cancel != 0 && o.Cancel == s.current:
		s.cancel()
	case o.Cancel != 0:
		s.queue = slices.DeleteFunc(s.queue, func(q order) bool { return q.ID == o.Cancel })
		s.release(o.Cancel)
	}
	s.next(ctx)
}

// held has the kernel of an order wait, where it is to.
func (s *server) held(o order) order {
	if o.Held && o.Request != nil {
		hold := make(chan struct{})
		s.holds[o.ID], o.Request.Hold = hold, hold
	}
	return o
}

// release lets the kernel of an order run.
func (s *server) release(id uint64) {
	if hold, ok := s.holds[id]; ok {
		close(hold)
		delete(s.holds, id)
	}
}

// next starts the evaluation at the head of the queue, unless one runs.
func (s *server) next(ctx context.Context) {
	if s.current != 0 || len(s.queue) == 0 {
		return
	}
	o := s.queue[0]
	s.queue = s.queue[1:]
	ctx, s.cancel = context.WithCancel(ctx)
	s.current = o.ID
	go func() { s.answers <- s.work(ctx, o) }()
}

// work carries out one order; a panic in it is an error of that order alone.
func (s *server) work(ctx context.Context, o order) (last answer) {
	defer func() {
		if r := recover(); r != nil {
			last = answer{ID: o.ID, Error: fmt.Sprintf("the judge failed: %v\n%s", r, debug.Stack())}
		}
	}()
	switch {
	case o.Prepare != nil:
		return failed(answer{ID: o.ID, Ready: true}, s.prepare(ctx, *o.Prepare))
	case o.Derive != nil:
		task, err := s.derive(ctx, *o.Derive)
		return failed(answer{ID: o.ID, Task: &task}, err)
	case o.Describe != "":
		machine, err := s.describe(ctx, o.Describe)
		return failed(answer{ID: o.ID, Machine: &machine}, err)
	}
	verdict, err := s.evaluate(ctx, *o.Request, func(event gpu.Event) {
		s.answers <- answer{ID: o.ID, Event: &event}
	})
	return failed(answer{ID: o.ID, Verdict: &verdict}, err)
}

// failed is the last answer, or what stands in its place after an error.
func failed(last answer, err error) answer {
	if err == nil {
		return last
	}
	_, unfit := errors.AsType[*torch.NoSignatureError](err)
	return answer{ID: last.ID, Error: err.Error(), Unusable: errors.Is(err, ErrUnusable), Unfit: unfit}
}

// tell passes an answer on, and goes on to the next order after the last one.
func (s *server) tell(ctx context.Context, a answer) error {
	if a.last() {
		s.cancel()
		s.release(s.current)
		s.current = 0
		s.next(ctx)
	}
	return writeFrame(s.out, a)
}

// stop cancels what runs and waits for its end.
func (s *server) stop(failure error) error {
	if s.current == 0 {
		return failure
	}
	s.cancel()
	for a := range s.answers {
		if a.last() {
			return failure
		}
	}
	return failure
}
