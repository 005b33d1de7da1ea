package record

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hone/agent"
)

// damage writes a record and changes its log.
func damage(t *testing.T, change func(lines [][]byte) [][]byte) string {
	t.Helper()
	path := write(t, t.TempDir(), durable())
	changed := bytes.Join(change(lines(t, path)), nil)
	if err := os.WriteFile(filepath.Join(path, eventsName), changed, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDamageIsARow(t *testing.T) {
	t.Parallel()
	whole := len(durable())
	edit := func(n int, from, to string) func([][]byte) [][]byte {
		return func(l [][]byte) [][]byte {
			l[n] = bytes.Replace(l[n], []byte(from), []byte(to), 1)
			return l
		}
	}
	tests := []struct {
		name     string
		change   func([][]byte) [][]byte
		problems []string // "line: part of the text"
		lost     int      // events
	}{
		{"nothing", func(l [][]byte) [][]byte { return l }, nil, 0},
		{"a line that is no JSON", func(l [][]byte) [][]byte { l[4] = []byte("{oops\n"); return l },
			[]string{"line 5: not readable", "line 6: it does not follow"}, 1},
		{"an empty line", func(l [][]byte) [][]byte { return slices.Insert(l, 3, []byte("\n")) },
			[]string{"line 4: not readable", "line 5: it does not follow"}, 0},
		{"an edited line", edit(1, "Row softmax", "Col softmax"), []string{"line 3: it does not follow"}, 0},
		{"a line cut out", func(l [][]byte) [][]byte { return slices.Delete(l, 2, 3) },
			[]string{"line 3: it does not follow", "line 3: seq is 4 after 2"}, 1},
		{"first lines cut off", func(l [][]byte) [][]byte { return l[2:] },
			[]string{"line 1: it does not follow", "line 1: seq is 3 after 0"}, 2},
		{"a line twice", func(l [][]byte) [][]byte { return slices.Insert(l, 3, l[2]) },
			[]string{"line 4: it does not follow", "line 4: seq is 3 after 3"}, -1},
		{"a later version", edit(2, `"v":1`, `"v":2`), []string{"line 3: not readable: written in version 2", "line 4: it does"}, 1},
		{"data of the wrong shape", edit(3, `"parent_turn":0`, `"parent_turn":"x"`), []string{"line 4: not readable", "line 5: it"}, 1},
		{"no id", edit(3, `"id":"`, `"xd":"`), []string{"line 4: not readable", "line 5: it"}, 1},
		{"a bad time", edit(3, `"ts":"2026`, `"ts":"soon`), []string{"line 4: not readable", "line 5: it"}, 1},
		{"a torn tail", func(l [][]byte) [][]byte {
			l[whole-1] = l[whole-1][:40]
			return l
		}, []string{"the last line is incomplete (40 bytes)"}, 1},
		{"a line longer than allowed", func(l [][]byte) [][]byte {
			return slices.Insert(l, 3, append(bytes.Repeat([]byte("x"), lineLimit+9), '\n'))
		}, []string{"line 4: the line has"}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			events, problems := mustRead(t, damage(t, test.change))
			if got := whole - len(events); got != test.lost {
				t.Errorf("%d events lost, want %d", got, test.lost)
			}
			for i, want := range test.problems {
				if i >= len(problems) || !strings.Contains(problems[i].String(), want) {
					t.Errorf("problems = %v, want %q", problems, test.problems)
					break
				}
			}
			if len(problems) != len(test.problems) {
				t.Errorf("%d problems %v, want %d", len(problems), problems, len(test.problems))
			}
		})
	}
}

func TestUnknownEventsPassThrough(t *testing.T) {
	t.Parallel()
	path := damage(t, func(l [][]byte) [][]byte {
		l[5] = bytes.Replace(l[5], []byte(`"event":"`), []byte(`"event":"future.`), 1)
		return l
	})
	events, _ := mustRead(t, path)
	if len(events) != len(durable()) {
		t.Fatalf("%d events, want all", len(events))
	}
	e := events[5]
	if raw, ok := e.Data.(json.RawMessage); !ok || len(raw) == 0 {
		t.Errorf("data of %s = %v", e.Kind, e.Data)
	}
	state(events) // must not panic
}

func TestBadBlobs(t *testing.T) {
	t.Parallel()
	e := durable()[0]
	long := strings.Repeat("text ", 2000)
	e.Kind, e.Data = agent.KindNoticed, &agent.Noticed{Text: long}
	tests := []struct {
		name   string
		damage func(t *testing.T, blob string)
	}{
		{"missing", func(t *testing.T, blob string) { must(t, os.Remove(blob)) }},
		{"not zstd", func(t *testing.T, blob string) { must(t, os.WriteFile(blob, []byte("junk"), 0o600)) }},
		{"another text", func(t *testing.T, blob string) {
			must(t, os.Remove(blob))
			other := blobs(filepath.Dir(blob))
			must(t, other.store(reference("other"), "other"))
			must(t, os.Rename(filepath.Join(filepath.Dir(blob), strings.TrimPrefix(reference("other"), blobPrefix)+".zst"), blob))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := write(t, t.TempDir(), []agent.Event{e})
			found, err := filepath.Glob(filepath.Join(path, blobsName, "*"))
			if err != nil || len(found) != 1 {
				t.Fatalf("blobs: %v, %v", found, err)
			}
			test.damage(t, found[0])
			events, problems := mustRead(t, path)
			if len(events) != 1 || len(problems) != 1 || !strings.Contains(problems[0].Text, "text of /text") {
				t.Errorf("%d events, problems %v", len(events), problems)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestABlobsNameNeverLeavesTheFolder(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"", "sha256:", "sha256:../../etc/passwd", "md5:00", "sha256:" + strings.Repeat("0", 62) + "/."} {
		if path, err := blobs("folder").file(ref); err == nil {
			t.Errorf("%q became %s", ref, path)
		}
	}
}

func TestReadNothing(t *testing.T) {
	t.Parallel()
	if _, _, err := Read(t.TempDir()); err == nil {
		t.Error("read a run where there is none")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"v":1,"event":"notice","id":"a","seq":1,"ts":"2026-03-14T09:26:53.000000Z","data":{"text":null},"blobs":{"/text":"sha256:00"}}` + "\n{"))
	f.Add([]byte(`{"v":1,"event":"turn.start","id":"a","seq":1,"ts":"2026-03-14T09:26:53.000000Z","turn":1,"data":null}` + "\n"))
	golden, err := os.ReadFile(filepath.Join("testdata/v1", session(), eventsName))
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(golden) {
		f.Add(line)
	}
	f.Add(golden[:8<<10])
	f.Fuzz(func(t *testing.T, log []byte) {
		path := t.TempDir()
		must(t, os.WriteFile(filepath.Join(path, eventsName), log, 0o600))
		events, problems := mustRead(t, path)
		complete := bytes.Count(log, []byte("\n"))
		if len(events) > complete {
			t.Errorf("%d events from %d lines", len(events), complete)
		}
		if len(events)+len(problems) < complete {
			t.Errorf("%d lines, but only %d events and %d problems", complete, len(events), len(problems))
		}
		s := state(events)
		for _, turn := range s.Turns {
			s.Path(turn.Number)
		}
		summarise(path)
	})
}

func TestResumeMendsATornTail(t *testing.T) {
	t.Parallel()
	// Cut in the middle of the fourth turn's reply: the line of turn.end is torn.
	all := durable()
	cut := slices.IndexFunc(all, func(e agent.Event) bool { return e.Turn == 4 && e.Kind == agent.KindModelResponded })
	path := damage(t, func(l [][]byte) [][]byte {
		l = l[:cut+1]
		l[cut] = l[cut][:100]
		return l
	})
	now := all[cut].Time.Add(time.Hour)
	l, events, err := Resume(path, now)
	if err != nil {
		t.Fatal(err)
	}
	s := state(events)
	turn := s.Turn(4)
	if s.Running != 0 || turn.End == nil || turn.End.Outcome != agent.OutcomeInfraError {
		t.Errorf("turn 4 still runs: %+v", turn.End)
	}
	if turn.Response == nil || !strings.Contains(turn.Response.Error, "crashed") {
		t.Errorf("response = %+v, want one that says it crashed", turn.Response)
	}
	torn, err := os.ReadFile(filepath.Join(path, tornName))
	if err != nil || len(torn) != 101 {
		t.Errorf("torn tail: %d bytes (%v), want 100 and a newline", len(torn), err)
	}
	more := agent.Event{
		Kind: agent.KindNoticed, ID: all[0].ID, Seq: events[len(events)-1].Seq + 1, Time: now,
		Session: session(), Data: &agent.Noticed{Text: "goes on"},
	}
	if err := l.Append(more); err != nil {
		t.Errorf("append after resuming: %v", err)
	}
	must(t, l.Close())
	again, problems := mustRead(t, path)
	if len(problems) > 0 || len(again) != len(events)+1 {
		t.Errorf("%d events, want %d; problems %v", len(again), len(events)+1, problems)
	}
	if got, want := dump(t, state(again[:len(events)])), dump(t, s); got != want {
		t.Errorf("read back another state:\n got %s\nwant %s", got, want)
	}
}

func TestResumeNothing(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	must(t, os.WriteFile(filepath.Join(empty, eventsName), []byte("{torn"), 0o600))
	for name, path := range map[string]string{"no run": t.TempDir(), "no event": empty} {
		if _, _, err := Resume(path, time.Now()); err == nil {
			t.Errorf("%s: resumed", name)
		}
	}
	if b, err := os.ReadFile(filepath.Join(empty, eventsName)); err != nil || string(b) != "{torn" {
		t.Errorf("a log without an event was changed to %q (%v)", b, err)
	}
}

func TestListAndFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	as := func(dir, id string, events []agent.Event) {
		t.Helper()
		for i := range events {
			events[i].Session = id
		}
		write(t, dir, events)
	}
	as(dir, "01KKNTQ1T8000000000000000A", durable())
	as(dir, "01KKNTQ1T8000000000000000B", durable()[:20])
	must(t, os.Mkdir(filepath.Join(dir, "01KKNTQ1T8000000000000000C"), 0o700))
	must(t, os.Mkdir(filepath.Join(dir, "no run"), 0o700))
	batch := filepath.Join(dir, BatchPrefix+"01KKNTQ1T80000000000000009")
	as(batch, "01KKNTQ1T800000000000000EE", durable())
	must(t, os.WriteFile(filepath.Join(batch, "run.json"), []byte("{}"), 0o600))
	as(filepath.Join(dir, "elsewhere"), "01KKNTQ1T8000000000000000F", durable())
	open, err := Create(dir, "01KKNTQ1T8000000000000000D")
	must(t, err)
	defer open.Close()
	first := durable()[0]
	first.Session = open.ID()
	must(t, open.Append(first))

	runs, err := List(dir)
	must(t, err)
	var got []string
	for _, r := range runs {
		got = append(got, r.ID[25:]+" "+r.Stopped)
	}
	want := []string{"E accepted", "D running", "C unreadable", "B interrupted", "A accepted"}
	if !slices.Equal(got, want) {
		t.Fatalf("runs = %v, want %v", got, want)
	}
	a := runs[4]
	if a.Task != "builtin/l1/softmax" || a.Model != "scripted-32b" || !a.Emulated || len(a.Turns) != 6 || a.Accepted != 6 {
		t.Errorf("summary = %+v", a)
	}
	if s := a.BestSpeedup(); s == nil || *s != 2.63 {
		t.Errorf("best speedup = %v", s)
	}
	if a.Turns[0].Speedup != nil || a.Turns[0].Outcome != "compile_error" || *a.Turns[3].Speedup != 1.84 {
		t.Errorf("turns = %+v", a.Turns)
	}
	for query, want := range map[string]string{"last": runs[0].Path, a.ID: a.Path, "0b": runs[3].Path, "ee": filepath.Join(batch, "01KKNTQ1T800000000000000EE")} {
		if got, err := Find(dir, query); err != nil || got != want {
			t.Errorf("find %q = %s, %v", query, got, err)
		}
	}
	for _, query := range []string{"zzz", "01KK", ""} {
		if got, err := Find(dir, query); err == nil {
			t.Errorf("find %q = %s", query, got)
		}
	}
}

// TestFindingOpensNoRecord finds a run among short records and among long ones: that
// takes the same, for only their folders' names are read.
func TestFindingOpensNoRecord(t *testing.T) {
	const wanted, other = "01KKNTQ1T8000000000000000A", "01KKNTQ1T8000000000000000B"
	memory := func(events int) float64 {
		dir := t.TempDir()
		for _, id := range []string{wanted, other} {
			story := durable()[:events]
			for i := range story {
				story[i].Session = id
			}
			write(t, dir, story)
		}
		return testing.AllocsPerRun(10, func() {
			for _, query := range []string{"last", wanted} {
				if _, err := Find(dir, query); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	short, long := memory(1), memory(len(durable()))
	if long > short*1.5 {
		t.Errorf("%.0f allocations among long records, %.0f among short ones", long, short)
	}
}

func TestModelsOfARun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run  Summary
		want []string
	}{
		"one":             {Summary{Model: "a", Turns: []Mark{{Model: "a"}, {Model: "a"}}}, []string{"a"}},
		"switched":        {Summary{Model: "b", Turns: []Mark{{Model: "a"}, {Model: ""}, {Model: "b"}, {Model: "a"}}}, []string{"a", "b"}},
		"not asked yet":   {Summary{Model: "a"}, []string{"a"}},
		"edits alone":     {Summary{Model: "a", Turns: []Mark{{}}}, []string{"a"}},
		"nothing is read": {Summary{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.run.Models(); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestListOfNothing(t *testing.T) {
	t.Parallel()
	runs, err := List(filepath.Join(t.TempDir(), "none"))
	if err != nil || len(runs) != 0 {
		t.Errorf("runs = %v, %v", runs, err)
	}
}
