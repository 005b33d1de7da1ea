package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"example.com/hone/gpu"
	"example.com/hone/gpu/torch"
	"example.com/hone/tasks"
	"example.com/hone/tasks/kernelbench"
	"example.com/hone/ui/term"
)

// catalog loads the built-in tasks and those of every --source. Files that could
// not be read are named on the error stream and counted; the others load.
func (a *app) catalog() (catalog tasks.Catalog, bad int, err error) {
	if catalog, err = tasks.Builtin(); err != nil {
		return catalog, 0, err
	}
	more, bad, err := a.sourced()
	return catalog.With(more), bad, err
}

// sourced is what the sources hold, and how many of their files could not be read.
func (a *app) sourced() (catalog tasks.Catalog, bad int, err error) {
	for _, path := range a.flags.sources {
		more, problems, err := loadSource(path)
		if err != nil {
			return catalog, bad, usageError{fmt.Sprintf("--source: %v", err)}
		}
		for _, p := range problems {
			a.say("%v", p)
		}
		both := catalog.With(more)
		if hidden := len(catalog.All()) + len(more.All()) - len(both.All()); hidden > 0 {
			a.say("%s: %d of its tasks are left out: an earlier source has tasks of the same names", path, hidden)
		}
		catalog, bad = both, bad+len(problems)
	}
	return catalog, bad, nil
}

// loadSource reads a folder of task folders, or anything that KernelBench's tasks
// come in.
func loadSource(path string) (tasks.Catalog, []tasks.Problem, error) {
	if !hasManifest(path) {
		return kernelbench.Load(path)
	}
	catalog, problems := tasks.Load(os.DirFS(path), ".", filepath.Base(path))
	for i := range problems {
		problems[i].Path = filepath.Join(path, problems[i].Path)
	}
	return catalog, problems, nil
}

// hasManifest reports whether a task folder lies somewhere below a folder.
func hasManifest(root string) bool {
	found := false
	_ = fs.WalkDir(os.DirFS(root), ".", func(_ string, d fs.DirEntry, err error) error { // what cannot be read is reported on loading
		if found = err == nil && d.Name() == tasks.ManifestFile; found {
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// findTask is the task that a person means. A .py file needs no --source.
func (a *app) findTask(query string) (tasks.Task, error) {
	if info, err := os.Stat(query); err == nil && info.Mode().IsRegular() && filepath.Ext(query) == ".py" {
		return taskOfFile(query)
	}
	catalog, _, err := a.catalog()
	if err != nil {
		return tasks.Task{}, err
	}
	task, err := catalog.Find(query)
	if err != nil {
		return task, usageError{err.Error()}
	}
	return task, nil
}

func taskOfFile(path string) (tasks.Task, error) {
	catalog, problems, err := kernelbench.Load(path)
	switch {
	case err != nil:
		return tasks.Task{}, usageError{err.Error()}
	case len(problems) > 0:
		return tasks.Task{}, usageError{"task file " + problems[0].Error()}
	}
	return catalog.All()[0], nil
}

// dialect is the form of the answers to a task.
func (c *config) dialect(task tasks.Task) gpu.Dialect {
	switch {
	case c.Dialect != dialectAuto:
		return gpu.Dialect(c.Dialect)
	case task.Torch():
		return gpu.Torch
	}
	return gpu.CUDA
}

// posed is a task as answers in a dialect have to know it. That may take the reference
// being run, which is said to whoever waits.
func posed(ctx context.Context, judges deriver, task tasks.Task, dialect gpu.Dialect, say io.Writer) (tasks.Task, error) {
	if dialect != gpu.CUDA || !task.Torch() {
		return task, nil
	}
	fmt.Fprintf(say, "hone: running the reference of %s tells what solve takes and gives; the first time that takes seconds\n", term.Clean(task.ID))
	derived, err := judges.Derive(ctx, task)
	if unfit := (*torch.NoSignatureError)(nil); errors.As(err, &unfit) {
		return task, usageError{unfit.Text}
	}
	if err != nil {
		return task, unusable(err)
	}
	return derived, nil
}

// aside is where a person who waits is told why: nowhere for a program.
func (a *app) aside() io.Writer {
	if a.flags.json {
		return io.Discard
	}
	return a.err
}

// runtimeOf is the dialect whose answers are judged where answers to a task in a dialect
// are: what PyTorch has a part in, where that runs.
func runtimeOf(task tasks.Task, dialect gpu.Dialect) gpu.Dialect {
	if task.Torch() {
		return gpu.Torch
	}
	return dialect
}

// endpointHost is the part of an endpoint that may be shown: no user, no path, no key.
func endpointHost(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return "endpoint"
	}
	return u.Host
}

// editor is the person's editor as words, or nothing where there is none.
func (a *app) editor() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(a.environment(name)); len(words) > 0 {
			return words
		}
	}
	for _, name := range []string{"nano", "vim", "vi"} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path}
		}
	}
	return nil
}
