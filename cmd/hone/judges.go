package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge"
	"example.com/hone/gpu/queue"
	"example.com/hone/tasks"
)

// bench is judges with a queue before them.
type bench struct {
	judges []*judge.Client
	queue  *queue.Queue[*judge.Client]
}

var _ referee = (*bench)(nil)

// evaluator starts the judge, which gets ready while nobody asks yet.
func (a *app) evaluator() (*bench, error) {
	client, err := a.startJudge(a.config.Device)
	if err != nil {
		return nil, err
	}
	return newBench(client), nil
}

func newBench(judges ...*judge.Client) *bench {
	return &bench{judges: judges, queue: queue.New(judges...)}
}

// evaluators starts several judges, each with a GPU of its own from the configured one on,
// or all by emulation. They are of one kind: times of others would not compare.
func (a *app) evaluators(ctx context.Context, n int) (*bench, error) {
	b, err := a.evaluator()
	if err != nil || n == 1 {
		return b, err
	}
	first, err := b.Machine(ctx, gpu.CUDA)
	if err != nil {
		return nil, errors.Join(unusable(err), b.Close())
	}
	judges := b.judges
	for i := 1; i < n; i++ {
		next, err := a.startJudge(a.nextDevice(first, i))
		if err == nil {
			judges = append(judges, next)
			err = alike(ctx, next, first)
		}
		if err != nil {
			return nil, errors.Join(unusable(fmt.Errorf("judge %d of %d: %w; ask for fewer with --judges", i+1, n, err)), newBench(judges...).Close())
		}
	}
	return newBench(judges...), nil
}

// nextDevice is what the i-th judge after the first one uses.
func (a *app) nextDevice(first gpu.Machine, i int) string {
	if first.Emulated {
		return judge.DeviceEmulated
	}
	number, _ := strconv.Atoi(a.config.Device) // 0 for auto, which has taken the first GPU
	return strconv.Itoa(number + i)
}

// alike refuses a judge that judges on something else than the first one.
func alike(ctx context.Context, next *judge.Client, first gpu.Machine) error {
	machine, err := next.Machine(ctx, gpu.CUDA)
	if err == nil && (machine.Device != first.Device || machine.Emulated != first.Emulated) {
		err = fmt.Errorf("it would judge on %s, and the first on %s: their times do not compare", machine.Device, first.Device)
	}
	return err
}

// startJudge starts a judge on a device.
func (a *app) startJudge(device string) (*judge.Client, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, evaluatorError{fmt.Errorf("find own executable: %w", err)}
	}
	client, err := judge.Open(judge.Launch{
		Argv:   []string{self, "judge", "--cache", a.config.Cache, "--device", device, "--python", a.config.Python},
		Env:    judgeEnvironment(a.environment),
		Stderr: a.err,
	})
	if err != nil {
		return nil, evaluatorError{err}
	}
	return client, nil
}

// Evaluate implements gpu.Evaluator.
func (b *bench) Evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
	return b.queue.Evaluate(ctx, req, observe)
}

// Machine implements referee.
func (b *bench) Machine(ctx context.Context, dialect gpu.Dialect) (machine gpu.Machine, err error) {
	err = b.queue.Do(ctx, "", func(j *judge.Client) error {
		machine, err = j.Machine(ctx, dialect)
		return err
	})
	return machine, err
}

// Prepare implements referee.
func (b *bench) Prepare(ctx context.Context, task tasks.Task) error {
	return b.queue.Do(ctx, task.ID, func(j *judge.Client) error { return j.Prepare(ctx, task) })
}

// Derive implements referee.
func (b *bench) Derive(ctx context.Context, task tasks.Task) (derived tasks.Task, err error) {
	err = b.queue.Do(ctx, task.ID, func(j *judge.Client) error {
		derived, err = j.Derive(ctx, task)
		return err
	})
	return derived, err
}

// Close ends the judges.
func (b *bench) Close() error {
	errs := make([]error, len(b.judges))
	var group sync.WaitGroup
	for i, j := range b.judges {
		group.Go(func() { errs[i] = j.Close() })
	}
	group.Wait()
	return errors.Join(errs...)
}

// referee is what a session needs of a judge.
type referee interface {
	gpu.Evaluator
	// Machine is what answers in a dialect are judged on.
	Machine(ctx context.Context, dialect gpu.Dialect) (gpu.Machine, error)
	// Prepare gets ready for a task.
	Prepare(ctx context.Context, task tasks.Task) error
	deriver
}

// deriver gives a task that is known by its PyTorch reference alone what an answer in the
// cuda dialect needs to know.
type deriver interface {
	Derive(ctx context.Context, task tasks.Task) (tasks.Task, error)
}

// configured asks for every evaluation what the configuration says of all of them.
type configured struct {
	gpu.Evaluator
	nvcc  bool
	rules string
}

// Evaluate implements gpu.Evaluator.
func (c configured) Evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
	req.NVCC, req.Rules = c.nvcc, c.rules
	return c.Evaluator.Evaluate(ctx, req, observe)
}

// judging is an evaluator that compiles and applies rules as the configuration says.
func (c *config) judging(e gpu.Evaluator) gpu.Evaluator {
	return configured{Evaluator: e, nvcc: c.Compiler == compilerNVCC, rules: c.Rules}
}

// sharedJudge is the one that all sessions of a screen use, started when it is
// first needed.
type sharedJudge struct {
	open func() (*bench, error)

	mu     sync.Mutex
	client *bench
}

func (s *sharedJudge) get() (*bench, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client != nil {
		return s.client, nil
	}
	client, err := s.open()
	if err != nil {
		return nil, err
	}
	s.client = client
	return client, nil
}

// close ends the judge, if one was started.
func (s *sharedJudge) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		return nil
	}
	return s.client.Close()
}

// machine asks the judge what it judges on.
func (s *sharedJudge) machine(ctx context.Context) (gpu.Machine, error) {
	client, err := s.get()
	if err != nil {
		return gpu.Machine{}, err
	}
	return client.Machine(ctx, gpu.CUDA)
}

// judgeEnvironment is what the trusted process, its compilers and the NVIDIA
// libraries need, and no key among it.
func judgeEnvironment(get func(string) string) []string {
	var env []string
	for _, name := range []string{
		"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME", "LD_LIBRARY_PATH",
		"CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_MPS_PIPE_DIRECTORY",
		"NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_TF32_OVERRIDE",
	} {
		if v := get(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}
