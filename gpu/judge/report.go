package judge

import (
	"fmt"
	"slices"
	"strings"

	"example.com/hone/gpu"
	"example.com/hone/gpu/worker"
)

const (
	emulatedDevice  = "CPU emulation"
	severityError   = "error"
	severityWarning = "warning"
	severitySuspect = "suspect"

	scoreBasis   = "reference"
	correctScore = 0.3 // Kevin's reward of being right, beside the speedup

	maxFindings   = 16
	toldErrors    = 5    // compiler errors that the model is told
	toldCharacter = 4000 // characters of feedback
)

func newVerdict(req gpu.Request) gpu.Verdict {
	return gpu.Verdict{
		Schema:       gpu.VerdictSchema,
		Task:         req.Task.ID,
		TaskSHA256:   req.Task.SHA256,
		Dialect:      req.Dialect,
		KernelSHA256: digest(req.Kernel),
		Diagnostics:  []gpu.Diagnostic{},
		Methods:      map[string]gpu.Timing{},
		Baselines:    map[string]gpu.Timing{},
		Speedup:      map[string]float64{},
		ScoreBasis:   scoreBasis,
		Resources:    []gpu.Resources{},
		Findings:     []gpu.Finding{},
		Sandbox:      map[string]string{},
	}
}

// decide ends the evaluation.
func (e *evaluation) decide(outcome gpu.Outcome, summary, feedback string) {
	v := &e.verdict
	v.Outcome, v.Summary = outcome, summary
	v.Feedback = bounded(feedback, toldCharacter)
	if outcome.Scored() && !outcome.Correct() {
		zero := 0.0
		v.Score = &zero
	}
}

func (e *evaluation) reject(outcome gpu.Outcome, why string) {
	e.decide(outcome, why, "Your answer could not be used: "+why+".")
}

func (e *evaluation) unsupported(what string, line int) {
	e.find(gpu.Finding{Kind: "unsupported", Severity: severityError, Evidence: what, Line: line})
	e.decide(gpu.OutcomeUnsupported, "unsupported on CPU: "+what,
		"Your kernel was not judged: this machine has no GPU and emulates CUDA on a CPU, which cannot run "+what+".")
}

func (e *evaluation) failCompile() {
	var errors []string
	for _, d := range e.verdict.Diagnostics {
		if d.Severity == severityError {
			errors = append(errors, placed(d))
		}
	}
	summary := "did not compile"
	if len(errors) > 0 {
		summary += ": " + errors[0]
	}
	if n := len(errors); n > 1 {
		summary += fmt.Sprintf(" (and %d more)", n-1)
	}
	told := errors[:min(len(errors), toldErrors)]
	feedback := "Your kernel did not compile. Errors:\n" + strings.Join(told, "\n")
	if n := len(errors) - len(told); n > 0 {
		feedback += fmt.Sprintf("\n(%d more)", n)
	}
	e.decide(gpu.OutcomeCompile, summary, feedback)
}

// placed is a diagnostic on one line, with its notes behind it.
func placed(d gpu.Diagnostic) string {
	place := d.File
	if d.Line > 0 {
		place += fmt.Sprintf(":%d", d.Line)
	}
	if d.Line > 0 && d.Column > 0 {
		place += fmt.Sprintf(":%d", d.Column)
	}
	if place == "" {
		return d.Message
	}
	return place + ": " + d.Message
}

// firstError is for references, whose failing to compile is our own fault.
func firstError(all []gpu.Diagnostic) string {
	for _, d := range all {
		if d.Severity == severityError {
			return placed(d)
		}
	}
	return "the compiler gave no reason"
}

// failRun concludes from a fault. What to do about it is for the person; the
// model is told the fact alone.
func (e *evaluation) failRun(f worker.Fault) {
	sentence := f.Sentence()
	if f.Kind == worker.FaultUnsupported {
		e.unsupported(sentence, f.Line)
		return
	}
	e.find(gpu.Finding{Kind: string(f.Kind), Severity: severityError, Evidence: sentence, Line: f.Line})
	summary := sentence
	if hint := remedy(f.Kind); hint != "" {
		summary += ": " + hint
	}
	if f.Kind == worker.FaultTimeout {
		e.decide(gpu.OutcomeTimeout, summary, "Your kernel compiled, but one call of solve "+sentence+".")
		return
	}
	e.decide(gpu.OutcomeRuntime, "failed at run time: "+summary, "Your kernel compiled, but failed when it ran: "+sentence+".")
}

