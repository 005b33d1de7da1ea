package report

import (
	"fmt"
	"slices"
	"strings"

	"example.com/hone/gpu"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/worker"
)

// The severities of a finding.
const (
	Error   = "error" // decided the outcome
	Warning = "warning"
	Suspect = "suspect"
)

// The baselines that scores are taken over: a task's native reference, or PyTorch
// eager for answers written for it.
const (
	ScoreBasis   = "reference"
	EagerBasis   = "eager"
	CompileBasis = "compile" // torch.compile
)

// Who is timed beside the baseline of a score.
const (
	Candidate = "candidate"
	Best      = "best" // the best answer so far
)

const (
	correctScore  = 0.3  // Kevin's reward of being right, beside the speedup
	toldErrors    = 5    // compiler errors that the model is told
	toldCharacter = 4000 // characters of feedback
)

// decide ends the evaluation.
func (r *Report) decide(outcome gpu.Outcome, summary, feedback string) {
	v := &r.Verdict
	v.Outcome, v.Summary = outcome, summary
	v.Feedback = bounded(feedback, toldCharacter)
	if outcome.Scored() && !outcome.Correct() {
		zero := 0.0
		v.Score = &zero
	}
}

// Reject concludes that the answer cannot be used.
func (r *Report) Reject(outcome gpu.Outcome, why string) {
	r.decide(outcome, why, "Your answer could not be used: "+why+".")
}

// Unsupported concludes that CPU emulation cannot run the kernel.
func (r *Report) Unsupported(what string, line int) {
	r.Find(gpu.Finding{Kind: "unsupported", Severity: Error, Evidence: what, Line: line})
	r.decide(gpu.OutcomeUnsupported, "unsupported on CPU: "+what,
		"Your kernel was not judged: CUDA is emulated on a CPU here, which cannot run "+what+".")
}

// CannotRun concludes that this machine lacks what an answer needs, for which the answer is
// not to blame.
func (r *Report) CannotRun(why string, line int) {
	r.Find(gpu.Finding{Kind: "unsupported", Severity: Error, Evidence: why, Line: line})
	r.decide(gpu.OutcomeUnsupported, "not judged: "+why, "Your kernel was not judged: "+why+".")
}

// Violation is one rule that an answer breaks.
type Violation struct {
	Rule string
	Line int // of the answer
	Why  string
}

// Violates concludes that an answer breaks rules; it is not run.
func (r *Report) Violates(set string, all []Violation) {
	var lines []string
	for _, v := range all {
		r.Find(gpu.Finding{Kind: v.Rule, Severity: Error, Evidence: v.Why, Line: v.Line})
		lines = append(lines, fmt.Sprintf("line %d: %s (rule %s)", v.Line, v.Why, v.Rule))
	}
	summary := fmt.Sprintf("breaks a rule of %s: %s", set, lines[0])
	if n := len(lines); n > 1 {
		summary += fmt.Sprintf(" (and %d more)", n-1)
	}
	told := lines[:min(len(lines), toldErrors)]
	r.decide(gpu.OutcomeRule, summary, "Your answer breaks the rules and was not run:\n"+strings.Join(told, "\n"))
}

// NeedsNVCC concludes that only nvcc can build the kernel, where there is none.
func (r *Report) NeedsNVCC(construct string, line int) {
	what := fmt.Sprintf("%s (line %d)", construct, line)
	r.Find(gpu.Finding{Kind: "unsupported", Severity: Error, Evidence: what, Line: line})
	r.decide(gpu.OutcomeUnsupported, "not judged: "+what+" needs nvcc, which is not installed here: install the CUDA toolkit",
		"Your kernel was not judged: this machine has no nvcc, which "+what+" needs.")
}

