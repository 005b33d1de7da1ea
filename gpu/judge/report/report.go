package report

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/hone/gpu"
)

const (
	maxKernel   = 1 << 20 // bytes of an answer's text
	maxFindings = 16
)

// Report is a verdict in the making. One goroutine uses it.
type Report struct {
	Verdict  gpu.Verdict
	progress progress
	seeds    []string // of the trials
	hold     <-chan struct{}
	ran      bool
}

// New is the report of a request that nothing is known of yet.
func New(req gpu.Request, observe func(gpu.Event)) *Report {
	return &Report{progress: progress{observe: observe}, hold: req.Hold, Verdict: gpu.Verdict{
		Schema:       gpu.VerdictSchema,
		Task:         req.Task.ID,
		TaskSHA256:   req.Task.SHA256,
		Dialect:      req.Dialect,
		KernelSHA256: digest(req.Kernel),
		Diagnostics:  []gpu.Diagnostic{},
		Methods:      map[string]gpu.Timing{},
		Baselines:    map[string]gpu.Timing{},
		Speedup:      map[string]float64{},
		ScoreBasis:   ScoreBasis,
		Resources:    []gpu.Resources{},
		Findings:     []gpu.Finding{},
		Sandbox:      map[string]string{},
	}}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Stage does the work of one stage and says in a few words what it did.
type Stage func(ctx context.Context) (detail string, err error)

// Judge goes through the stages in order until one draws a conclusion; where none
// does, the kernel is correct. An error means that the harness could not tell.
func (r *Report) Judge(ctx context.Context, stages map[gpu.Stage]Stage, environment func() map[string]string) (gpu.Verdict, error) {
	if err := r.run(ctx, stages); err != nil {
		return gpu.Verdict{}, err
	}
	if !r.Decided() {
		r.Correct()
	}
	return r.Finish(environment()), nil
}

func (r *Report) run(ctx context.Context, stages map[gpu.Stage]Stage) error {
	for _, stage := range gpu.Stages() {
		if stage == gpu.StageRun {
			if err := r.wait(ctx); err != nil {
				return err
			}
		}
		r.progress.begin(stage)
		detail, err := stages[stage](ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", stage, err)
		}
		if r.Decided() {
			r.progress.end(gpu.StatusFailed, r.Verdict.Summary)
			return nil
		}
		r.progress.end(gpu.StatusOK, detail)
	}
	return nil
}

// wait lets nothing run before it may. The time that takes is no stage's.
func (r *Report) wait(ctx context.Context) error {
	if r.hold != nil {
		select {
		case <-r.hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	r.ran = true
	return nil
}

// Withdrawn reports whether the evaluation was cancelled before its kernel ran: what it
// would have been judged by is in order.
func (r *Report) Withdrawn(ctx context.Context) bool { return ctx.Err() != nil && !r.ran }

// Step says where within a stage the evaluation is.
func (r *Report) Step(detail string) { r.progress.step(detail) }

// Decided reports whether a conclusion was drawn.
func (r *Report) Decided() bool { return r.Verdict.Outcome != "" }

// Seed remembers the seed of a trial. The verdict tells it once all is over.
func (r *Report) Seed(seed uint64) { r.seeds = append(r.seeds, fmt.Sprintf("%016x", seed)) }

// Finish completes the verdict with what holds for every outcome.
func (r *Report) Finish(environment map[string]string) gpu.Verdict {
	v := r.Verdict
	if len(r.seeds) > 0 {
		environment["seeds"] = strings.Join(r.seeds, " ")
	}
	v.Stages = r.progress.all()
	v.Environment = environment
	return v
}

// Rules refuses a text that needs no compiler to be refused.
func (r *Report) Rules(text string) {
	switch {
	case strings.TrimSpace(text) == "":
		r.Reject(gpu.OutcomeParse, "there is no kernel text")
	case len(text) > maxKernel:
		r.Reject(gpu.OutcomeRule, fmt.Sprintf("the kernel's text has %d bytes, more than the %d allowed", len(text), maxKernel))
	case !utf8.ValidString(text):
		r.Reject(gpu.OutcomeParse, "the kernel's text is not valid UTF-8")
	}
}

// NoBaseline tells why a baseline has no time in this verdict.
func (r *Report) NoBaseline(name, why string) {
	r.Find(gpu.Finding{Kind: "no_baseline", Severity: Warning, Evidence: fmt.Sprintf("no time of %s: %s", gpu.BaselineName(name), why)})
}

// Find adds a finding, once for each kind and place, up to a bound.
func (r *Report) Find(f gpu.Finding) {
	known := slices.ContainsFunc(r.Verdict.Findings, func(g gpu.Finding) bool {
		return g.Kind == f.Kind && g.Line == f.Line && (g.Line > 0 || g.Evidence == f.Evidence)
	})
	if !known && len(r.Verdict.Findings) < maxFindings {
		r.Verdict.Findings = append(r.Verdict.Findings, f)
	}
}
