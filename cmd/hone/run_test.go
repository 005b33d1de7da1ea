package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"syscall"
	"testing"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/batch"
	"example.com/hone/agent/record"
)

// smallRun is 2 tasks x 2 trajectories x 2 turns in a folder.
func (h home) smallRun(folder string) []string {
	return []string{
		"run", "--json", "--out", filepath.Join(h.dir, folder),
		"--tasks", "softmax,vector_add", "--trajectories", "2", "--turns", "2",
	}
}

func (h home) table(args []string) batch.Report {
	h.t.Helper()
	cmd := h.command(args...)
	cmd.Stderr = io.Discard
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("hone run: %v\n%s", err, out)
	}
	var r batch.Report
	if err := json.Unmarshal(out, &r); err != nil {
		h.t.Fatal(err)
	}
	return r
}

// logsOf are the complete lines of every log of a run, by path.
func logsOf(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*", "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	logs := map[string][]byte{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		logs[path] = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	return logs
}

func endedTurns(logs map[string][]byte) int {
	n := 0
	for text := range maps.Values(logs) {
		n += bytes.Count(text, []byte(`"event":"turn.end"`))
	}
	return n
}

// killAfter starts a run and kills it once so many turns have ended.
func (h home) killAfter(args []string, folder string, turns int) map[string][]byte {
	h.t.Helper()
	cmd := h.command(args...)
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	gone := h.after(cmd, folder, turns)
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		h.t.Fatal(err)
	}
	<-gone
	return logsOf(h.t, folder)
}

// after waits until so many turns of a run that was started have ended. The channel is
// closed at the run's end.
func (h home) after(cmd *exec.Cmd, folder string, turns int) (gone chan struct{}) {
	h.t.Helper()
	gone = make(chan struct{})
	go func() { _ = cmd.Wait(); close(gone) }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for endedTurns(logsOf(h.t, folder)) < turns {
		select {
		case <-gone:
			h.t.Fatalf("the run ended before %d turns had", turns)
		case <-tick.C:
		}
	}
	return gone
}

// TestKilledRun kills a run in the middle and goes on with it: it comes to the
// samples of an undisturbed one, and no turn that had ended is taken again.
// docs/measure_run.py is the same at full size.
func TestKilledRun(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	calm := h.table(h.smallRun("calm"))
	folder := filepath.Join(h.dir, "killed")
	kept := h.killAfter(h.smallRun("killed"), folder, 3)
	killed := h.table([]string{"run", "--json", "--out", folder}) // the rest is on record

	if got, want := outcomesOf(killed), outcomesOf(calm); !reflect.DeepEqual(got, want) {
		t.Errorf("samples %v\nundisturbed %v", got, want)
	}
	if got, want := killed.Total.Correct, calm.Total.Correct; !reflect.DeepEqual(got, want) {
		t.Errorf("correct %+v, undisturbed %+v", got, want)
	}
	if killed.Stopped != batch.EndDone || killed.Spent.Turns != 8 || killed.Total.Incomplete != 0 {
		t.Errorf("ended %q after %d turns, %d incomplete", killed.Stopped, killed.Spent.Turns, killed.Total.Incomplete)
	}
	logs := logsOf(t, folder)
	for path, text := range kept {
		if !bytes.HasPrefix(logs[path], text) {
			t.Errorf("%s does not begin as it did when it was killed", path)
		}
	}
	h.checkGroups(folder, killed)
	if again := h.table([]string{"run", "--json", "--out", folder}); !reflect.DeepEqual(again, killed) {
		t.Errorf("from the records alone the table is\n%+v\nwas\n%+v", again, killed)
	}
}

// Several judges come to what one comes to.
func TestRunWithSeveralJudges(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	one := h.table(h.smallRun("one"))
	two := h.table(append(h.smallRun("two"), "--judges", "2"))
	if got, want := outcomesOf(two), outcomesOf(one); !reflect.DeepEqual(got, want) {
		t.Errorf("samples %v\nof one judge %v", got, want)
	}
	if two.Stopped != batch.EndDone || two.Settings.Device != one.Settings.Device {
		t.Errorf("ended %q on %q, and one judge on %q", two.Stopped, two.Settings.Device, one.Settings.Device)
	}
	if again := h.table([]string{"run", "--json", "--out", filepath.Join(h.dir, "two")}); !reflect.DeepEqual(again, two) {
		t.Errorf("gone on with by one judge the table is\n%+v\nwas\n%+v", again, two)
	}
}

// A judge that dies costs no sample: another one is asked, and it is started anew.
func TestRunOutlivesAJudge(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	calm := h.table(h.smallRun("calm"))
	cmd := h.command(append(h.smallRun("hurt"), "--judges", "2")...)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	gone := h.after(cmd, filepath.Join(h.dir, "hurt"), 1)
	if err := exec.Command("pkill", "-KILL", "-o", "-P", strconv.Itoa(cmd.Process.Pid)).Run(); err != nil {
		t.Errorf("no judge was killed: %v", err)
	}
	<-gone
	var hurt batch.Report
	if err := json.Unmarshal(out.Bytes(), &hurt); err != nil {
		t.Fatalf("%v in %q", err, out.String())
	}
	if got, want := outcomesOf(hurt), outcomesOf(calm); hurt.Stopped != batch.EndDone || !reflect.DeepEqual(got, want) {
		t.Errorf("ended %q with samples %v\nundisturbed %v", hurt.Stopped, got, want)
	}
}

// outcomesOf are what is the same whatever the machine does meanwhile.
func outcomesOf(r batch.Report) map[string][]string {
	all := map[string][]string{}
	for _, t := range r.Trajectories {
		key := fmt.Sprintf("%s #%d", t.Task, t.Index)
		for _, s := range t.Samples {
			all[key] = append(all[key], s.Outcome+" "+s.Kernel)
		}
	}
	return all
}

// checkGroups reads every record: whole, one group for each task.
func (h home) checkGroups(folder string, r batch.Report) {
	h.t.Helper()
	groups := map[string]string{}
	for _, t := range r.Trajectories {
		events, problems, err := record.Read(filepath.Join(folder, t.Session))
		if err != nil || len(problems) > 0 {
			h.t.Fatalf("record of %s: %v %v", t.Session, err, problems)
		}
		for _, e := range events {
			if e.Group == "" || groups[t.Task] != "" && groups[t.Task] != e.Group {
				h.t.Errorf("%s of %s is in group %q, and %s in %q", e.Kind, t.Session, e.Group, t.Task, groups[t.Task])
			}
			groups[t.Task] = e.Group
		}
		if s := agent.Replay(events); s.Ended == nil || s.Ended.Reason != "max_turns" || s.Session.Plan == nil || *s.Session.Plan != (agent.Plan{Turns: 2}) {
			h.t.Errorf("%s ended %+v, by plan %+v", t.Session, s.Ended, s.Session.Plan)
		}
	}
}
