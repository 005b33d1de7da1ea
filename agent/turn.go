package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/hone/agent/extract"
	"example.com/hone/agent/prompt"
	"example.com/hone/agent/reward"
	"example.com/hone/gpu"
)

// turn takes one turn from prompt to score, beside the session's goroutine: it
// holds all it needs, shares nothing, and tells what happens by emit.
type turn struct {
	start     TurnStarted
	model     Model
	evaluator gpu.Evaluator
	request   gpu.Request  // lacks the kernel
	input     prompt.Input // of the model's turn
	prompt    *PromptBuilt // a sibling's, sent again as it is, or a person's; nil: made from input
	kernel    string       // of a human turn
	early     bool         // build the kernel while the model writes what comes after it
	ahead     *ahead       // nil where nothing is
	emit      emitter
}

func (t *turn) run(ctx context.Context, emit emitter) *TurnEnded {
	t.emit = emit
	if t.start.Source == SourceHuman {
		emit(KindCodeExtracted, &CodeExtracted{
			Kernel: t.kernel, SHA256: digest(t.kernel), Language: string(t.request.Dialect), Rule: "edited by hand",
			Problems: []string{},
		})
		return t.judge(ctx, t.kernel)
	}
	if err := t.build(); err != nil {
		return &TurnEnded{Outcome: OutcomeInfraError, Summary: line(err)}
	}
	defer func() { t.ahead.drop() }()
	response := t.ask(ctx)
	t.ahead.end(response)
	emit(KindModelResponded, response)
	code := t.extract(response)
	if response.Error != "" || response.CancelledBy != "" {
		return unanswered(response)
	}
	if code.Truncated {
		t.score(new(float64))
		return &TurnEnded{Outcome: OutcomeTruncated, Summary: "the reply was cut off: " + odd(code)}
	}
	if !code.Usable {
		return t.unparsed(code)
	}
	return t.judge(ctx, code.Kernel)
}

func (t *turn) build() error {
	if t.prompt == nil {
		var err error
		if t.prompt, err = buildPrompt(t.input); err != nil {
			return err
		}
	}
	t.emit(KindPromptBuilt, t.prompt)
	if t.input.Exceeded(t.prompt.Tokens) {
		t.emit(KindNoticed, &Noticed{Level: LevelWarn, Text: t.tooLong()})
	}
	return nil
}

// tooLong says that the prompt takes more than it should, and what to do about it.
func (t *turn) tooLong() string {
	form := "the prompt takes about %d tokens of %d, and nothing more can be left out: the reply may be cut off; give the model's profile a larger context"
	if t.prompt.Edited {
		form = "the prompt takes about %d tokens of %d: the reply may be cut off; shorten the prompt, or give the model's profile a larger context"
	}
	return fmt.Sprintf(form, t.prompt.Tokens, t.input.Budget)
}

func buildPrompt(in prompt.Input) (*PromptBuilt, error) {
	p, err := prompt.Build(in)
	if err != nil {
		return nil, fmt.Errorf("build prompt: %w", err)
	}
	return &PromptBuilt{
		Messages: p.Messages, Template: p.Template, SHA256: p.SHA256, DroppedTurns: append([]int{}, p.Dropped...), Tokens: p.Tokens, Scaled: p.Scaled,
	}, nil
}

// ask streams the reply. The response holds every byte that was heard, however
// the stream ended.
func (t *turn) ask(ctx context.Context) *ModelResponded {
	request := t.model.Describe()
	request.Endpoint, request.Attempt = hostOnly(request.Endpoint), max(request.Attempt, 1)
	t.emit(KindModelRequested, &request)

	var reasoning, content strings.Builder
	parts := extract.Stream{Torch: t.request.Dialect == gpu.Torch}
	vigil := watch(t.silent)
	heard := func(e ModelEvent) {
		vigil.heard(e.Wait)
		if e.Attempt > 1 {
			t.retried(request, e)
		}
		if e.Delta.Reasoning {
			reasoning.WriteString(e.Delta.Text)
		} else {
			content.WriteString(e.Delta.Text)
		}
		if e.Delta.Text != "" {
			t.emit(KindTextDelta, &e.Delta)
			t.goAhead(ctx, &parts, e.Delta)
		}
	}
	var reply Reply
	var err error
	if crash := guard(func() { reply, err = t.model.Stream(ctx, t.prompt.Messages, heard) }); crash != nil {
		err = crash
	}
	vigil.end()
	response := &ModelResponded{
		Content: cmp.Or(reply.Content, content.String()), Reasoning: cmp.Or(reply.Reasoning, reasoning.String()),
		FinishReason: reply.FinishReason, Complete: reply.Complete && err == nil, Usage: reply.Usage,
		Total: reply.Total, Raw: reply.Raw,
	}
	if reply.FirstToken > 0 {
		response.FirstToken = &reply.FirstToken
	}
	t.explain(ctx, response, err)
	return response
}

// retried says that the request is being sent again.
func (t *turn) retried(request ModelRequested, e ModelEvent) {
	request.Attempt, request.Wait = e.Attempt, e.Wait
	request.Attempts = cmp.Or(e.Attempts, request.Attempts)
	t.emit(KindNoticed, &Noticed{Level: LevelWarn, Text: fmt.Sprintf(
		"%s; asking again in %s (%s)", e.Cause, e.Wait.Round(100*time.Millisecond), request.Try())})
	t.emit(KindModelRequested, &request)
}

