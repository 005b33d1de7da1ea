package record

import (
	"os"
	"path/filepath"
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
