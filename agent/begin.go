package agent

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"example.com/hone/agent/prompt"
	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

// ask is a turn of the model.
func (s *Session) ask(start TurnStarted) *turn {
	start.Source = SourceModel
	return &turn{start: start, input: s.input(start)}
}

// asked begins a turn of the model that a person asked for: it uses up the
// allowance as every other does, and is not refused for want of it.
func (s *Session) asked(ctx context.Context, t *turn) {
	s.opts.Allowance.add(1)
	s.begin(ctx, t)
}

// retry asks the model again with the prompt of an earlier turn.
func (s *Session) retry(ctx context.Context, sibling *Turn) {
	t := s.ask(TurnStarted{Parent: sibling.Parent, Reason: ActionRetry, Hint: sibling.Hint})
	t.prompt = sibling.Prompt
	s.asked(ctx, t)
}

// edit evaluates a kernel that a person wrote, as a turn of its own.
func (s *Session) edit(ctx context.Context, c Command, acted *HumanActed) {
	if t := s.state.Turn(c.Turn); t != nil {
		acted.Before = t.Kernel()
	}
	acted.After = c.Kernel
	acted.Diff = udiff.Unified(fmt.Sprintf("turn %d", c.Turn), "edited", acted.Before, acted.After)
	s.emit(c.Turn, KindHumanActed, acted)
	start := TurnStarted{Parent: c.Turn, Source: SourceHuman, Reason: ActionEdit}
	s.begin(ctx, &turn{start: start, kernel: c.Kernel})
}

// draft shows the prompt that a person would have sent next.
func (s *Session) draft(c Command) {
	start := TurnStarted{Parent: c.Turn, Hint: c.Text}
	built, err := buildPrompt(s.input(start))
	if err != nil {
		s.notice(c.Turn, LevelError, line(err))
		return
	}
	s.emit(c.Turn, KindPromptDrafted, &PromptDrafted{Parent: c.Turn, Hint: c.Text, Prompt: *built})
}

// send asks the model with a prompt that a person edited.
func (s *Session) send(ctx context.Context, c Command, acted *HumanActed) {
	t := s.ask(TurnStarted{Parent: c.Turn, Reason: ActionSend, Hint: c.Text})
	built, err := buildPrompt(t.input)
	if err != nil {
		s.notice(c.Turn, LevelError, line(err))
		return
	}
	messages, err := prompt.Parse(c.Prompt) // a refusal has named what is wrong with it
	if err != nil || slices.Equal(messages, built.Messages) {
		s.notice(c.Turn, LevelWarn, "the prompt was not changed, so it was not sent: ask for the next turn to send it as it is")
		return
	}
	acted.Before, acted.After = prompt.Text(built.Messages), prompt.Text(messages)
	acted.Diff = udiff.Unified("prompt", "edited", acted.Before, acted.After)
	s.emit(c.Turn, KindHumanActed, acted)
	built.Messages, built.Edited, built.Tokens = messages, true, s.scale().Of(messages)
	t.prompt = built
	s.asked(ctx, t)
}

func (s *Session) begin(ctx context.Context, t *turn) {
	number := len(s.state.Turns) + 1
	t.model, t.evaluator, t.request = s.sampled(t.start.Sample), s.opts.Evaluator, s.request(number)
	t.early = s.opts.Early && t.start.Sample == 0
	s.emit(number, KindTurnStarted, &t.start)
	j := &job{turn: number, price: s.opts.Price, counted: t.start.Source == SourceModel}
	s.launch(ctx, j, func(ctx context.Context, emit emitter) (Kind, any) {
		return KindTurnEnded, t.run(ctx, emit)
	})
}

// sample is the place of a turn that a person asks for among the replies of the
// round that the plan is about to take, 0 if it is none of them.
func (s *Session) sample(parent int) int {
	if s.plan == nil || s.plan.Replies() == 1 || parent != s.plan.From {
		return 0
	}
	return 1
}