// silent says that nothing has come for so long.
func (t *turn) silent(quiet time.Duration) {
	t.emit(KindNoticed, &Noticed{Level: LevelInfo, Text: fmt.Sprintf("no text from the model for %s; still waiting, stop the turn to give up", quiet)})
}

// explain says in the response why the reply is not whole.
func (t *turn) explain(ctx context.Context, r *ModelResponded, err error) {
	switch {
	case err == nil && r.Complete:
	case ctx.Err() != nil:
		r.CancelledBy = "human"
	case err == nil:
		r.Error = "the stream ended before the reply did; retry the turn"
	default:
		if errors.Is(err, context.DeadlineExceeded) {
			r.CancelledBy = "timeout"
		}
		r.Error = line(err)
	}
}

func unanswered(r *ModelResponded) *TurnEnded {
	if r.CancelledBy == "human" {
		return &TurnEnded{Outcome: OutcomeStopped, Summary: "stopped while the model was writing"}
	}
	return &TurnEnded{Outcome: OutcomeModelError, Summary: r.Error}
}

func (t *turn) extract(r *ModelResponded) extract.Result {
	code := extract.Reply(extract.Input{
		Reasoning: r.Reasoning, Content: r.Content, FinishReason: r.FinishReason, Cut: !r.Complete,
		Torch: t.request.Dialect == gpu.Torch,
	})
	event := &CodeExtracted{
		Kernel: code.Kernel, Language: code.Language, Rule: code.Rule, Summary: code.Summary, Problems: append([]string{}, code.Problems...),
	}
	if code.Kernel != "" {
		event.SHA256 = digest(code.Kernel)
	}
	t.emit(KindCodeExtracted, event)
	return code
}

// unparsed gives a reply without a kernel the verdict that the next prompt and
// the score need.
func (t *turn) unparsed(code extract.Result) *TurnEnded {
	why := odd(code)
	cause, _, _ := strings.Cut(why, ";") // what follows is for a person to do
	v := gpu.Verdict{
		Schema: gpu.VerdictSchema, Task: t.request.Task.ID, TaskSHA256: t.request.Task.SHA256,
		Dialect: t.request.Dialect, Outcome: gpu.OutcomeParse, Score: new(float64),
		Summary: "no kernel in the reply: " + why,
		Feedback: "Your answer could not be evaluated, since no kernel was found in it: " + cause +
			".\nGive the complete code in one fenced block that is closed.",
	}
	for _, stage := range gpu.Stages() {
		v.Stages = append(v.Stages, gpu.StageResult{Name: stage, Status: gpu.StatusSkipped})
	}
	return t.conclude(&Evaluated{Verdict: &v})
}

func (t *turn) judge(ctx context.Context, kernel string) *TurnEnded {
	t.request.Kernel = kernel
	result, done := t.ahead.finish(kernel)
	if !done {
		result = evaluate(ctx, t.evaluator, t.request, t.emit)
	}
	end := t.conclude(result)
	if result.Verdict == nil && ctx.Err() != nil {
		end.Outcome, end.Summary = OutcomeStopped, "stopped while the kernel was evaluated"
	}
	return end
}

// conclude turns the result of an evaluation into a score and an end.
func (t *turn) conclude(r *Evaluated) *TurnEnded {
	t.emit(KindEvaluated, r)
	if r.Verdict == nil {
		t.score(nil)
		return &TurnEnded{Outcome: OutcomeInfraError, Summary: r.Error}
	}
	t.score(worth(r.Verdict))
	return &TurnEnded{Outcome: string(r.Verdict.Outcome), Summary: r.Verdict.Summary}
}

func (t *turn) score(s *float64) { t.emit(KindScored, &Scored{Scorer: "kevin", Score: s}) }

// worth is the score of a verdict, nil where it says nothing about the kernel or
// the speedup is unknown.
func worth(v *gpu.Verdict) *float64 {
	speedup, timed := v.Speedup[v.ScoreBasis]
	if !v.Outcome.Scored() || v.Outcome.Correct() && !timed {
		return nil
	}
	s := reward.Score(v.Outcome.Correct(), speedup)
	return &s
}

// evaluate runs one evaluation. Its result has a verdict or an error.
func evaluate(ctx context.Context, evaluator gpu.Evaluator, req gpu.Request, emit emitter) *Evaluated {
	var v gpu.Verdict
	var err error
	observe := func(e gpu.Event) { emit(KindStageChanged, &e) }
	if crash := guard(func() { v, err = evaluator.Evaluate(ctx, req, observe) }); crash != nil {
		err = crash
	}
	switch {
	case err == nil:
		return &Evaluated{Verdict: &v, Accept: req.Accept}
	case ctx.Err() != nil:
		return &Evaluated{Error: "stopped", Accept: req.Accept}
	}
	return &Evaluated{Error: line(err), Accept: req.Accept}
}

// odd says what is odd about a reply, in one line.
func odd(code extract.Result) string {
	return cmp.Or(strings.Join(code.Problems, "; "), code.Rule)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
