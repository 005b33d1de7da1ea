package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"example.com/hone/agent"
	"example.com/hone/agent/batch"
	"example.com/hone/agent/prompt"
	"example.com/hone/agent/record"
	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

// collection is a run with all that its sessions share.
type collection struct {
	app       *app
	options   runOptions
	directory *batch.Directory
	manifest  batch.Manifest
	tasks     map[string]tasks.Task
	machines  map[gpu.Dialect]gpu.Machine
	judges    referee
	sick      func() []string // which judges are out of order, and why
	model     modelSource
	prompts   *prompt.Set
	release   []func() error // of what was opened, in order
	allowance *agent.Allowance
}

// openCollection finds or plans a run and opens what it needs.
func (a *app) openCollection(ctx context.Context, opts runOptions) (_ *collection, err error) {
	c := &collection{app: a, options: opts}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	path, id, err := a.runFolder(opts)
	if err != nil {
		return nil, err
	}
	manifest, found, err := batch.Load(path)
	if err != nil {
		return nil, err
	}
	if found {
		c.options = opts.adopt(manifest.Settings)
		if !opts.given["timeout"] {
			a.flags.timeout = manifest.Settings.Timeout
		}
		if err := c.hold(path); err != nil {
			return nil, err
		}
	}
	if opts.given["keep"] && !c.options.beam {
		return nil, usageError{"--keep is of a beam search: give --beam as well, or leave it out"}
	}
	if err := c.choose(manifest, found); err != nil {
		return nil, err
	}
	if err := c.equip(ctx); err != nil {
		return nil, err
	}
	if found {
		c.manifest, err = manifest, same(manifest, c.settings())
	} else {
		c.manifest = c.draft(id, c.settings())
		err = c.plan(path)
	}
	if err != nil {
		return nil, err
	}
	c.allowance = opts.budget.allowance(c.spent())
	return c, nil
}

// hold takes the folder of the run.
func (c *collection) hold(path string) error {
	var err error
	if c.directory, err = batch.Hold(path); err != nil {
		return usageError{err.Error()}
	}
	c.release = append(c.release, c.directory.Close)
	return nil
}

// plan begins a run that is new. It comes last, so that a start that is refused
// leaves nothing behind.
func (c *collection) plan(path string) error {
	if err := c.hold(path); err != nil {
		return err
	}
	return c.directory.Save(c.manifest)
}

// runFolder is where the run is, and the id of a new one.
func (a *app) runFolder(opts runOptions) (path, id string, err error) {
	id = ulid.Make().String()
	switch {
	case opts.resume != "":
		if path, err = batch.Find(a.config.Runs, opts.resume); err != nil {
			return "", "", usageError{err.Error()}
		}
		return path, id, nil
	case opts.out != "":
		return opts.out, id, nil
	}
	return batch.Folder(a.config.Runs, id), id, nil
}

// same refuses to mix trajectories that could not be compared.
func same(m batch.Manifest, now batch.Settings) error {
	if why := m.Settings.Differs(now); why != "" {
		return usageError{fmt.Sprintf("run %s was begun otherwise: %s; use the same, or another --out", m.Run, why)}
	}
	return nil
}

// adopt takes from a run that goes on what no flag says.
func (o runOptions) adopt(s batch.Settings) runOptions {
	if !o.given["trajectories"] {
		o.trajectories = s.Trajectories
	}
	if !o.given["turns"] {
		o.turns = s.Plan.Turns
	}
	if !o.given["beam"] {
		o.beam = s.Plan.Samples > 0
	}
	if !o.given["keep"] && o.beam {
		o.keep = s.Plan.Keep
	}
	return o
}

// choose finds the tasks: those of a run that goes on, or those asked for.
func (c *collection) choose(m batch.Manifest, found bool) error {
	catalog, _, err := c.app.catalog()
	if err != nil {
		return err
	}
	asked := map[string]tasks.Task{}
	if !found || c.options.given["tasks"] || c.options.given["level"] {
		if asked, err = c.options.choose(catalog); err != nil {
			return err
		}
	}
	if !found {
		c.tasks = asked
		return nil
	}
	if err := c.recall(catalog, m); err != nil {
		return err
	}
	if len(asked) > 0 && !maps.EqualFunc(asked, c.tasks, func(a, b tasks.Task) bool { return a.ID == b.ID }) {
		return usageError{fmt.Sprintf("run %s was begun with other tasks: leave out --tasks and --level, or use another --out", m.Run)}
	}
	return nil
}