// sampled is the model that gives the n-th of several replies to one prompt.
func (s *Session) sampled(n int) Model {
	if m, ok := s.opts.Model.(Sampler); ok && n > 0 {
		return m.Sample(n)
	}
	return s.opts.Model
}

// request is an evaluation for a turn, all but the kernel.
func (s *Session) request(number int) gpu.Request {
	req := gpu.Request{Task: s.opts.Task, Dialect: gpu.Dialect(s.opts.Start.Dialect), Limits: s.opts.Limits}
	if req.Dialect == "" {
		req.Dialect = gpu.CUDA
	}
	if rival := s.state.ToBeat(); rival != nil && rival.Number != number {
		req.Best = rival.Kernel()
	}
	return req
}

// input is what the model is shown before a turn: the path from the root to
// the turn's parent. Siblings and other branches are never seen.
func (s *Session) input(start TurnStarted) prompt.Input {
	in := prompt.Input{
		Set: s.opts.Prompts, Task: PromptTask(s.state.Task, s.opts.Start.Device, s.request(0).Dialect),
		Hint: start.Hint, Budget: s.opts.Budget, Scale: s.scale(),
	}
	for _, t := range s.state.Path(start.Parent) {
		if a, ok := attempt(t); ok {
			in.Turns = append(in.Turns, a)
		}
	}
	return in
}

// PromptTask states a pinned task as a prompt does.
func PromptTask(t TaskPinned, device string, dialect gpu.Dialect) prompt.Task {
	return prompt.Task{
		Reference: t.Reference, Declaration: t.Signature, Shapes: t.Shapes, Device: device, Dialect: string(dialect),
	}
}

// scale is how the present model's server counted the largest prompt that it gave a
// count of: in a small one, what its chat template adds would weigh too much.
func (s *Session) scale() prompt.Scale {
	var largest prompt.Scale
	now := s.opts.Model.Describe().Model
	for _, t := range s.state.Turns {
		if t.Prompt == nil || t.Request == nil || t.Request.Model != now || t.Response == nil || t.Response.Usage.Estimated {
			continue
		}
		if scale := prompt.ScaleOf(t.Prompt.Messages, t.Response.Usage.Prompt); scale.Estimate > largest.Estimate {
			largest = scale
		}
	}
	return largest
}

// attempt is a turn as a later prompt shows it. A turn that was stopped, or that
// the harness could not judge, taught nothing and is left out. Of a reply that was
// cut off nothing is shown but that, as in Kevin's trainer.
func attempt(t *Turn) (prompt.Attempt, bool) {
	a := prompt.Attempt{Number: t.Number, Hint: t.Hint}
	switch {
	case t.Verdict != nil:
		a.Kernel, a.Feedback = t.Kernel(), t.Verdict.Feedback
		if t.Code != nil {
			a.Summary = t.Code.Summary
		}
	case t.End != nil && t.End.Outcome == OutcomeTruncated:
		a.Feedback = "Your answer was cut off before its end, so nothing was evaluated."
	default:
		return a, false
	}
	return a, true
}

// Pin states a task as a session records it and a prompt shows it.
func Pin(t tasks.Task) TaskPinned {
	return TaskPinned{
		ID: t.ID, Title: t.Title, Level: t.Level, SHA256: t.SHA256, Reference: t.Reference,
		Signature: t.Signature.Declare("solve"), Shapes: tasks.Shapes(t),
	}
}

// hostOnly drops all of an endpoint but its host, since paths, queries and user
// names may hold a key.
func hostOnly(endpoint string) string {
	if u, err := url.Parse(endpoint); err == nil && u.Host != "" {
		return u.Host
	}
	_, host, found := strings.Cut(endpoint, "@")
	if !found {
		host = endpoint
	}
	host, _, _ = strings.Cut(host, "/")
	host, _, _ = strings.Cut(host, "?")
	return host
}