// remedy says what to look at after a fault.
func remedy(kind worker.FaultKind) string {
	switch kind {
	case worker.FaultOutOfBounds:
		return "compare the index with the size before the access"
	case worker.FaultDivergence:
		return "let every thread of the block reach the same barrier"
	case worker.FaultDeadlock:
		return "let every lane in the mask reach the warp operation"
	case worker.FaultTimeout:
		return "look for a loop that does not end"
	case worker.FaultExit:
		return "return from solve instead"
	case worker.FaultForbidden:
		return "a kernel may only compute"
	case worker.FaultMemory:
		return "allocate less"
	case worker.FaultCUDA:
		return "look at the launch's grid, block and shared memory"
	}
	return ""
}

func (e *evaluation) failTampered(input string) {
	what := "changed its input " + input
	e.find(gpu.Finding{Kind: "input_changed", Severity: severityError, Evidence: what})
	e.decide(gpu.OutcomeMismatch, "incorrect: "+what, "Your kernel compiled and ran, but is incorrect: it "+what+".")
}

func (e *evaluation) failMismatch(f failure) {
	pattern := e.pattern(f)
	e.verdict.Check.Pattern = pattern
	var counts []string
	for _, d := range f.diffs {
		if len(d.Wrong) > 0 {
			counts = append(counts, fmt.Sprintf("%d of %d elements of %s are wrong", len(d.Wrong), d.Got.Len(), d.Got.Name))
		}
	}
	count := strings.Join(counts, " and ")
	summary := "incorrect: " + count
	if pattern != "" {
		summary += ", " + pattern
	}
	if f.trial.about != "fresh inputs" {
		count += " (" + f.trial.about + ")"
		summary += " (" + f.trial.about + ")"
	}
	e.decide(gpu.OutcomeMismatch, summary, mismatchFeedback(count, pattern, e.verdict.Check.First))
}

func mismatchFeedback(count, pattern string, first []gpu.Mismatch) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Your kernel compiled and ran, but its output is incorrect: %s.", count)
	if pattern != "" {
		fmt.Fprintf(&b, "\nWhat they have in common: %s.", pattern)
	}
	b.WriteString("\nThe first of them:")
	for _, m := range first {
		index := strings.Trim(strings.ReplaceAll(fmt.Sprint(m.Index), " ", ", "), "[]")
		fmt.Fprintf(&b, "\n%s[%s]: expected %.7g, got %.7g", m.Output, index, float64(m.Expected), float64(m.Got))
	}
	return b.String()
}

// pattern is the guess at what went wrong, with the line where a watched access
// explains it.
func (e *evaluation) pattern(f failure) string {
	if !f.differs {
		var parts []string
		for _, d := range f.diffs {
			if p := d.Pattern(f.filler); p != "" && len(f.diffs) > 1 {
				parts = append(parts, d.Got.Name+": "+p)
			} else if p != "" {
				parts = append(parts, p)
			}
		}
		return strings.Join(parts, "; ")
	}
	for _, cause := range []struct{ kind, text string }{
		{"uninitialised_shared", "differs between runs: shared memory is read before it is written"},
		{"race", "differs between schedules: a barrier is missing"},
	} {
		at := slices.IndexFunc(e.verdict.Findings, func(g gpu.Finding) bool { return g.Kind == cause.kind })
		if at < 0 {
			continue
		}
		found := &e.verdict.Findings[at]
		found.Severity = severityError
		return fmt.Sprintf("%s (%s)", cause.text, found.Evidence)
	}
	return "differs between schedules: a barrier is missing, or blocks depend on each other"
}

// succeed concludes that nothing was wrong.
func (e *evaluation) succeed() {
	v := &e.verdict
	speedup := v.Speedup[scoreBasis]
	score := correctScore + speedup
	v.Score = &score
	e.decide(gpu.OutcomeCorrect,
		fmt.Sprintf("correct, %.2fx the reference (emulated on CPU: not a GPU time)", speedup),
		fmt.Sprintf("Your kernel is correct. Speedup over the reference: %.2f.", speedup))
}

// find adds a finding, once for each kind and place, up to a bound.
func (e *evaluation) find(f gpu.Finding) {
	known := slices.ContainsFunc(e.verdict.Findings, func(g gpu.Finding) bool {
		return g.Kind == f.Kind && g.Line == f.Line && (g.Line > 0 || g.Evidence == f.Evidence)
	})
	if !known && len(e.verdict.Findings) < maxFindings {
		e.verdict.Findings = append(e.verdict.Findings, f)
	}
}

// finish completes the verdict with what holds for every outcome.
func (e *evaluation) finish() gpu.Verdict {
	v := e.verdict
	v.Stages = e.progress.all()
	v.Environment = e.shop.environment()
	v.Environment["size"] = describe(e.size, e.req.Task.Signature.Dims)
	if len(e.seeds) > 0 {
		v.Environment["seeds"] = strings.Join(e.seeds, " ")
	}
	return v
}