// recall finds the tasks of a run that goes on.
func (c *collection) recall(catalog tasks.Catalog, m batch.Manifest) error {
	c.tasks = map[string]tasks.Task{}
	for _, p := range m.Trajectories {
		t, err := catalog.Find(p.Task)
		switch {
		case err != nil:
			return usageError{fmt.Sprintf("run %s: %v; give the same --source as before", m.Run, err)}
		case t.SHA256 != p.SHA256:
			return usageError{fmt.Sprintf("run %s: task %s has changed since; use another --out", m.Run, p.Task)}
		}
		c.tasks[t.ID] = t
	}
	return nil
}

// choose is the tasks that the flags name, by ID.
func (o runOptions) choose(catalog tasks.Catalog) (map[string]tasks.Task, error) {
	chosen := catalog.All()
	if len(o.tasks) > 0 {
		chosen = nil
		for _, query := range o.tasks {
			t, err := catalog.Find(query)
			if err != nil {
				return nil, usageError{"--tasks: " + err.Error()}
			}
			chosen = append(chosen, t)
		}
	}
	byID := map[string]tasks.Task{}
	for _, t := range chosen {
		if len(o.levels) == 0 || slices.Contains(o.levels, t.Level) {
			byID[t.ID] = t
		}
	}
	if len(byID) == 0 {
		return nil, usageError{fmt.Sprintf("no task is of level %v: see \"hone tasks list\"", o.levels)}
	}
	return byID, nil
}

// equip opens prompt set, model and judge.
func (c *collection) equip(ctx context.Context) error {
	var err error
	if c.prompts, err = openPrompts(c.app.config.Prompt); err != nil {
		return err
	}
	for _, t := range sorted(c.tasks) {
		if err := c.app.config.asks(c.prompts, t); err != nil {
			return err
		}
	}
	if c.model, err = c.app.model(ctx, cmp.Or(c.app.config.Profile, demoProfile), c.options.rate); err != nil {
		return err
	}
	c.release = append(c.release, func() error { c.model.close(); return nil })
	if err := c.options.budget.fits(c.model.Choice); err != nil {
		return err
	}
	judges, err := c.app.evaluators(ctx, c.options.judges)
	if err != nil {
		return err
	}
	c.judges, c.sick, c.release = judges, judges.queue.Sick, append(c.release, judges.Close)
	return c.describe(ctx)
}

// describe asks what the answers to the tasks are judged on, and what a task of
// PyTorch takes and gives where solve has to know.
func (c *collection) describe(ctx context.Context) error {
	var err error
	c.machines = map[gpu.Dialect]gpu.Machine{}
	for _, t := range sorted(c.tasks) {
		dialect := c.app.config.dialect(t)
		runs := runtimeOf(t, dialect)
		if _, ok := c.machines[runs]; !ok {
			if c.machines[runs], err = c.judges.Machine(ctx, runs); err != nil {
				return unusable(err)
			}
		}
		if c.tasks[t.ID], err = posed(ctx, c.judges, t, dialect, c.app.aside()); err != nil {
			return err
		}
	}
	return nil
}

// close releases what was opened, the newest first. What fails then has no
// bearing on what is on record.
func (c *collection) close() {
	for _, release := range slices.Backward(c.release) {
		_ = release()
	}
}

func (c *collection) settings() batch.Settings {
	asked := c.model.Model.Describe()
	s := batch.Settings{
		Model: asked.Model, Endpoint: endpointHost("//" + asked.Endpoint), Dialect: c.app.config.Dialect, Rules: c.app.config.Rules,
		Prompts: c.prompts.Name, PromptsHash: c.prompts.SHA256, Compiler: c.app.config.Compiler, Trajectories: c.options.trajectories, Plan: c.options.plan(),
		Sampling: batch.SamplingOf(asked), Timeout: c.app.limits().Run,
	}
	if c.model.Scripted {
		s.Endpoint = "scripted" // its port differs each time
	}
	var devices []string
	for _, m := range c.machines {
		devices = append(devices, m.Device)
	}
	slices.Sort(devices)
	s.Device = strings.Join(slices.Compact(devices), ", ")
	return s
}

// draft plans a run.
func (c *collection) draft(id string, s batch.Settings) batch.Manifest {
	m := batch.Manifest{Schema: batch.Schema, Run: id, Created: time.Now().UTC().Truncate(time.Second), Settings: s}
	sessions := s.Trajectories
	if s.Plan.Samples > 0 {
		sessions = 1 // which holds them all
	}
	for _, task := range sorted(c.tasks) {
		group := ulid.Make().String()
		for i := range sessions {
			m.Trajectories = append(m.Trajectories, batch.Planned{
				Session: ulid.Make().String(), Group: group, Task: task.ID, SHA256: task.SHA256, Level: task.Level, Index: i,
			})
		}
	}
	return m
}

