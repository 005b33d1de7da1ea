package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"example.com/hone/agent"
	"example.com/hone/agent/prompt"
	"example.com/hone/agent/record"
	"example.com/hone/agent/reward"
	"example.com/hone/gpu"
	"example.com/hone/tasks"
	"example.com/hone/ui/plain"
)

// refineOptions are the flags of the verbs that open a session.
type refineOptions struct {
	rate     float64 // of the scripted model, tokens per second
	alone    aloneOptions
	plan     agent.Plan // turns to take without being asked: alone, where it is known whether somebody steers
	hint     string     // shown to the model before the first turn
	commands bool       // read commands from standard input, as lines
	prompts  *prompt.Set

	allowance *agent.Allowance // of all sessions of one start
}

// openSession joins task, model, judge and record to a session that runs until
// it is closed. It waits until the judge says what it judges on, and what a task of
// PyTorch takes and gives where solve has to know, since the record begins with that.
// The second result is the folder of the record.
func (a *app) openSession(ctx context.Context, judges referee, task tasks.Task, opts refineOptions, unattended bool) (*live, string, error) {
	if err := a.config.asks(opts.prompts, task); err != nil {
		return nil, "", err
	}
	models := newShelf(func(profile string) (modelSource, error) { return a.model(ctx, profile, opts.rate) })
	choose := func(profile string) (agent.Choice, error) {
		model, err := models.choose(profile)
		if err == nil {
			err = opts.alone.budget.fits(model)
		}
		return model, err
	}
	model, err := choose(cmp.Or(a.config.Profile, demoProfile))
	if err != nil {
		models.close()
		return nil, "", err
	}
	dialect := a.config.dialect(task)
	machine, err := judges.Machine(ctx, runtimeOf(task, dialect))
	if err != nil {
		models.close()
		return nil, "", unusable(err)
	}
	say := a.aside()
	if a.drawing() {
		say = io.Discard // the screen shows that the session starts
	}
	if task, err = posed(ctx, judges, task, dialect, say); err != nil {
		models.close()
		return nil, "", err
	}
	id := ulid.Make().String()
	log, err := record.Create(a.config.Runs, id)
	if err != nil {
		models.close()
		return nil, "", fmt.Errorf("open the record: %w", err)
	}
	release := func() {
		models.close()
		log.Close()
	}
	start := startOf(model, machine, dialect)
	if opts.plan.Turns > 0 {
		start.Plan = &opts.plan
	}
	build := func(observe func(agent.Event)) *agent.Session {
		s := agent.NewSession(agent.Options{
			ID: id, Task: task, Model: model.Model, Choose: choose, Price: model.Price,
			Evaluator: a.config.judging(judges), Recorder: log, Observe: observe,
			Start: start, Facts: a.facts(machine), Limits: a.limits(), Prompts: opts.prompts, Budget: model.Budget,
			Plan: opts.plan, Parallel: defaultParallel, Early: true, Allowance: opts.allowance, Unattended: unattended,
		})
		if opts.hint != "" {
			s.Send(agent.Command{Action: agent.ActionHint, Text: opts.hint})
		}
		return s
	}
	go judges.Prepare(ctx, task) // what fails here fails again in the first evaluation, and is told there
	return startLive(ctx, build, release), filepath.Join(a.config.Runs, id), nil
}

// unusable is why nothing can be judged, or the wish to stop.
func unusable(err error) error {
	if interrupted(err) {
		return err
	}
	return evaluatorError{err}
}

func startOf(model agent.Choice, machine gpu.Machine, dialect gpu.Dialect) agent.SessionStarted {
	asked := model.Model.Describe()
	return agent.SessionStarted{
		Version: version, Profile: model.Profile, Model: asked.Model, Endpoint: asked.Endpoint, Scripted: model.Scripted,
		Dialect: string(dialect), Device: machine.Device, Emulated: machine.Emulated, Gamma: reward.DefaultGamma,
	}
}

// facts describe the machine that evaluations run on.
func (a *app) facts(machine gpu.Machine) map[string]string {
	facts := map[string]string{
		"device":   machine.Device,
		"compiler": a.config.Compiler,
		"system":   runtime.GOOS + "/" + runtime.GOARCH,
		"cores":    fmt.Sprint(runtime.NumCPU()),
		"hone":     version,
	}
	if machine.Reason != "" {
		facts[plain.FactNoGPU] = machine.Reason
	}
	return facts
}

// ending turns how a session without a screen ended into an error for explain: the
// newest turn says why, and of several samples of a round those that told anything.
func ending(s agent.State) error {
	if s.Best != 0 {
		return nil
	}
	for _, t := range slices.Backward(s.Turns) {
		if t.End == nil {
			continue
		}
		if slices.ContainsFunc(round(s, t), (*agent.Turn).Told) {
			break
		}
		switch t.End.Outcome {
		case agent.OutcomeModelError:
			return modelError{errors.New(strings.TrimSpace(t.End.Summary))}
		case agent.OutcomeInfraError:
			return evaluatorError{errors.New(strings.TrimSpace(t.End.Summary))}
		case agent.OutcomeStopped:
			return context.Canceled
		}
		break
	}
	return noCorrectKernel{}
}

// round are the samples up to a turn that were asked for with it: they follow each
// other and are equally deep in the tree, on several parents in a beam search. A turn
// that is no sample is alone.
func round(s agent.State, last *agent.Turn) []*agent.Turn {
	first, depth := last.Number, len(s.Path(last.Number))
	for last.Sample > 0 && first > 1 && s.Turn(first-1).Sample > 0 && len(s.Path(first-1)) == depth {
		first--
	}
	return s.Turns[first-1 : last.Number]
}
