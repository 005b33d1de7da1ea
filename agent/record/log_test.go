package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
)

var update = flag.Bool("update", false, "write the golden log anew")

// durable are the events of the story that a record holds.
func durable() []agent.Event {
	var events []agent.Event
	for _, e := range agenttest.Story() {
		if !e.Kind.Live() {
			events = append(events, e)
		}
	}
	return events
}

func session() string { return durable()[0].Session }

// write makes a record of events and returns its folder.
func write(t testing.TB, dir string, events []agent.Event) string {
	t.Helper()
	l, err := Create(dir, events[0].Session)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Path()
}

func mustRead(t *testing.T, path string) ([]agent.Event, []Problem) {
	t.Helper()
	events, problems, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return events, problems
}

func state(events []agent.Event) *agent.State {
	var s agent.State
	for _, e := range events {
		s.Apply(e)
	}
	return &s
}

func lines(t *testing.T, path string) [][]byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path, eventsName))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.SplitAfter(b, []byte("\n"))
}

func TestAStoredRunIsTheLiveOne(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), durable())
	events, problems := mustRead(t, path)
	if len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	if want := durable(); len(events) != len(want) {
		t.Fatalf("%d events, want %d", len(events), len(want))
	}
	live := state(agenttest.Story())
	// NaN differs from itself, so both sides are compared as they are written.
	if got, want := dump(t, state(events)), dump(t, live); got != want {
		t.Errorf("the stored run adds up to another state:\n got %s\nwant %s", got, want)
	}
}

func dump(t *testing.T, s *agent.State) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The log in testdata was written in version 1 of the format; it must stay
// readable, and today's writer must still write it.
func TestGoldenLogOfVersion1(t *testing.T) {
	t.Parallel()
	const golden = "testdata/v1"
	if *update {
		if err := os.RemoveAll(golden); err != nil {
			t.Fatal(err)
		}
		path := write(t, golden, durable())
		if err := os.Remove(filepath.Join(path, lockName)); err != nil {
			t.Fatal(err)
		}
	}
	stored := filepath.Join(golden, session())
	events, problems := mustRead(t, stored)
	if len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	if got, want := dump(t, state(events)), dump(t, state(durable())); got != want {
		t.Errorf("the golden log adds up to another state:\n got %s\nwant %s", got, want)
	}
	written := write(t, t.TempDir(), durable())
	want := lines(t, stored)
	for i, line := range lines(t, written) {
		if i >= len(want) || !bytes.Equal(line, want[i]) {
			t.Fatalf("line %d is written as\n%s\nwant\n%s", i+1, line, want[min(i, len(want)-1)])
		}
	}
}

func TestEveryLineHasEveryKey(t *testing.T) {
	t.Parallel()
	keys := []string{
		"v", "event", "id", "seq", "ts", "mono_ns", "session", "group", "trajectory",
		"turn", "parent", "actor", "data", "blobs", "prev",
	}
	path := write(t, t.TempDir(), durable())
	for i, line := range lines(t, path) {
		if len(line) == 0 {
			continue
		}
		var m map[string]json.RawMessage
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		for _, k := range keys {
			if _, ok := m[k]; !ok {
				t.Errorf("line %d lacks %q", i+1, k)
			}
		}
		if len(m) != len(keys) {
			t.Errorf("line %d has %d keys, want %d", i+1, len(m), len(keys))
		}
	}
}

func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), durable())
	err := filepath.Walk(path, func(name string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestParentIsTheStartOfTheTurn(t *testing.T) {
	t.Parallel()
	starts := map[int]string{}
	for _, line := range lines(t, write(t, t.TempDir(), durable())) {
		var env envelope
		if len(line) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &env); err != nil {
			t.Fatal(err)
		}
		want := starts[env.Turn]
		if env.Event == agent.KindTurnStarted {
			var d agent.TurnStarted
			if err := json.Unmarshal(env.Data, &d); err != nil {
				t.Fatal(err)
			}
			want, starts[env.Turn] = starts[d.Parent], *env.ID
		}
		if got := env.Parent; (got == nil) != (want == "") || got != nil && *got != want {
			t.Errorf("%s of turn %d: parent %v, want %q", env.Event, env.Turn, got, want)
		}
	}
}

func TestLongTextsAreBlobs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("<kernel> & \u2028 ü\n", 1000)
	at := func(n int) string { return strings.Repeat("x", n) }
	e := durable()[0]
	e.Kind, e.Data = agent.KindHumanActed, &agent.HumanActed{
		Action: agent.ActionEdit, Before: long, After: long, Text: at(blobThreshold), Diff: at(blobThreshold + 1),
	}
	path := write(t, t.TempDir(), []agent.Event{e})
	var env envelope
	if err := json.Unmarshal(lines(t, path)[0], &env); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"/before": reference(long), "/after": reference(long), "/diff": reference(at(blobThreshold + 1)),
	}
	if !reflect.DeepEqual(env.Blobs, want) {
		t.Errorf("blobs = %v, want %v", env.Blobs, want)
	}
	entries, err := os.ReadDir(filepath.Join(path, blobsName))
	if err != nil || len(entries) != 2 {
		t.Errorf("%d blobs (%v), want 2: equal texts are stored once", len(entries), err)
	}
	events, problems := mustRead(t, path)
	if len(problems) > 0 || len(events) != 1 || !reflect.DeepEqual(events[0].Data, e.Data) {
		t.Errorf("read back %+v, problems %v", events, problems)
	}
}

