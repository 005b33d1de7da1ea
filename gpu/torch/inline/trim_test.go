package inline

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTrim(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		limit int64
		ages  map[string]time.Duration // of builds of 100 bytes; a name that ends in / is a folder
		want  []string                 // that stay
	}{
		"within the limit":         {300, map[string]time.Duration{"a": day, "b": 2 * day, "c": 0}, []string{"a", "b", "c"}},
		"the oldest goes":          {299, map[string]time.Duration{"a": day, "b": 2 * day, "c": 0}, []string{"a", "c"}},
		"folders as well":          {250, map[string]time.Duration{"a/": 3 * day, "b": 2 * day, "c/": 0}, []string{"b", "c"}},
		"some room is left":        {200, map[string]time.Duration{"a": day, "b": 2 * day, "c": 0}, []string{"c"}},
		"a build under way stays":  {100, map[string]time.Duration{".build-1/": time.Minute, "a": 0}, []string{".build-1", "a"}},
		"one long abandoned goes":  {1000, map[string]time.Duration{".build-1/": day, ".module-2": day, "a": 0}, []string{"a"}},
		"no folder, nothing to do": {100, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "builds")
			for build, age := range c.ages {
				put(t, folder, build, age)
			}
			trim(folder, c.limit)
			left, _ := os.ReadDir(folder)
			var names []string
			for _, entry := range left {
				names = append(names, entry.Name())
			}
			if len(names) != len(c.want) {
				t.Fatalf("%v stay, want %v", names, c.want)
			}
			for i, name := range names {
				if name != c.want[i] {
					t.Errorf("%v stay, want %v", names, c.want)
				}
			}
		})
	}
}

// put makes a build of 100 bytes that was last used some time ago.
func put(t *testing.T, folder, build string, age time.Duration) {
	t.Helper()
	path := filepath.Join(folder, build)
	file := path
	if build[len(build)-1] == '/' {
		file = filepath.Join(path, "m.so")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, make([]byte, 100), 0o644); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-age)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// TestABuildDisappearsAtOnce holds that one removed in part is none, and makes no room
// for itself that the next could not take.
func TestABuildDisappearsAtOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	put(t, folder, "key/", time.Hour)
	put(t, folder, ".old-key/", 0) // of somebody who was killed
	if err := remove(filepath.Join(folder, "key")); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("%d entries are left", len(left))
	}
}

func TestWhatIsUsedIsNew(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	put(t, folder, "old", 2*time.Hour)
	put(t, folder, "older", 3*time.Hour)
	touch(filepath.Join(folder, "older"))
	trim(folder, 150)
	if !exists(filepath.Join(folder, "older")) || exists(filepath.Join(folder, "old")) {
		t.Error("a build that was just used went before one that was not")
	}
}
