package ui

import (
	"time"

	"example.com/hone/agent"
	"example.com/hone/gpu"
	"example.com/hone/ui/theme"
)

// outcomeWords says an outcome in two lengths: for lists and for sentences.
func outcomeWords(outcome string) (short, long string) {
	words := map[string][2]string{
		string(gpu.OutcomeParse):       {"no kernel", "no kernel in the reply"},
		string(gpu.OutcomeRule):        {"against rules", "against the rules"},
		string(gpu.OutcomeUnsupported): {"unsupported", "unsupported here"},
		string(gpu.OutcomeCompile):     {"compile error", "does not compile"},
		string(gpu.OutcomeRuntime):     {"runtime error", "fails while it runs"},
		string(gpu.OutcomeTimeout):     {"timeout", "takes too long"},
		string(gpu.OutcomeMismatch):    {"wrong result", "wrong result"},
		string(gpu.OutcomeSuspect):     {"suspect", "correct, but not to be believed"},
		string(gpu.OutcomeCorrect):     {"correct", "correct"},
		agent.OutcomeModelError:        {"model error", "the model did not answer"},
		agent.OutcomeTruncated:         {"truncated", "the reply was cut off"},
		agent.OutcomeStopped:           {"stopped", "stopped"},
		agent.OutcomeInfraError:        {"not judged", "could not be judged"},
	}
	if w, ok := words[outcome]; ok {
		return w[0], w[1]
	}
	return oneLine(outcome), oneLine(outcome)
}

// outcomeOf is a turn's outcome, "" while it has none.
func outcomeOf(t *agent.Turn) string {
	switch {
	case t.End != nil:
		return t.End.Outcome
	case t.Verdict != nil:
		return string(t.Verdict.Outcome)
	}
	return ""
}

// outcomeMark is the glyph and the colour of an outcome.
func outcomeMark(t theme.Theme, outcome string) (string, theme.Style) {
	switch outcome {
	case "":
		return t.Glyphs.Running, t.Accent
	case string(gpu.OutcomeCorrect):
		return t.Glyphs.OK, t.Good
	case string(gpu.OutcomeSuspect), string(gpu.OutcomeUnsupported):
		return "?", t.Warn
	case agent.OutcomeStopped, agent.OutcomeInfraError, agent.OutcomeModelError, agent.OutcomeTruncated:
		return t.Glyphs.Skipped, t.Warn
	}
	return t.Glyphs.Fail, t.Bad
}

// stageMark is the glyph, the word and the colour of a stage's state.
func stageMark(t theme.Theme, status gpu.Status, done bool) (string, string, theme.Style) {
	switch status {
	case gpu.StatusOK:
		return t.Glyphs.OK, "ok", t.Good
	case gpu.StatusFailed:
		return t.Glyphs.Fail, "failed", t.Bad
	case gpu.StatusRunning:
		return t.Glyphs.Running, "running", t.Accent
	case gpu.StatusSkipped:
		return t.Glyphs.Skipped, "skipped", t.Dim
	}
	if done {
		return t.Glyphs.Skipped, "skipped", t.Dim
	}
	return t.Glyphs.Waiting, "waiting", t.Dim
}

// stageOf is how a stage of a turn stands. Once the turn has ended, that is what
// its verdict says, and nothing without one: what stages said meanwhile, or in a
// final check, is not on record.
func stageOf(t *agent.Turn, s gpu.Stage, checking bool) gpu.Event {
	if t.Phase != agent.PhaseDone || checking {
		return t.Stages[s]
	}
	if t.Verdict != nil {
		for _, r := range t.Verdict.Stages {
			if r.Name == s {
				return gpu.Event{Stage: s, Status: r.Status, Detail: r.Detail, Elapsed: time.Duration(r.MS * float64(time.Millisecond))}
			}
		}
	}
	return gpu.Event{}
}
