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

// named bounds the tasks that an AmbiguousError's text names.
const named = 20

// Error implements error.
func (e *AmbiguousError) Error() string {
	list, rest := e.Candidates, ""
	if n := len(list) - named; n > 0 {
		list, rest = list[:named], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%q names %d tasks: %s%s", e.Query, len(e.Candidates), strings.Join(list, ", "), rest)
}

// NewCatalog is a collection of these tasks in this order. IDs are to differ.
func NewCatalog(all []Task) Catalog {
	return Catalog{tasks: append([]Task(nil), all...)}
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

// Find returns the task that a person means: an ID or the end of one
// ("level1/23", "23"), a name or a title, a number, the path of a task's folder,
// or a part of any of these that only one task has. A number is first that of a
// task in its source, then a place in the catalogue, from 1. The error is an
// [*UnknownError], an [*AmbiguousError] or, for a folder that holds a broken
// task, what is wrong with it.
func (c Catalog) Find(query string) (Task, error) {
	query = strings.TrimSpace(query)
	if found := c.exact(query); len(found) > 0 {
		return one(query, found)
	}
	if isTaskFolder(query) {
		return loadFolder(query)
	}
	if found := c.containing(query); len(found) > 0 {
		return one(query, found)
	}
	return Task{}, &UnknownError{Query: query, Near: c.near(query)}
}

func one(query string, found []Task) (Task, error) {
	if len(found) > 1 {
		return Task{}, &AmbiguousError{Query: query, Candidates: ids(found)}
	}
	return found[0], nil
}

// exact lists the tasks that a whole word, number or end of an ID names.
func (c Catalog) exact(query string) []Task {
	word := plain(query)
	if word == "" {
		return nil
	}
	for _, same := range []func(Task) bool{
		func(t Task) bool { return t.ID == query },
		func(t Task) bool { return plain(t.Name) == word },
		func(t Task) bool { return strings.HasSuffix(plain(t.ID), "/"+word) },
		func(t Task) bool { return plain(t.Title) == word },
	} {
		if found := c.where(same); len(found) > 0 {
			return found
		}
	}
	if n, err := strconv.Atoi(query); err == nil && n >= 1 && n <= len(c.tasks) {
		return c.tasks[n-1 : n]
	}
	return nil
}

func (c Catalog) where(holds func(Task) bool) []Task {
	var found []Task
	for _, t := range c.tasks {
		if holds(t) {
			found = append(found, t)
		}
	}
	return found
}

// containing lists the tasks whose ID, name or title has the query in it.
func (c Catalog) containing(query string) []Task {
	part := plain(query)
	if part == "" {
		return nil
	}
	return c.where(func(t Task) bool {
		return strings.Contains(plain(t.ID), part) || strings.Contains(plain(t.Name), part) || strings.Contains(plain(t.Title), part)
	})
}

// near lists at most three IDs that the query may be a misspelling of.
func (c Catalog) near(query string) []string {
	var words []string
	for _, t := range c.tasks {
		words = append(words, plain(t.Name), plain(t.Title))
	}
	var near []string
	for _, word := range spelling.Nearest(plain(path.Base(query)), words) {
		for _, t := range c.tasks {
			if (plain(t.Name) == word || plain(t.Title) == word) && len(near) < 3 && !slices.Contains(near, t.ID) {
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
	info, err := os.Stat(filepath.Join(name, ManifestFile))
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
