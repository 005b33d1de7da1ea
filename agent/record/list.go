package record

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/oklog/ulid/v2"

	"example.com/hone/agent"
)

// Summary is one run in a list.
type Summary struct {
	ID   string
	Path string

	Task     string // id
	Model    string
	Device   string
	Emulated bool // speedups are of emulated times
	Started  time.Time
	Last     time.Time // of the newest event

	Turns    []Mark
	Best     int // turn number, 0 for none
	Accepted int
	Stopped  string // "accepted", "quit", "max_turns", "error", "running", "interrupted" or "unreadable"
	Problems []Problem
}

// Mark is one turn in a summary.
type Mark struct {
	Outcome string   // "" while it runs
	Speedup *float64 // of a correct turn
}

// BestSpeedup is the speedup of the best turn, nil if there is none.
func (s Summary) BestSpeedup() *float64 {
	if s.Best == 0 {
		return nil
	}
	return s.Turns[s.Best-1].Speedup
}

// List summarises every run below dir, newest first. A run that cannot be read
// is a row that says so. A folder that does not exist holds no runs.
func List(dir string) ([]Summary, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var runs []Summary
	for _, entry := range entries {
		if _, err := ulid.ParseStrict(entry.Name()); err == nil && entry.IsDir() {
			runs = append(runs, summarise(filepath.Join(dir, entry.Name())))
		}
	}
	slices.SortFunc(runs, func(a, b Summary) int { return cmp.Compare(b.ID, a.ID) })
	return runs, nil
}

// summarise reads a run without its long texts.
func summarise(path string) Summary {
	var r reader
	err := r.read(path)
	s := Summary{ID: filepath.Base(path), Path: path, Problems: r.problems}
	if err != nil || len(r.events) == 0 {
		s.Stopped = "unreadable"
		if err != nil {
			s.Problems = append(s.Problems, Problem{Text: err.Error()})
		}
		return s
	}
	var state agent.State
	for _, e := range r.events {
		state.Apply(e)
	}
	s.Task, s.Model, s.Device = state.Task.ID, state.Session.Model, state.Session.Device
	s.Emulated, s.Started, s.Last = state.Session.Emulated, r.events[0].Time, state.Last
	s.Best, s.Accepted = state.Best, state.Accepted
	for _, t := range state.Turns {
		s.Turns = append(s.Turns, mark(t))
	}
	switch {
	case state.Ended != nil:
		s.Stopped = state.Ended.Reason
	case written(path):
		s.Stopped = "running"
	default:
		s.Stopped = "interrupted"
	}
	return s
}

func mark(t *agent.Turn) Mark {
	var m Mark
	if t.End != nil {
		m.Outcome = t.End.Outcome
	}
	if speedup, ok := t.Speedup(); ok {
		m.Speedup = &speedup
	}
	return m
}

// written reports whether a process holds the run's lock.
func written(path string) bool {
	lock := flock.New(filepath.Join(path, lockName), flock.SetFlag(os.O_RDONLY))
	defer lock.Close()
	free, err := lock.TryRLock()
	return err == nil && !free
}

// Find returns the folder of the run that query names: "last", a whole id, or
// any part of one that fits no other.
func Find(dir, query string) (string, error) {
	runs, err := List(dir)
	if err != nil {
		return "", err
	}
	if len(runs) == 0 {
		return "", fmt.Errorf("there are no runs in %s yet", dir)
	}
	if query == "last" {
		return runs[0].Path, nil
	}
	var found []Summary
	for _, r := range runs {
		if strings.Contains(r.ID, strings.ToUpper(query)) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("no run is called %q: see the list of runs", query)
	case 1:
		return found[0].Path, nil
	}
	return "", fmt.Errorf("%q fits %d runs, among them %s and %s: give more of the id", query, len(found), found[0].ID, found[1].ID)
}
