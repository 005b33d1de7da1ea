package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/demo"
	"example.com/hone/agent/record"
	"example.com/hone/tasks"
	"example.com/hone/ui"
	"example.com/hone/ui/plain"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// defaultRate is the scripted model's believable speed.
const defaultRate = demo.DefaultRate

// screen opens the interface, or does the same as lines where none can be drawn.
func (a *app) screen(ctx context.Context, args []string, opts refineOptions) error {
	if err := opts.alone.check(); err != nil {
		return err
	}
	options, err := a.interfaceOptions(opts)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		task, err := a.findTask(args[0])
		if err != nil {
			return err
		}
		options.Task = &task
	}
	if a.drawing() {
		return a.draw(ctx, options, opts)
	}
	if options.Task == nil {
		return usageError{"no terminal to draw on: name a task, as in \"hone refine softmax --plain\""}
	}
	return a.lines(ctx, *options.Task, opts)
}

// replay shows a stored run on screen.
func (a *app) replay(ctx context.Context, query string) error {
	path, err := record.Find(a.config.Runs, query)
	if err != nil {
		return usageError{err.Error()}
	}
	if !a.drawing() {
		return a.showRun(path)
	}
	options, err := a.interfaceOptions(refineOptions{})
	if err != nil {
		return err
	}
	options.Run = filepath.Base(path)
	return a.draw(ctx, options, refineOptions{rate: defaultRate})
}

func (a *app) interfaceOptions(opts refineOptions) (ui.Options, error) {
	catalog, bad, err := a.catalog()
	if err != nil {
		return ui.Options{}, err
	}
	profile, err := term.Detect(term.Flags{Theme: a.config.Theme}, a.environment, a.outTTY)
	if err != nil {
		return ui.Options{}, usageError{err.Error()}
	}
	return ui.Options{
		Tasks: catalog.All(), Problems: bad, Model: a.modelName(), Profiles: a.config.writers(),
		Theme: theme.New(profile), Editor: a.editor(), Clock: time.Now,
		Runs: a.storedRuns, Load: a.storedEvents,
		Usual: a.config.usualOpenings(), Earlier: a.earlier,
	}, nil
}

// modelName is what the task list says about who writes the kernels.
func (a *app) modelName() string {
	if name := a.config.Profile; name != "" && name != demoProfile {
		return a.config.Models[name].Model
	}
	return demo.Model + " (scripted)"
}

// writers are the models that a session can go over to, and profiles that lack only the
// name of theirs: choosing one says so, and how to learn what its endpoint offers.
func (c *config) writers() []ui.Profile {
	var out []ui.Profile
	for _, name := range slices.Sorted(maps.Keys(c.Models)) {
		p := c.Models[name]
		if name != demoProfile && p.BaseURL != "" {
			out = append(out, ui.Profile{Name: name, Model: cmp.Or(p.Model, "(no model named)"), Endpoint: endpointHost(p.BaseURL)})
		}
	}
	return append(out, ui.Profile{Name: demoProfile, Model: demo.Model})
}

// draw runs the interface, then says on the normal screen what it left behind.
func (a *app) draw(ctx context.Context, options ui.Options, opts refineOptions) error {
	var err error
	if opts.prompts, err = openPrompts(a.config.Prompt); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// A screen makes many small strings that live for one frame: collecting them
	// less often costs some 10 MB and saves a tenth of its processor time.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	usual := 0
	if opts.hint == "" {
		usual = 1 // who opens a task wants to see the model write
	}
	opts.plan, opts.allowance = opts.alone.plan(usual), opts.alone.budget.allowance(agent.Spent{})
	var sessions sessions
	judges := &sharedJudge{open: a.evaluator}
	options.Machine = judges.machine
	out := term.NewWriter(a.outFile)
	clipboard := term.NewClipboard(out, a.config.Runs, a.environment)
	options.Copy = clipboard.Copy
	options.Open = func(ctx context.Context, task tasks.Task) (ui.Live, error) {
		evaluator, err := judges.get()
		if err != nil {
			return nil, errors.New(sentence(err))
		}
		session, path, err := a.openSession(ctx, evaluator, task, opts, false)
		if err != nil {
			return nil, errors.New(sentence(err))
		}
		return sessions.add(session, path), nil
	}
	err = ui.Display(ctx, options, a.in, out)
	cancel()
	return errors.Join(err, a.farewell(sessions.close()), judges.close())
}

// sessions are those that an interface opened.
type sessions struct {
	mu   sync.Mutex
	open []opened
}

type opened struct {
	*live
	path string
}

func (s *sessions) add(l *live, path string) opened {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := opened{live: l, path: path}
	s.open = append(s.open, o)
	return o
}

// close waits for every session to end, so that the records are complete.
func (s *sessions) close() ([]opened, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, o := range s.open {
		errs = append(errs, o.Close())
	}
	return s.open, errors.Join(errs...)
}

// farewell prints two lines for each session, or its work would seem lost with the screen.
func (a *app) farewell(done []opened, err error) error {
	for _, o := range done {
		events, _, readErr := record.Read(o.path)
		if readErr != nil {
			return errors.Join(err, readErr)
		}
		fmt.Fprintln(a.out, term.Clean(lastWords(events, o.path)))
	}
	return err
}

// lastWords name what a session was about, what it came to and where its record is.
func lastWords(events []agent.Event, path string) string {
	s := agent.Replay(events)
	return s.Task.ID + ": " + plain.Result(s, "") + "\n  recorded in " + path
}

func (a *app) storedRuns(context.Context) ([]ui.Run, error) {
	summaries, err := record.List(a.config.Runs)
	if err != nil {
		return nil, err
	}
	runs := make([]ui.Run, 0, len(summaries))
	for _, s := range summaries {
		r := ui.Run{
			ID: s.ID, Task: s.Task, Model: strings.Join(s.Models(), ", "), Started: s.Started, Turns: len(s.Turns),
			Best: s.BestSpeedup(), Emulated: s.Emulated, Stopped: s.Stopped,
		}
		for _, t := range s.Turns {
			r.Speedups, r.Outcomes = append(r.Speedups, t.Speedup), append(r.Outcomes, t.Outcome)
		}
		if s.Stopped == "unreadable" && len(s.Problems) > 0 {
			r.Problem = s.Problems[0].String()
		}
		runs = append(runs, r)
	}
	return runs, nil
}

func (a *app) storedEvents(_ context.Context, run string) ([]agent.Event, error) {
	path, err := record.Find(a.config.Runs, run)
	if err != nil {
		return nil, err
	}
	events, _, err := record.Read(path)
	return events, err
}