func TestPlacesOfBlobs(t *testing.T) {
	t.Parallel()
	tree := map[string]any{
		"a/b": map[string]any{"~": []any{"0", "1"}}, "": "empty key",
	}
	places := map[string]string{}
	walk(tree, "", func(place, text string) any { places[place] = text; return nil })
	want := map[string]string{"/a~1b/~0/0": "0", "/a~1b/~0/1": "1", "/": "empty key"}
	if !reflect.DeepEqual(places, want) {
		t.Errorf("places = %v, want %v", places, want)
	}
	var node any = tree
	for place, text := range places {
		if err := put(&node, place, text); err != nil {
			t.Errorf("put %s: %v", place, err)
		}
	}
	if got := node.(map[string]any)["a/b"].(map[string]any)["~"]; !reflect.DeepEqual(got, []any{"0", "1"}) {
		t.Errorf("put back: %v", got)
	}
	for _, bad := range []string{"/nowhere", "/a~1b/~0/2", "/a~1b/~0/x", "/a~1b/~0/0/deeper", "/a~1b/~0/-1"} {
		if err := put(&node, bad, "x"); err == nil {
			t.Errorf("put %s succeeded", bad)
		}
	}
}

func TestAppendOutOfPlace(t *testing.T) {
	t.Parallel()
	l, err := Create(t.TempDir(), session())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	good := durable()[0]
	other, gap, live := good, good, good
	other.Session, gap.Seq, live.Kind = "elsewhere", 2, agent.KindTextDelta
	for name, e := range map[string]agent.Event{"other session": other, "gap": gap, "live": live} {
		if err := l.Append(e); err == nil {
			t.Errorf("%s: appended", name)
		}
	}
	if err := l.Append(good); err != nil {
		t.Errorf("the right event after wrong ones: %v", err)
	}
}

func TestOneWriter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l, err := Create(dir, session())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(durable()[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, session()); err == nil {
		t.Error("the same run was created twice")
	}
	if _, _, err := Resume(l.Path(), time.Now()); err == nil || !strings.Contains(err.Error(), "written by another") {
		t.Errorf("a second writer: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again, _, err := Resume(l.Path(), time.Now())
	if err != nil {
		t.Fatalf("after the first closed: %v", err)
	}
	again.Close()
}

func TestCreateWantsAULID(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "../escape", "short", strings.ToLower(session()) + "x"} {
		if _, err := Create(t.TempDir(), id); err == nil {
			t.Errorf("created a run called %q", id)
		}
	}
}

// faultyFile fails in the ways a disk does.
type faultyFile struct {
	file
	writeErr, syncErr error
	short             int // bytes that a failing write still writes
	calls             int
}

func (f *faultyFile) Write(b []byte) (int, error) {
	f.calls++
	if f.writeErr == nil {
		return f.file.Write(b)
	}
	n, _ := f.file.Write(b[:f.short])
	return n, f.writeErr
}

func (f *faultyFile) Sync() error {
	f.calls++
	if f.syncErr != nil {
		return f.syncErr
	}
	return f.file.Sync()
}

func TestAFailedWriteEndsTheRecord(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		fault faultyFile
		says  string
		torn  bool
	}{
		{"full disk", faultyFile{writeErr: syscall.ENOSPC, short: 20}, "the disk is full", true},
		{"quota", faultyFile{writeErr: syscall.EDQUOT}, "quota", false},
		{"sync fails", faultyFile{syncErr: syscall.EIO}, "the disk failed", false},
		{"other", faultyFile{writeErr: syscall.EPERM}, "could not be written", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l, err := Create(t.TempDir(), session())
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			events := durable()
			if err := l.Append(events[0]); err != nil {
				t.Fatal(err)
			}
			real := l.file
			test.fault.file = real
			l.file = &test.fault
			err = l.Append(events[1])
			var failed *WriteError
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("error %v, want a WriteError with %q", err, test.says)
			}
			calls := test.fault.calls
			if again := l.Append(events[1]); !errors.Is(again, failed.Err) {
				t.Errorf("the next append: %v", again)
			}
			if test.fault.calls != calls {
				t.Error("the file was touched again after it failed")
			}
			got, problems := mustRead(t, l.Path())
			if len(got) < 1 || (len(problems) > 0) != test.torn {
				t.Errorf("%d events and problems %v are left", len(got), problems)
			}
		})
	}
}
