package record

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	first := durable()[0]
	tests := []struct {
		name   string
		left   func(t *testing.T, path string) // by an earlier process
		events int
	}{
		{"new", func(*testing.T, string) {}, 0},
		{"only a folder", func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) }, 0},
		{"torn first line", func(t *testing.T, path string) {
			must(t, os.Mkdir(path, 0o700))
			must(t, os.WriteFile(filepath.Join(path, eventsName), []byte(`{"v":1,`), 0o600))
		}, 0},
		{"begun", func(t *testing.T, path string) {
			l, err := Create(filepath.Dir(path), filepath.Base(path))
			must(t, err)
			must(t, l.Append(first))
			must(t, l.Close())
		}, 2}, // and the notice of its resumption
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			tt.left(t, filepath.Join(dir, session()))
			l, events, err := Open(dir, session(), time.Now())
			must(t, err)
			if len(events) != tt.events {
				t.Fatalf("%d events, want %d", len(events), tt.events)
			}
			e := first
			e.Seq = int64(len(events) + 1)
			must(t, l.Append(e))
			must(t, l.Close())
			if again, problems := mustRead(t, l.Path()); len(problems) > 0 || len(again) != tt.events+1 {
				t.Errorf("%d events, problems %v", len(again), problems)
			}
		})
	}
}

// files are what a folder holds, by name.
func files(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == lockName {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		all[name] = string(text)
		return err
	}))
	return all
}

func TestOpenRemovesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		log  string
		kept string // the file that holds it afterwards
		ok   bool
	}{
		{"written in a later version", `{"v":2,"event":"session.start"}` + "\n", eventsName, false},
		{"no JSON", "a diary\nof two lines\n", eventsName, false},
		{"unreadable and torn", "a diary\nthat breaks", eventsName, false},
		{"a torn first line", `{"v":1,"event":"session.st`, tornName, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, session())
			must(t, os.MkdirAll(filepath.Join(path, blobsName, "ab"), 0o700))
			must(t, os.WriteFile(filepath.Join(path, eventsName), []byte(tt.log), 0o600))
			must(t, os.WriteFile(filepath.Join(path, blobsName, "ab", "cd"), []byte("a text"), 0o600))
			l, _, err := Open(dir, session(), time.Now())
			if (err == nil) != tt.ok {
				t.Errorf("error %v, want one: %v", err, !tt.ok)
			}
			if err == nil {
				must(t, l.Close())
			} else if !strings.Contains(err.Error(), eventsName) || !strings.Contains(err.Error(), "move the folder away") {
				t.Errorf("the error does not say where and what to do: %v", err)
			}
			left := files(t, path)
			if got := strings.TrimSuffix(left[tt.kept], "\n"); got != strings.TrimSuffix(tt.log, "\n") {
				t.Errorf("%s holds %q, want %q", tt.kept, got, tt.log)
			}
			if left["blobs/ab/cd"] != "a text" {
				t.Errorf("a blob is gone: %v", left)
			}
		})
	}
}
