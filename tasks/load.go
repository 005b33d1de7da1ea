package tasks

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// ManifestFile is what makes a folder a task's.
const ManifestFile = "task.toml"

// The other files of a task's folder.
const (
	referenceFile = "reference.py"
	nativeFile    = "reference.cu"
)

// MaxFile bounds each file of a task, in bytes; nobody reads a longer one.
const MaxFile = 1 << 20

//go:embed builtin
var builtin embed.FS

// Problem is something wrong with one file of a task.
type Problem struct {
	Path string
	Line int // 1-based, in a table of tasks the row; 0 when the whole file is meant
	Text string
}

// Error implements error: "l1/softmax/task.toml:12: unknown key ...".
func (p Problem) Error() string {
	if p.Line == 0 {
		return p.Path + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Text)
}

// Builtin returns the tasks that come with hone.
func Builtin() (Catalog, error) {
	c, problems := Load(builtin, "builtin", "builtin")
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return c, errors.Join(errs...)
}

// Load reads every task below root: each folder that holds a task.toml. A task's
// ID is the source followed by the folder's path below root. Tasks with a
// problem are left out of the catalogue.
func Load(fsys fs.FS, root, source string) (Catalog, []Problem) {
	var c Catalog
	var problems []Problem
	visit := func(dir string, d fs.DirEntry, err error) error {
		if err != nil {
			problems = append(problems, Problem{Path: dir, Text: err.Error()})
			return fs.SkipDir
		}
		if !d.IsDir() {
			return nil
		}
		if !exists(fsys, path.Join(dir, ManifestFile)) {
			problems = append(problems, orphan(fsys, dir)...)
			return nil
		}
		t, bad := loadTask(fsys, dir, taskID(root, source, dir))
		if problems = append(problems, bad...); len(bad) == 0 {
			c.tasks = append(c.tasks, t)
		}
		return fs.SkipDir
	}
	if err := fs.WalkDir(fsys, root, visit); err != nil && !errors.Is(err, fs.SkipDir) {
		problems = append(problems, Problem{Path: root, Text: err.Error()})
	}
	if len(c.tasks) == 0 && len(problems) == 0 {
		problems = []Problem{{Path: root, Text: "no task here: want folders that hold " + ManifestFile}}
	}
	return c, problems
}

// orphan reports a folder that looks like a task without its task.toml.
func orphan(fsys fs.FS, dir string) []Problem {
	if !exists(fsys, path.Join(dir, referenceFile)) {
		return nil
	}
	return []Problem{{Path: path.Join(dir, ManifestFile), Text: "missing, beside " + referenceFile}}
}

func exists(fsys fs.FS, name string) bool {
	_, err := fs.Stat(fsys, name)
	return err == nil
}

func taskID(root, source, dir string) string {
	if dir == root {
		return path.Join(source, path.Base(dir))
	}
	if root == "." {
		return path.Join(source, dir)
	}
	return path.Join(source, dir[len(root):])
}

// loadTask reads the task in one folder. It is only whole without problems.
func loadTask(fsys fs.FS, dir, id string) (Task, []Problem) {
	t := Task{ID: id, Name: path.Base(id), Path: dir}
	var problems []Problem
	read := func(name string, check func(text string) []Problem) string {
		text, found := readFile(fsys, path.Join(dir, name))
		if len(found) == 0 {
			found = check(text)
		}
		for _, p := range found {
			p.Path = path.Join(dir, name)
			problems = append(problems, p)
		}
		return text
	}
	read(ManifestFile, t.applyManifest)
	t.Reference = read(referenceFile, func(text string) []Problem { return checkReference(text, t) })
	t.Native = read(nativeFile, checkNative)
	t.SHA256 = t.hash()
	return t, problems
}

func readFile(fsys fs.FS, name string) (string, []Problem) {
	text, err := fs.ReadFile(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", []Problem{{Text: "missing"}}
	case err != nil:
		return "", []Problem{{Text: err.Error()}}
	case len(text) > MaxFile:
		return "", []Problem{tooLong(len(text))}
	}
	return string(text), nil
}

func tooLong(n int) Problem {
	return Problem{Text: fmt.Sprintf("is %d bytes long, want at most %d", n, MaxFile)}
}

// hash covers what decides whether an answer is right. Titles and paths do not.
func (t Task) hash() string {
	text, err := json.Marshal([]any{t.Reference, t.Native, t.Signature, t.Sizes, t.Tolerance})
	if err != nil {
		return "" // only NaN and infinities cannot be written, and the manifest refuses them
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
