package batch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"example.com/hone/agent"
	"example.com/hone/agent/record"
)

// Schema names the JSON form of [Manifest] and [Report].
const Schema = "hone.run/1"

const (
	manifestName = "run.json"
	reportName   = "result.json"
	lockName     = "lock"
)

// Manifest is what a run is going to do. It is written before anything is done,
// and never again.
type Manifest struct {
	Schema       string    `json:"schema"`
	Run          string    `json:"run"` // ULID
	Created      time.Time `json:"created"`
	Settings     Settings  `json:"settings"`
	Trajectories []Planned `json:"trajectories"`
}

// Settings are what has to stay the same for trajectories to be compared.
type Settings struct {
	Model        string        `json:"model"`
	Endpoint     string        `json:"endpoint"` // host only
	Sampling     *Sampling     `json:"sampling"` // null: not on record
	Prompts      string        `json:"prompt_set"`
	PromptsHash  string        `json:"prompt_set_sha256"` // of its templates
	Device       string        `json:"device"`
	Dialect      string        `json:"dialect"`
	Rules        string        `json:"rules"`
	Compiler     string        `json:"compiler"`
	Timeout      time.Duration `json:"timeout_ns"`   // of one call of solve; 0: not on record
	Trajectories int           `json:"trajectories"` // of each task
	Plan         agent.Plan    `json:"plan"`         // of each trajectory; of each task in a beam search
}

// Sampling is what a request asks for beside the reply.
type Sampling struct {
	Temperature *float64       `json:"temperature"`
	TopP        *float64       `json:"top_p"`
	MaxTokens   *int           `json:"max_tokens"`
	Extra       map[string]any `json:"extra,omitempty"`
}

// SamplingOf is the sampling of a request.
func SamplingOf(r agent.ModelRequested) *Sampling {
	return &Sampling{Temperature: r.Temperature, TopP: r.TopP, MaxTokens: r.MaxTokens, Extra: r.Extra}
}

// String is the sampling as JSON, in which a manifest that was read has the same
// numbers as a configuration.
func (s *Sampling) String() string {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Sprintf("%+v", *s)
	}
	return string(text)
}

// UnmarshalJSON implements json.Unmarshaler. It keeps the numbers of further fields as
// they are written: a float64 does not hold every integer that a configuration can.
func (s *Sampling) UnmarshalJSON(text []byte) error {
	type fields Sampling
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	return in.Decode((*fields)(s))
}

// Planned is one trajectory, or one beam search.
type Planned struct {
	Session string `json:"session"` // ULID, and the name of its record's folder
	Group   string `json:"group"`   // ULID, one for each task
	Task    string `json:"task"`
	SHA256  string `json:"task_sha256"`
	Level   int    `json:"level"`
	Index   int    `json:"index"` // 0, 1, 2, ... within the task
}

// Folder is the usual folder of a run, among the records.
func Folder(runs, id string) string { return filepath.Join(runs, record.BatchPrefix+id) }

// Find returns the folder of the run that a query names, see [record.Pick].
func Find(runs, query string) (string, error) {
	folders := Folder(runs, "*")
	all, err := filepath.Glob(filepath.Join(folders, manifestName))
	if err != nil {
		return "", fmt.Errorf("find run: %w", err)
	}
	if len(all) == 0 {
		return "", fmt.Errorf("there are no runs to resume in %s: name the folder of one with --out, or that of the records with --runs", runs)
	}
	slices.Sort(all)
	slices.Reverse(all)
	var ids []string
	for _, path := range all {
		ids = append(ids, strings.TrimPrefix(filepath.Base(filepath.Dir(path)), record.BatchPrefix))
	}
	i, err := record.Pick(ids, query)
	if err != nil {
		return "", fmt.Errorf("%w: their folders are %s", err, folders)
	}
	return filepath.Dir(all[i]), nil
}

// Directory is the folder of a run, held by one process.
type Directory struct {
	Path string
	lock *flock.Flock
}

// Hold makes the folder if need be and keeps other processes out of it.
func Hold(path string) (*Directory, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	lock := flock.New(filepath.Join(path, lockName), flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("lock run: %w", err)
	case !ok:
		return nil, fmt.Errorf("the run in %s is going on in another process: wait for it or end it, or use another folder", path)
	}
	return &Directory{Path: path, lock: lock}, nil
}

// Close lets other processes in.
func (d *Directory) Close() error { return d.lock.Close() }

// Load reads the manifest of the run in a folder, which need not be held: it never
// changes. It is false where there is none yet.
func Load(folder string) (Manifest, bool, error) {
	var m Manifest
	path := filepath.Join(folder, manifestName)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return m, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err == nil && m.Schema != Schema {
		err = fmt.Errorf("its schema is %q, this program reads %q", m.Schema, Schema)
	}
	if err != nil {
		return m, false, fmt.Errorf("read run %s: %w", path, err)
	}
	return m, true, nil
}

// Save writes the manifest of a run that has none.
func (d *Directory) Save(m Manifest) error {
	if _, found, err := Load(d.Path); found || err != nil {
		return cmp.Or(err, fmt.Errorf("another process began a run in %s meanwhile: go on with it, or use another folder", d.Path))
	}
	return d.write(manifestName, m)
}

// Report writes what came of the run.
func (d *Directory) Report(r Report) error { return d.write(reportName, r) }

// write replaces a file: whoever reads it finds the old or the new one whole, also
// after a loss of power.
func (d *Directory) write(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	f, err := os.CreateTemp(d.Path, name+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(d.Path, name))
	}
	if err == nil {
		err = record.SyncFolder(d.Path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// Differs names what another start of the run asks for differently, "" if nothing.
// What is not on record differs from nothing.
func (s Settings) Differs(other Settings) string {
	if s.Sampling == nil {
		s.Sampling = other.Sampling
	}
	s.Timeout = cmp.Or(s.Timeout, other.Timeout)
	for _, field := range []struct {
		name     string
		was, now any
	}{
		{"the model", s.Model, other.Model},
		{"the endpoint", s.Endpoint, other.Endpoint},
		{"the sampling", s.Sampling.String(), other.Sampling.String()},
		{"the prompt set", s.Prompts, other.Prompts},
		{"the digest of the prompt set", s.PromptsHash, other.PromptsHash},
		{"the device", s.Device, other.Device},
		{"the dialect", s.Dialect, other.Dialect},
		{"the rule set", s.Rules, other.Rules},
		{"the compiler", s.Compiler, other.Compiler},
		{"the time limit", s.Timeout, other.Timeout},
		{"the number of trajectories", s.Trajectories, other.Trajectories},
		{"the number of turns", s.Plan.Turns, other.Plan.Turns},
		{"the number of samples", s.Plan.Samples, other.Plan.Samples},
		{"the number of turns kept", s.Plan.Keep, other.Plan.Keep},
	} {
		if field.was != field.now {
			return fmt.Sprintf("%s is %v, and was %v", field.name, field.now, field.was)
		}
	}
	return ""
}
