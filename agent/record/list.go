package record

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/oklog/ulid/v2"

	"example.com/hone/agent"
)

// Summary is one run in a list.
type Summary struct {
	ID   string // of a batch that cannot be read, the name of its folder
	Path string

	Task     string // id
	Model    string // the one that would be asked next
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
	Model   string   // that was asked, "" for a person's edit
	Outcome string   // "" while it runs
	Speedup *float64 // of a correct turn
}

// Asked reports whether a model was asked for a turn of the run.
func (s Summary) Asked(model string) bool {
	return slices.ContainsFunc(s.Turns, func(m Mark) bool { return m.Model == model })
}

// Models are those that were asked, in order of their first turn; before any turn,
// the one that is going to be.
func (s Summary) Models() []string {
	var models []string
	for _, m := range s.Turns {
		if m.Model != "" && !slices.Contains(models, m.Model) {
			models = append(models, m.Model)
		}
	}
	if len(models) == 0 && s.Model != "" {
		return []string{s.Model}
	}
	return models
}

// BestSpeedup is the speedup of the best turn, nil if there is none.
func (s Summary) BestSpeedup() *float64 {
	if s.Best == 0 {
		return nil
	}
	return s.Turns[s.Best-1].Speedup
}

// BatchPrefix begins the name of a folder among the runs that holds those of one batch.
const BatchPrefix = "run-"

// List summarises every run below dir, those of batches too, newest first. A run
// that cannot be read is a row that says so, and so is a batch of which nothing is
// known but its folder. A folder that does not exist holds no runs.
func List(dir string) ([]Summary, error) {
	folders, err := find(dir)
	if err != nil {
		return nil, err
	}
	return summaries(folders), nil
}

// summaries reads as many records at once as there are cores: most of it is parsing.
func summaries(folders []folder) []Summary {
	runs := make([]Summary, len(folders))
	todo := make(chan int)
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(folders)) {
		readers.Go(func() {
			for i := range todo {
				runs[i] = folders[i].summarise()
			}
		})
	}
	for i := range folders {
		todo <- i
	}
	close(todo)
	readers.Wait()
	return runs
}

// folder is where a run is or, with an error, a batch whose runs cannot be told.
type folder struct {
	path string
	err  error
}

// id is the ULID of a run or of a batch.
func (f folder) id() string { return strings.TrimPrefix(filepath.Base(f.path), BatchPrefix) }

// find lists the folders of all runs below dir, newest first. It opens no record.
func find(dir string) ([]folder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	found := among(dir, entries)
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), BatchPrefix) {
			continue
		}
		batch := filepath.Join(dir, entry.Name())
		entries, err := os.ReadDir(batch)
		switch {
		case err == nil:
			found = append(found, among(batch, entries)...)
		case !os.IsNotExist(err): // else it was removed meanwhile
			found = append(found, folder{batch, err})
		}
	}
	slices.SortFunc(found, func(a, b folder) int { return cmp.Compare(b.id(), a.id()) })
	return found, nil
}

// among are the runs among the entries of a folder.
func among(dir string, entries []os.DirEntry) []folder {
	var runs []folder
	for _, entry := range entries {
		if _, err := ulid.ParseStrict(entry.Name()); err == nil && entry.IsDir() {
			runs = append(runs, folder{path: filepath.Join(dir, entry.Name())})
		}
	}
	return runs
}

func (f folder) summarise() Summary {
	if f.err != nil {
		problem := Problem{Text: f.err.Error()}
		return Summary{ID: filepath.Base(f.path), Path: f.path, Stopped: "unreadable", Problems: []Problem{problem}}
	}
	return summarise(f.path)
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
	state := agent.Replay(r.events)
	s.Task, s.Model, s.Device = state.Task.ID, state.Session.Model, state.Session.Device
	s.Emulated, s.Started, s.Last = state.Session.Emulated, r.events[0].Time, state.Last
	s.Best, s.Accepted = state.Best, state.Accepted
	for _, t := range state.Turns {
		s.Turns = append(s.Turns, mark(t, state.Session.Model))
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

func mark(t *agent.Turn, model string) Mark {
	var m Mark
	switch {
	case t.Request != nil:
		m.Model = t.Request.Model
	case t.Source == agent.SourceModel:
		m.Model = model
	}
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

// Find returns the folder of the run that query names, see [Pick]. It opens no record.
func Find(dir, query string) (string, error) {
	folders, err := find(dir)
	if err != nil {
		return "", err
	}
	runs := slices.DeleteFunc(slices.Clone(folders), func(f folder) bool { return f.err != nil })
	switch {
	case len(folders) == 0:
		return "", fmt.Errorf("there are no runs in %s yet", dir)
	case len(runs) == 0:
		return "", fmt.Errorf("no run in %s can be read: %w", dir, folders[0].err)
	}
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.id())
	}
	i, err := Pick(ids, query)
	if err != nil {
		return "", fmt.Errorf("%w: \"hone runs list\" names them", err)
	}
	return runs[i].path, nil
}

// Pick says which of some ids, of which there is one and the newest comes first, a
// query names: "last", a whole id, or any part of one that fits no other.
func Pick(ids []string, query string) (int, error) {
	if query == "last" {
		return 0, nil
	}
	var found []int
	for i, id := range ids {
		if strings.Contains(id, strings.ToUpper(query)) {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return 0, fmt.Errorf("no run is called %q", query)
	case 1:
		return found[0], nil
	}
	return 0, fmt.Errorf("%q fits %d runs, among them %s and %s, so give more of the id", query, len(found), ids[found[0]], ids[found[1]])
}
