package record

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// deep makes a folder whose name is nearly as long as one may be, so that what is in
// it can be listed but not opened: by root too, whom no mode keeps out.
func deep(t *testing.T) string {
	t.Helper()
	const room = 150 // for a slash and a run's name, not for what unreadable makes
	path := t.TempDir()
	for {
		missing := syscall.PathMax - room - len(path)
		if missing <= 0 {
			return path
		}
		path = filepath.Join(path, strings.Repeat("d", min(missing, 200)))
		must(t, os.Mkdir(path, 0o700))
	}
}

// unreadable makes a batch below dir whose folder cannot be opened by its whole name.
func unreadable(t *testing.T, dir, id string) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	must(t, root.Mkdir(BatchPrefix+id+strings.Repeat("x", 200), 0o700))
}

func TestAnUnreadableBatchIsARow(t *testing.T) {
	t.Parallel()
	const older, newer = "01KKNTQ1T80000000000000001", "01KKNTQ1T80000000000000009"
	const run = "01KKNTQ1T80000000000000005"
	for name, c := range map[string]struct {
		runs, batches []string
		rows          []string // what their ids begin with
		last          string   // what is found, "" for an error
	}{
		"alone":           {nil, []string{newer}, []string{BatchPrefix + newer}, ""},
		"newer than runs": {[]string{run}, []string{newer}, []string{BatchPrefix + newer, run}, run},
		"older":           {[]string{run}, []string{older}, []string{run, BatchPrefix + older}, run},
		"two":             {[]string{run}, []string{older, newer}, []string{BatchPrefix + newer, run, BatchPrefix + older}, run},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := deep(t)
			for _, id := range c.runs {
				must(t, os.Mkdir(filepath.Join(dir, id), 0o700))
			}
			for _, id := range c.batches {
				unreadable(t, dir, id)
			}
			runs, err := List(dir)
			if err != nil || len(runs) != len(c.rows) {
				t.Fatalf("%d rows (%v), want %d", len(runs), err, len(c.rows))
			}
			for i, r := range runs {
				problem := len(r.Problems) == 1 && strings.Contains(r.Problems[0].String(), r.Path) && r.Problems[0].Line == 0
				if !strings.HasPrefix(r.ID, c.rows[i]) || r.Stopped != "unreadable" || !problem {
					t.Errorf("row %d is %+v, want an unreadable %s", i, r, c.rows[i])
				}
			}
			path, err := Find(dir, "last")
			if (err == nil) != (c.last != "") || c.last != "" && filepath.Base(path) != c.last {
				t.Errorf("the last is %q (%v), want %q", path, err, c.last)
			}
		})
	}
}