// sorted are tasks by level, then by name.
func sorted(all map[string]tasks.Task) []tasks.Task {
	return slices.SortedFunc(maps.Values(all), func(a, b tasks.Task) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.ID, b.ID))
	})
}

// sessions is how many run at once, so that requests stay within --parallel.
func (c *collection) sessions() int {
	return max(1, c.options.parallel/c.manifest.Settings.Plan.Replies())
}

// session takes one trajectory to its end, from where its record says it is.
func (c *collection) session(ctx context.Context, p batch.Planned, report *batch.Reporter) error {
	if events, done := c.finished(p); done {
		report.Past(events)
		return nil
	}
	log, history, err := record.Open(c.directory.Path, p.Session, time.Now())
	if err != nil {
		return fmt.Errorf("open the record: %w", err)
	}
	if len(history) > 0 {
		report.Past(history)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	options := c.sessionOptions(p, history, report)
	options.Recorder = strict{log, cancel}
	err = agent.NewSession(options).Run(ctx)
	return errors.Join(err, log.Close())
}

// strict ends a session whose record fails: what nobody will read is not worth
// its tokens.
type strict struct {
	agent.Recorder
	end context.CancelFunc
}

// Append implements agent.Recorder.
func (s strict) Append(e agent.Event) error {
	err := s.Recorder.Append(e)
	if err != nil {
		s.end()
	}
	return err
}

// finished reads a session that has taken all its turns.
func (c *collection) finished(p batch.Planned) ([]agent.Event, bool) {
	events, _, err := record.Read(filepath.Join(c.directory.Path, p.Session))
	if err != nil {
		return nil, false
	}
	s := agent.Replay(events)
	return events, s.Ended != nil && len(c.manifest.Settings.Plan.Next(s, len(s.Turns))) == 0
}

func (c *collection) sessionOptions(p batch.Planned, history []agent.Event, report *batch.Reporter) agent.Options {
	task, plan := c.tasks[p.Task], c.manifest.Settings.Plan
	dialect := c.app.config.dialect(task)
	machine := c.machines[runtimeOf(task, dialect)]
	start := startOf(c.model.Choice, machine, dialect)
	start.Group, start.Plan = p.Group, &plan
	model := c.model.Model
	if sampler, ok := model.(agent.Sampler); ok && plan.Samples == 0 {
		model = sampler.Sample(p.Index + 1)
	}
	return agent.Options{
		ID: p.Session, Task: task, Model: model, Price: c.model.Price, Evaluator: c.app.config.judging(c.judges), Observe: report.Event,
		Start: start, Facts: c.app.facts(machine), Limits: c.app.limits(), Prompts: c.prompts, Budget: c.model.Budget,
		Plan: plan, Parallel: c.options.parallel, Allowance: c.allowance, Unattended: true, History: history,
	}
}

// spent is what the sessions on record have used up.
func (c *collection) spent() agent.Spent {
	var sum agent.Spent
	for _, p := range c.manifest.Trajectories {
		path := filepath.Join(c.directory.Path, p.Session)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		events, _, err := record.Read(path)
		if err != nil {
			continue // has no event yet
		}
		spent := agent.Replay(events).Spent(c.model.Price)
		sum.Turns, sum.Tokens, sum.Cost = sum.Turns+spent.Turns, sum.Tokens+spent.Tokens, sum.Cost+spent.Cost
	}
	return sum
}

// report sums the run up.
func (c *collection) report(b *batch.Board, e batch.Ending) batch.Report {
	all := b.Trajectories()
	m := c.manifest
	r := batch.Report{
		Schema: batch.Schema, Run: m.Run, Folder: c.directory.Path, Settings: m.Settings, Stopped: e.Reason,
		Spent: c.allowance.Spent(), Basis: batch.Bases(all), Trajectories: all,
	}
	for _, machine := range c.machines {
		r.Emulated = r.Emulated || machine.Emulated
	}
	if e.Cause != nil {
		r.Cause = e.Cause.Summary
	}
	r.Tasks, r.Levels, r.Total = batch.Sum(all, m.Settings.Trajectories, m.Settings.Plan.Samples > 0)
	return r
}
