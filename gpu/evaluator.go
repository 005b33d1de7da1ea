package gpu

import (
	"context"
	"time"

	"example.com/hone/tasks"
)

// Evaluator judges kernels. Implementations evaluate one kernel at a time per
// device and queue the rest.
type Evaluator interface {
	// Evaluate runs the stages on one kernel. It calls observe from one
	// goroutine, in order, with at least one event per stage reached. Cancelling
	// ctx kills everything the evaluation started and returns ctx.Err().
	Evaluate(ctx context.Context, req Request, observe func(Event)) (Verdict, error)
}

// Machine is what an evaluator judges on.
type Machine struct {
	Device   string `json:"device"`   // "NVIDIA H200", or "CPU emulation"
	Emulated bool   `json:"emulated"` // its times are not GPU times
	Reason   string `json:"reason"`   // why it is emulated and what would help; empty for a GPU, or when asked for
}

// Dialect is the form of an answer.
type Dialect string

// The dialects.
const (
	// CUDA is one CUDA C++ file that defines solve.
	CUDA Dialect = "cuda"
	// Torch is one Python file that defines ModelNew, in place of the task's Model.
	Torch Dialect = "torch"
)

// Request is one kernel to judge.
type Request struct {
	Task    tasks.Task `json:"task"`
	Dialect Dialect    `json:"dialect"`
	Kernel  string     `json:"kernel"`          // source text, exactly as written
	Best    string     `json:"best,omitempty"`  // source of the kernel to beat, the best so far or the one a person chose, timed beside this one
	Rules   string     `json:"rules,omitempty"` // name of the rule set that an answer in the torch dialect is held to; empty: the judge's default
	Accept  bool       `json:"accept"`          // final check: fresh seeds and the acceptance sizes as well
	NVCC    bool       `json:"nvcc,omitempty"`  // compile with nvcc alone, not with NVRTC and g++; not by emulation
	Limits  Limits     `json:"limits"`          // zero fields take DefaultLimits

	// Hold is closed once the kernel may run. Until then it passes the rules and the
	// compile stage, in which the file of an answer in Python is executed, contained: what
	// it passes to load_inline is known no sooner. No kernel is called, checked or timed:
	// the reply that it is from may still turn out to be cut off, and its model may be
	// writing on the device that times. Nil: it may run at once.
	Hold <-chan struct{} `json:"-"`
}

// Held reports whether the kernel may not run yet.
func (r Request) Held() bool {
	if r.Hold == nil {
		return false
	}
	select {
	case <-r.Hold:
		return false
	default:
		return true
	}
}

// Limits bound one evaluation.
type Limits struct {
	Compile time.Duration `json:"compile"` // one compiler run
	Run     time.Duration `json:"run"`     // one call of solve
	Memory  int64         `json:"memory"`  // bytes of address space of the worker beyond its buffers
	Trials  int           `json:"trials"`  // checks with fresh inputs
}

// DefaultLimits are the limits used where a request gives none.
func DefaultLimits() Limits {
	return Limits{Compile: 120 * time.Second, Run: 30 * time.Second, Memory: 4 << 30, Trials: 5}
}

// WithDefaults replaces the limits that are not given.
func (l Limits) WithDefaults() Limits {
	d := DefaultLimits()
	if l.Compile <= 0 {
		l.Compile = d.Compile
	}
	if l.Run <= 0 {
		l.Run = d.Run
	}
	if l.Memory <= 0 {
		l.Memory = d.Memory
	}
	if l.Trials <= 0 {
		l.Trials = d.Trials
	}
	return l
}

// Stage is one step of an evaluation.
type Stage string

// The stages, in order.
const (
	StageRules   Stage = "rules"
	StageCompile Stage = "compile"
	StageRun     Stage = "run"
	StageCheck   Stage = "check"
	StageTime    Stage = "time"
)

// StageQueue is the wait for a device that judges another kernel. It is no stage
// of a verdict.
const StageQueue Stage = "queue"

// Stages lists all stages in order.
func Stages() []Stage {
	return []Stage{StageRules, StageCompile, StageRun, StageCheck, StageTime}
}

// Status is how a stage stands.
type Status string

// The states of a stage. A stage never reached is StatusSkipped in a verdict.
const (
	StatusRunning Status = "running"
	StatusOK      Status = "ok"
	StatusFailed  Status = "failed"
	StatusSkipped Status = "skipped"
)

// Event is progress of an evaluation: a stage started, moved or ended.
type Event struct {
	Stage   Stage         `json:"stage"`
	Status  Status        `json:"status"`
	Detail  string        `json:"detail,omitempty"` // one line: "g++ (emulation), cached", "trial 3/5"
	Elapsed time.Duration `json:"elapsed"`          // since the stage started
}
