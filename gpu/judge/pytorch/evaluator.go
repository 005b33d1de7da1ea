package pytorch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/gpu/judge/ready"
	"example.com/hone/gpu/torch"
	"example.com/hone/gpu/torch/oracle"
	"example.com/hone/tasks"
	"example.com/hone/tasks/rules"
)

// Device is what verdicts call a CPU on which answers run by emulation.
const Device = "CPU emulation"

// Options say where an evaluator works, and on what.
type Options struct {
	Torch      torch.Installation
	Platform   *platform.Platform // stays the caller's; nil to judge by emulation
	Cache      string             // folder for programs, headers and compiled modules
	CacheBytes int64              // bound on the compiled kernels, 0 for the default
	Scratch    string             // folder for the processes' scratch folders, empty for the system's
}

// Memo is where descriptions of references are kept that evaluators with these options make.
func (o Options) Memo() torch.Memo {
	device := "cpu"
	if o.Platform != nil {
		device = o.Platform.Facts.Name
	}
	return torch.Memo{Folder: filepath.Join(o.Cache, "descriptions"), Torch: o.Torch.Torch, Device: device}
}

// Evaluator holds what outlives an evaluation. One evaluation at a time uses it.
type Evaluator struct {
	shop       *workshop
	references *ready.Keeper[*reference]
	budget     time.Duration
	find       func(set string) (rules.Set, error)
}

// Open builds what is built once per machine, and starts processes that wait.
func Open(ctx context.Context, opts Options) (*Evaluator, error) {
	shop, err := openWorkshop(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &Evaluator{shop: shop, references: ready.New(shop.load), budget: timeBudget, find: ruleSet}, nil
}

// Prepare has the task's reference described in the background.
func (v *Evaluator) Prepare(_ context.Context, task tasks.Task) error {
	return v.references.Ask(task)
}

// Describe runs a task's reference, unless it has been, and says what it takes and
// gives. The evaluations of the task that follow go on with it.
func (v *Evaluator) Describe(ctx context.Context, task tasks.Task) (torch.Description, error) {
	if err := v.references.Ask(task); err != nil {
		return torch.Description{}, err
	}
	r, err := v.references.Wait(ctx)
	if err != nil {
		return torch.Description{}, err
	}
	return r.about, nil
}

// Close ends every process that the evaluator started.
func (v *Evaluator) Close() error {
	err := v.references.Drop()
	v.shop.close()
	return err
}

// reference is a task's reference in an oracle of its own.
type reference struct {
	task    tasks.Task
	path    string // of its file, for the candidate too
	memory  memory
	process *oracle.Process
	about   torch.Description
	bench   *bench  // on the oracle's set 0
	alone   float64 // microseconds of the device that eager takes while no answer runs; 0 when unknown

	overhead float64   // microseconds that a call of eager costs beyond that
	compiled *compiled // nil where it is not asked for
	resting  []rested  // owned by the evaluation that runs or leaves
}

// loadLimit is how long a reference may take to be built and run a few times.
const loadLimit = 2 * time.Minute

// load has an oracle of its own describe a task's reference.
func (s *workshop) load(ctx context.Context, task tasks.Task) (*reference, error) {
	path, err := s.file("reference.py", task.Reference)
	if err != nil {
		return nil, fmt.Errorf("reference of task %s: %w", task.ID, err)
	}
	r := &reference{task: task, path: path, memory: s.memory}
	if r.process, err = s.oracle(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("reference of task %s: %w", task.ID, err), r.Close())
	}
	about, fault, err := r.process.Load(ctx, path, loadLimit)
	if fault != nil {
		err = fmt.Errorf("reference of task %s: %s", task.ID, fault.Sentence())
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.about = about
	if err := r.makeBench(ctx); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if s.gpu == nil {
		return r, nil
	}
	if err := s.timeAlone(ctx, r); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if s.compiles() {
		r.compiled = s.compileInBackground(r)
	}
	return r, nil
}

// Close ends the reference's processes, and those of the answers that rest beside it.
func (r *reference) Close() error {
	err := errors.Join(r.endRest(), r.compiled.close(), os.RemoveAll(filepath.Dir(r.path)))
	if r.process != nil {
		err = errors.Join(err, r.process.Close())
	}
	if r.bench != nil {
		err = errors.Join(err, r.bench.close())
	}
	return err
}

// Evaluate judges one answer. An error means that it could not.
func (v *Evaluator) Evaluate(ctx context.Context, req gpu.Request, observe func(gpu.Event)) (gpu.Verdict, error) {
	req.Limits = req.Limits.WithDefaults()
	if err := v.references.Ask(req.Task); err != nil {
		return gpu.Verdict{}, err
	}
	e := newEvaluation(v, req, observe)
	verdict, err := e.run(ctx)
	v.references.Leave(func() error { return e.close(context.WithoutCancel(ctx)) })
	if err != nil && !e.report.Withdrawn(ctx) {
		// Nothing that took part is trusted to be in order.
		err = errors.Join(err, v.references.Drop())
	}
	if ctx.Err() != nil {
		return gpu.Verdict{}, ctx.Err()
	}
	return verdict, err
}
