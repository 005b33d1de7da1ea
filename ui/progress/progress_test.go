package progress

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"example.com/hone/agent/batch"
)

func entry(task string, index int, stage batch.Stage, speedups ...float64) batch.Entry {
	e := batch.Entry{Stage: stage, Turns: len(speedups)}
	e.Task, e.Index, e.Session = task, index, task+string(rune('a'+index))
	t := batch.Trajectory{Complete: stage == batch.StageDone && len(speedups) > 1, Samples: []batch.Sample{}}
	for _, s := range speedups {
		t.Samples = append(t.Samples, batch.Sample{Outcome: "correct", Speedup: &s})
	}
	e.Trajectories = []batch.Trajectory{t}
	return e
}

func board(entries ...batch.Entry) *batch.Board {
	b := &batch.Board{Entries: entries}
	b.Manifest.Settings.Plan.Turns = 2
	return b
}

func TestLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := NewLines(&out)
	stopped := entry("b", 0, batch.StageDone, 0.5)
	stopped.Trajectories[0].Stopped = "quit"
	l.Show(board(entry("a", 0, batch.StageAsking), stopped))
	l.Show(board(entry("a", 0, batch.StageDone, 0.5, 1.25), stopped))
	l.Show(board(entry("a", 0, batch.StageDone, 0.5, 1.25), stopped))
	want := "1/2  b #1: best 0.50x in 1 turn, not complete (quit)\n2/2  a #1: best 1.25x in 2 turns\n"
	if out.String() != want || l.Err() != nil {
		t.Errorf("printed\n%swant\n%s%v", out.String(), want, l.Err())
	}
}

// TestNamesAreMadeSafe shows a task whose name would act on the terminal.
func TestNamesAreMadeSafe(t *testing.T) {
	t.Parallel()
	const hostile = "a\x1b[2J\x1b]0;title\ab\nc\u202e"
	worse := entry(hostile, 0, batch.StageDone, 0.5)
	worse.Trajectories[0].Stopped = hostile
	for name, shower := range map[string]func(io.Writer) Shower{
		"lines": func(w io.Writer) Shower { return NewLines(w) },
		"live":  func(w io.Writer) Shower { return NewLive(w, func() (int, int) { return 160, 20 }, time.Now) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			s := shower(&out)
			s.Show(board(worse, entry(hostile+"d", 0, batch.StageAsking)))
			text := out.String()
			if !strings.Contains(text, "ab c") || s.Err() != nil {
				t.Errorf("the name is not shown: %q, %v", text, s.Err())
			}
			for _, bad := range []string{"\x1b[2J\x1b", "\a", "title", "b\nc", "\u202e"} {
				if strings.Contains(text, bad) {
					t.Errorf("%q was printed: %q", bad, text)
				}
			}
		})
	}
}

// TestLive holds the table to what a terminal shows of it.
func TestLive(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	now := time.Time{}
	l := NewLive(&out, func() (int, int) { return 160, 6 }, func() time.Time { return now })
	show := func(b *batch.Board) string {
		out.Reset()
		now = now.Add(30 * time.Second)
		l.Show(b)
		return out.String()
	}
	first := board(entry("a", 0, batch.StageJudging, 0.5), entry("b", 0, batch.StageWaiting), entry("c", 0, batch.StageTodo))
	text := ansi.Strip(show(first))
	for _, want := range []string{"a       ", "1/2 turns", "best 0.50x", "1 judging", "1 in the queue", "total: 0/3 done, 1/6 turns, 1 correct; 1 judging, 1 in the queue, 0:30"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if again := show(first); again != "" {
		t.Errorf("drawn anew though nothing changed: %q", again)
	}
	done := show(board(entry("a", 0, batch.StageDone, 0.5, 2), entry("b", 0, batch.StageAsking), entry("c", 0, batch.StageAsking)))
	if !strings.HasPrefix(done, "\x1b[3A\ra ") {
		t.Errorf("the table is not replaced by the line of the task that is done: %q", done)
	}
	crowd := []batch.Entry{}
	for _, name := range []string{"d", "e", "f", "g", "h"} {
		crowd = append(crowd, entry(name, 0, batch.StageAsking))
	}
	if text := ansi.Strip(show(board(crowd...))); !strings.Contains(text, "and 3 tasks more") {
		t.Errorf("too high for 6 rows:\n%s", text)
	}
}

func TestNoRowIsWiderThanTheTerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := NewLive(&out, func() (int, int) { return 40, 24 }, time.Now)
	l.Show(board(entry("a", 0, batch.StageJudging, 0.5)))
	for line := range strings.Lines(out.String()) {
		if w := ansi.StringWidth(strings.TrimRight(line, "\r\n")); w >= 40 {
			t.Errorf("%d columns: %q", w, line)
		}
	}
}

type broken struct{ tried int }

func (b *broken) Write([]byte) (int, error) { b.tried++; return 0, errors.New("gone") }

func TestAFailureIsKept(t *testing.T) {
	t.Parallel()
	w := &broken{}
	for _, s := range []Shower{NewLines(w), NewLive(w, func() (int, int) { return 80, 24 }, time.Now)} {
		w.tried = 0
		s.Show(board(entry("a", 0, batch.StageDone, 1)))
		s.Show(board(entry("b", 0, batch.StageDone, 1)))
		if s.Err() == nil || w.tried != 1 {
			t.Errorf("%T: error %v after %d writes", s, s.Err(), w.tried)
		}
	}
}
