package prompt

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"text/template"
)

//go:embed kevin/*.tmpl chat/*.tmpl
var builtin embed.FS

// Default is the name of the set that is used when nobody says.
const Default = "kevin"

const (
	extension   = ".tmpl"
	maxTemplate = 1 << 20 // bytes of one file
)

// The parts that a template may define beside its own text, which is the first
// message of the user. With assistant and result every earlier attempt becomes a
// message of each; without them the first message tells of all.
const (
	partSystem    = "system"
	partAssistant = "assistant"
	partResult    = "result"
)

// Set is the templates of one way to ask, for one dialect of answers or more.
type Set struct {
	Name    string
	SHA256  string // of its files' names and texts
	writers map[string]writer
}

// writer is the templates of one dialect.
type writer struct {
	set  string
	body string // the template of the first user message, which is its file
	root *template.Template
}

func (w writer) has(part string) bool { return w.root.Lookup(part) != nil }

func (w writer) chat() bool { return w.has(partAssistant) && w.has(partResult) }

func (s *Set) writer(dialect string) (writer, error) {
	w, ok := s.writers[dialect]
	if !ok {
		return w, fmt.Errorf("prompt set %s has no prompt for dialect %q: it has %s; add %s%s to it, or use another set or dialect",
			s.Name, dialect, strings.Join(s.Dialects(), " and "), dialect, extension)
	}
	return w, nil
}

// Fits says what the set lacks to ask for answers in a dialect.
func (s *Set) Fits(dialect string) error {
	_, err := s.writer(dialect)
	return err
}

// Dialects are those that the set has a prompt for.
func (s *Set) Dialects() []string { return slices.Sorted(maps.Keys(s.writers)) }

// Names are those of the sets that are built in, the default first.
func Names() []string { return []string{Default, "chat"} }

// Files are the templates of a set that is built in.
func Files(name string) (fs.FS, bool) {
	if !slices.Contains(Names(), name) {
		return nil, false
	}
	files, err := fs.Sub(builtin, name)
	return files, err == nil
}

// Kevin is the default set. A test loads every set that is built in.
func Kevin() *Set {
	files, _ := Files(Default)
	set, _ := Load(files, Default)
	return set
}

// Load reads a set from the *.tmpl files of a folder: cuda.tmpl and torch.tmpl are
// the prompts of the two dialects, and every other one holds what these share. It
// names everything that is wrong by file and line. The set is nil if any of that
// is more than a warning.
func Load(folder fs.FS, name string) (*Set, []Problem) {
	texts, problems := readTemplates(folder)
	if len(problems) > 0 {
		return nil, problems
	}
	set := &Set{Name: name, SHA256: hash(texts), writers: map[string]writer{}}
	for _, dialect := range dialects() {
		if _, ok := texts[dialect+extension]; !ok {
			continue
		}
		w, bad := dialectOf(name, dialect, texts)
		if len(bad) == 0 {
			bad = check(w, dialect)
		}
		problems = append(problems, bad...)
		set.writers[dialect] = w
	}
	if len(set.writers) == 0 {
		problems = append(problems, Problem{Text: "there is neither cuda.tmpl nor torch.tmpl: a prompt set needs one of them, or both"})
	}
	problems = sorted(problems)
	if slices.ContainsFunc(problems, func(p Problem) bool { return !p.Warning }) {
		return nil, problems
	}
	return set, problems
}

func dialects() []string { return []string{"cuda", "torch"} }

func readTemplates(folder fs.FS) (texts map[string]string, problems []Problem) {
	texts = map[string]string{}
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, []Problem{{Text: cause(err)}}
	}
	for _, entry := range entries {
		if entry.IsDir() || path.Ext(entry.Name()) != extension {
			continue
		}
		text, err := fs.ReadFile(folder, entry.Name())
		switch {
		case err != nil:
			problems = append(problems, Problem{File: entry.Name(), Text: cause(err)})
		case len(text) > maxTemplate:
			problems = append(problems, Problem{File: entry.Name(), Text: fmt.Sprintf("larger than %d KiB", maxTemplate>>10)})
		}
		texts[entry.Name()] = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
	return texts, problems
}

// cause is an error without the path, which a [Problem] names itself.
func cause(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// hash names the texts of a set, whatever its name.
func hash(texts map[string]string) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(texts[name]), texts[name])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// dialectOf reads the templates of one dialect, and those that it may share.
func dialectOf(set, dialect string, texts map[string]string) (writer, []Problem) {
	body := dialect + extension
	root := template.New(body).Funcs(functions())
	var problems []Problem
	for _, name := range append(shared(texts), body) { // the body last: its definitions replace the shared ones
		if _, err := root.New(name).Parse(texts[name]); err != nil {
			problems = append(problems, problemOf(err, name))
		}
	}
	return writer{set: set, body: body, root: root}, problems
}

// shared are the files that belong to no single dialect.
func shared(texts map[string]string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(texts)), func(name string) bool {
		return slices.Contains(dialects(), strings.TrimSuffix(name, extension))
	})
}

func functions() template.FuncMap {
	return template.FuncMap{"fence": fence, "quote": quote, "model": model}
}
