package kernelbench

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.com/hone/tasks"
)

// Bounds of one source. KernelBench has 270 tasks; a table or folder far beyond
// these was given by mistake.
const (
	maxTasks    = 20_000
	maxProblems = 200
	maxTable    = 1 << 30 // bytes of a table, and of its columns when unpacked
)

// Load reads every task at path: a folder, a .py file, or a table of rows. The
// catalogue is in the order of levels and numbers. Problems name files as path
// does, and the line or, in a Parquet file, the row, from 1. The error says that
// path is none of these or cannot be read at all.
func Load(path string) (tasks.Catalog, []tasks.Problem, error) {
	info, err := os.Stat(path)
	if err != nil {
		return tasks.Catalog{}, nil, fmt.Errorf("read tasks: %w", err)
	}
	l := &loader{places: map[string]string{}}
	switch {
	case info.IsDir():
		l.folder(path)
	case !loadable(path):
		return tasks.Catalog{}, nil, fmt.Errorf("read tasks: %s is neither a folder nor a .py, .jsonl or .parquet file", path)
	default:
		l.file(path, "local/"+stem(path))
	}
	slices.SortStableFunc(l.tasks, func(x, y tasks.Task) int { return compareNatural(x.ID, y.ID) })
	return tasks.NewCatalog(l.tasks), l.problems, nil
}

// loader collects what one source holds.
type loader struct {
	tasks    []tasks.Task
	problems []tasks.Problem
	places   map[string]string // where the task of an ID was found
}

// full reports whether reading on would help nobody.
func (l *loader) full() bool { return len(l.tasks) >= maxTasks || len(l.problems) >= maxProblems }

func (l *loader) report(path string, line int, format string, args ...any) {
	l.problems = append(l.problems, tasks.Problem{Path: printable(path), Line: line, Text: fmt.Sprintf(format, args...)})
	if len(l.problems) == maxProblems {
		l.problems = append(l.problems, tasks.Problem{Path: printable(path), Text: "too many problems: the rest is not read"})
	}
}

// add takes a task found at a path and, in a table, a row.
func (l *loader) add(t tasks.Task, path string, row int) {
	if first, taken := l.places[t.ID]; taken {
		l.report(path, row, "is a second %s: the first is %s", t.ID, first)
		return
	}
	t, problems := tasks.FromReference(t)
	for _, p := range problems {
		if row > 0 && p.Line > 0 { // the row is what can be found in the file
			p.Text = fmt.Sprintf("line %d of code: %s", p.Line, p.Text)
		}
		if row > 0 {
			p.Line = row
		}
		l.report(path, p.Line, "%s", p.Text)
	}
	if len(problems) > 0 {
		return
	}
	l.places[t.ID] = t.Path
	if l.tasks = append(l.tasks, t); len(l.tasks) == maxTasks {
		l.report(path, row, "is task %d of this source: the rest is not read", maxTasks)
	}
}

// folder reads the levels of a checkout, or else every file below root.
func (l *loader) folder(root string) {
	roots := levels(root)
	if len(roots) == 0 {
		roots = []string{root}
	}
	for _, r := range roots {
		visit := func(below string, d fs.DirEntry, err error) error {
			return l.visit(root, filepath.Join(r, below), d, err)
		}
		if err := fs.WalkDir(os.DirFS(r), ".", visit); err != nil {
			l.report(r, 0, "%v", err)
		}
	}
	if len(l.tasks) == 0 && len(l.problems) == 0 {
		l.report(root, 0, "no task here: want .py files with Model, get_inputs and get_init_inputs, or folders that hold task.toml")
	}
}

// levels are the folders of a checkout that hold tasks, nil for any other folder.
func levels(root string) []string {
	for _, base := range []string{filepath.Join(root, "KernelBench"), root} {
		entries, err := os.ReadDir(base)
		if err != nil {
			continue
		}
		var found []string
		for _, e := range entries {
			path := filepath.Join(base, e.Name())
			info, err := os.Stat(path)
			if _, ok := levelOf(e.Name()); ok && err == nil && info.IsDir() {
				found = append(found, path)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// visit is given each file and folder of a source.
func (l *loader) visit(root, path string, d fs.DirEntry, err error) error {
	hidden := d != nil && d.Name() != "." && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_"))
	switch {
	case l.full():
		return fs.SkipAll
	case err != nil:
		l.report(path, 0, "%v", err)
		return fs.SkipDir
	case d.IsDir() && hidden:
		return fs.SkipDir
	case d.IsDir() || hidden || !loadable(path):
		return nil
	}
	l.file(path, idBelow(root, path))
	return nil
}

// file reads one file; id is what its task is called if its place says no more.
func (l *loader) file(path, id string) {
	// Links are followed. A pipe would be waited for without end.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		l.report(path, 0, "%v", err)
	case !info.Mode().IsRegular():
		l.report(path, 0, "is no regular file")
	case strings.HasSuffix(path, ".py"):
		l.python(path, id)
	case info.Size() > maxTable:
		l.report(path, 0, "is %d bytes long, want at most %d", info.Size(), maxTable)
	default:
		l.table(path, info.Size())
	}
}

func (l *loader) python(path, id string) {
	text, err := readAtMost(path, tasks.MaxFile+1)
	if err != nil {
		l.report(path, 0, "%v", err)
		return
	}
	t := identify(path, id)
	if t.ID != printable(t.ID) {
		l.report(path, 0, "has a name that cannot be printed: rename it")
		return
	}
	t.Reference = strings.TrimPrefix(text, byteOrderMark)
	l.add(t, path, 0)
}

// byteOrderMark begins files of some editors. Python takes it in files alone, and
// a reference is passed on as text.
const byteOrderMark = "\uFEFF"

func readAtMost(path string, n int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, n))
	return string(text), err
}

func loadable(path string) bool {
	return slices.Contains([]string{".py", ".jsonl", ".parquet"}, filepath.Ext(path))
}

// printable quotes a text that would disturb a terminal.
func printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(s)
	}
	return s
}
