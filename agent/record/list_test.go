package record

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// TestManyRunsKeepTheirOrder lists more runs than are read at once, which are not
// equally long: the newest comes first, and each row is of its own record.
func TestManyRunsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	const runs = 100
	dir := t.TempDir()
	log, err := os.ReadFile(filepath.Join(write(t, t.TempDir(), durable()), eventsName))
	must(t, err)
	lines := bytes.SplitAfter(log, []byte("\n"))
	for i := range runs {
		folder := filepath.Join(dir, fmt.Sprintf("01KKNTQ1T8%016d", i))
		must(t, os.Mkdir(folder, 0o700))
		must(t, os.WriteFile(filepath.Join(folder, eventsName), bytes.Join(lines[:i%3*20], nil), 0o600))
	}
	all, err := List(dir)
	if err != nil || len(all) != runs {
		t.Fatalf("%d rows, %v", len(all), err)
	}
	for i, got := range all {
		n := runs - 1 - i
		want := summarise(filepath.Join(dir, fmt.Sprintf("01KKNTQ1T8%016d", n)))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("row %d is %+v, want %+v", i, got, want)
		}
	}
}

// BenchmarkList lists a thousand runs of six turns each.
func BenchmarkList(b *testing.B) {
	const runs = 1000
	dir := b.TempDir()
	log, err := os.ReadFile(filepath.Join(write(b, b.TempDir(), durable()), eventsName))
	if err != nil {
		b.Fatal(err)
	}
	for i := range runs {
		folder := filepath.Join(dir, fmt.Sprintf("01KKNTQ1T8%016d", i))
		if err := os.Mkdir(folder, 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, eventsName), log, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(runs * len(log)))
	for b.Loop() {
		if all, err := List(dir); err != nil || len(all) != runs {
			b.Fatalf("%d runs, %v", len(all), err)
		}
	}
}
