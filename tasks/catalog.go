package tasks

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/hone/tasks/spelling"
)

// Catalog is an ordered collection of tasks.
type Catalog struct {
	tasks []Task
}

// UnknownError says that no task answers to a query.
type UnknownError struct {
	Query string
	Near  []string // IDs that look alike, nearest first; may be empty
}

// Error implements error.
func (e *UnknownError) Error() string {
	if len(e.Near) == 0 {
		return fmt.Sprintf("no task %q: list them with \"hone tasks list\"", e.Query)
	}
	return fmt.Sprintf("no task %q, did you mean %s?", e.Query, strings.Join(e.Near, " or "))
}

// AmbiguousError says that more than one task answers to a query.
type AmbiguousError struct {
	Query      string
	Candidates []string // IDs, in the catalogue's order
}

// Error implements error.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q names %d tasks: %s", e.Query, len(e.Candidates), strings.Join(e.Candidates, ", "))
}

// All lists the tasks in order. A task's number is its place here, from 1.
func (c Catalog) All() []Task {
	return append([]Task(nil), c.tasks...)
}

// With is the catalogue followed by the tasks of another. Of two tasks with one
// ID the first stays.
func (c Catalog) With(more Catalog) Catalog {
	all := c.All()
	for _, t := range more.tasks {
		if !slices.ContainsFunc(all, func(have Task) bool { return have.ID == t.ID }) {
			all = append(all, t)
		}
	}
	return Catalog{tasks: all}
}

// Find returns the task that a person means: an ID, a name, a number, the path
// of a task's folder, or a part of an ID or a title that only one task has. The
// error is an [*UnknownError], an [*AmbiguousError] or, for a folder that holds
// a broken task, what is wrong with it.
func (c Catalog) Find(query string) (Task, error) {
	query = strings.TrimSpace(query)
	if t, ok := c.exact(query); ok {
		return t, nil
	}
	if isTaskFolder(query) {
		return loadFolder(query)
	}
	found := c.containing(query)
	switch len(found) {
	case 0:
		return Task{}, &UnknownError{Query: query, Near: c.near(query)}
	case 1:
		return found[0], nil
	}
	return Task{}, &AmbiguousError{Query: query, Candidates: ids(found)}
}

// exact matches an ID, a number, or a name that only one task has.
func (c Catalog) exact(query string) (Task, bool) {
	if n, err := strconv.Atoi(query); err == nil && n >= 1 && n <= len(c.tasks) {
		return c.tasks[n-1], true
	}
	var named []Task
	for _, t := range c.tasks {
		if t.ID == query {
			return t, true
		}
		if t.Name == plain(query) {
			named = append(named, t)
		}
	}
	if len(named) != 1 {
		return Task{}, false
	}
	return named[0], true
}

// containing lists the tasks whose ID or title has the query in it.
func (c Catalog) containing(query string) []Task {
	var found []Task
	part := plain(query)
	if part == "" {
		return nil
	}
	for _, t := range c.tasks {
		if strings.Contains(plain(t.ID), part) || strings.Contains(plain(t.Title), part) {
			found = append(found, t)
		}
	}
	return found
}

// near lists at most three IDs that the query may be a misspelling of.
func (c Catalog) near(query string) []string {
	var names []string
	for _, t := range c.tasks {
		names = append(names, t.Name)
	}
	var near []string
	for _, name := range spelling.Nearest(plain(path.Base(query)), names) {
		for _, t := range c.tasks {
			if t.Name == name && len(near) < 3 && !slices.Contains(near, t.ID) {
				near = append(near, t.ID)
			}
		}
	}
	return near
}

// plain makes "Layer-Norm" and "layer norm" equal to "layer_norm".
func plain(s string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(s))
}

func ids(all []Task) []string {
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.ID
	}
	return names
}

func isTaskFolder(name string) bool {
	info, err := os.Stat(filepath.Join(name, manifestFile))
	return name != "" && err == nil && info.Mode().IsRegular()
}

// loadFolder loads the one task in a folder of the file system.
func loadFolder(name string) (Task, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return Task{}, fmt.Errorf("task folder %s: %w", name, err)
	}
	t, problems := loadTask(os.DirFS(filepath.Dir(abs)), filepath.Base(abs), "local/"+filepath.Base(abs))
	if len(problems) > 0 {
		return Task{}, fmt.Errorf("task folder %s: %w", name, problems[0])
	}
	t.Path = abs
	return t, nil
}