// NotCompiled concludes from the verdict's diagnostics.
func (r *Report) NotCompiled() {
	var errors []string
	for _, d := range r.Verdict.Diagnostics {
		if d.Severity == Error {
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
	r.decide(gpu.OutcomeCompile, summary, feedback)
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

// FirstError is for references, whose failing to compile is our own fault.
func FirstError(all []gpu.Diagnostic) string {
	for _, d := range all {
		if d.Severity == Error {
			return placed(d)
		}
	}
	return "the compiler gave no reason"
}

// Failed concludes from a fault. What to do about it is for the person; the
// model is told the fact alone.
func (r *Report) Failed(f worker.Fault) {
	sentence := f.Sentence()
	if f.Kind == worker.FaultUnsupported {
		r.Unsupported(sentence, f.Line)
		return
	}
	r.Find(gpu.Finding{Kind: string(f.Kind), Severity: Error, Evidence: sentence, Line: f.Line})
	summary := sentence
	if hint := remedy(f.Kind); hint != "" {
		summary += ": " + hint
	}
	if f.Kind == worker.FaultTimeout {
		r.decide(gpu.OutcomeTimeout, summary, "Your kernel compiled, but one call of solve "+sentence+".")
		return
	}
	r.decide(gpu.OutcomeRuntime, "failed at run time: "+summary, "Your kernel compiled, but failed when it ran: "+sentence+".")
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
	case worker.FaultAddress:
		return "look for an index or a pointer that leaves its tensor"
	case device.FaultMisaligned:
		return "load vectors from addresses that are multiples of their size"
	}
	return ""
}

// Spoilt concludes from a run that did not end well, whatever its results: from its
// fault, from damage around an output, or from an input that was written. It reports
// whether there was any of these.
func (r *Report) Spoilt(fault *worker.Fault, damage, input string) bool {
	switch {
	case fault != nil:
		r.Failed(*fault)
	case damage != "":
		r.Failed(worker.Fault{Kind: worker.FaultOutOfBounds, Message: damage})
	case input != "":
		r.Tampered(input)
	default:
		return false
	}
	return true
}

// Stumbled concludes from a fault while programs are timed by turns: of the candidate it
// is the verdict; the best kernel so far is out from then on, which the verdict tells; of
// the reference it is an error, since it is ours.
func (r *Report) Stumbled(name string, fault worker.Fault) (out bool, err error) {
	switch name {
	case Candidate:
		r.Failed(fault)
	case Best:
		r.NoBaseline(Best, "while it was timed: "+fault.Sentence())
		return true, nil
	default:
		return false, fmt.Errorf("the %s kernel failed while it was timed: %s", name, fault.Sentence())
	}
	return false, nil
}

// Tampered concludes that an input, which the kernel may only read, was written.
func (r *Report) Tampered(input string) {
	what := "changed its input " + input
	r.Find(gpu.Finding{Kind: "input_changed", Severity: Error, Evidence: what})
	r.decide(gpu.OutcomeMismatch, "incorrect: "+what, "Your kernel compiled and ran, but is incorrect: it "+what+".")
}

// Mismatch is what is known of outputs that are wrong.
type Mismatch struct {
	About   string             // what is special about the trial's inputs, empty when nothing is
	Diffs   []check.Difference // by output
	Filler  byte               // that the outputs held before
	Differs bool               // the same inputs gave outputs that differ from run to run
}

// Mismatch concludes that outputs are wrong. The verdict's Check is there already.
func (r *Report) Mismatch(m Mismatch) {
	pattern := r.pattern(m)
	r.Verdict.Check.Pattern = pattern
	var counts []string
	for _, d := range m.Diffs {
		if len(d.Wrong) > 0 {
			counts = append(counts, fmt.Sprintf("%d of %d elements of %s are wrong", len(d.Wrong), d.Got.Len(), d.Got.Name))
		}
	}
	count := strings.Join(counts, " and ")
	summary := "incorrect: " + count
	if pattern != "" {
		summary += ", " + pattern
	}
	if m.About != "" {
		count += " (" + m.About + ")"
		summary += " (" + m.About + ")"
	}
	r.decide(gpu.OutcomeMismatch, summary, mismatchFeedback(count, pattern, r.Verdict.Check.First))
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
func (r *Report) pattern(m Mismatch) string {
	if !m.Differs {
		var parts []string
		for _, d := range m.Diffs {
			if p := d.Pattern(m.Filler); p != "" && len(m.Diffs) > 1 {
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
		at := slices.IndexFunc(r.Verdict.Findings, func(g gpu.Finding) bool { return g.Kind == cause.kind })
		if at < 0 {
			continue
		}
		found := &r.Verdict.Findings[at]
		found.Severity = Error
		return fmt.Sprintf("%s (%s)", cause.text, found.Evidence)
	}
	return "differs between schedules: a barrier is missing, or blocks depend on each other"
}

// Correct concludes that nothing was wrong, from the verdict's speedup.
func (r *Report) Correct() {
	v := &r.Verdict
	speedup := v.Speedup[v.ScoreBasis]
	score := correctScore + speedup
	v.Score = &score
	summary := fmt.Sprintf("correct, %.2fx %s", speedup, gpu.BaselineName(v.ScoreBasis))
	if v.Timing != nil && v.Timing.Emulated {
		summary += " (emulated on CPU: not a GPU time)"
	} else if v.Timing != nil {
		summary += fmt.Sprintf(", %.4g us", v.Timing.MedianUS)
	}
	r.decide(gpu.OutcomeCorrect, summary, fmt.Sprintf("Your kernel is correct. Speedup over %s: %.2f.", gpu.BaselineName(v.ScoreBasis), speedup))
}

// Suspect concludes that a kernel's outputs are right and its time is not to be
// believed.
func (r *Report) Suspect(why string) {
	r.Find(gpu.Finding{Kind: "timing", Severity: Suspect, Evidence: why})
	r.decide(gpu.OutcomeSuspect, "suspect: "+why,
		"Your kernel's output is correct, but its time cannot be believed: "+why+".")
}
