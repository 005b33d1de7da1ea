package plain

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/agent/record"
	"example.com/hone/gpu"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -update and look at the change. Got:\n%s", path, got)
	}
}

func printed(events []agent.Event) string {
	var b bytes.Buffer
	p := NewText(&b, "runs/01KKNTQ1T8")
	for _, e := range events {
		p.Event(e)
	}
	return b.String()
}

func durable(events []agent.Event) []agent.Event {
	var kept []agent.Event
	for _, e := range events {
		if !e.Kind.Live() {
			kept = append(kept, e)
		}
	}
	return kept
}

func TestStoryAsText(t *testing.T) {
	t.Parallel()
	golden(t, "story.txt", printed(agenttest.Story()))
	golden(t, "story_gpu.txt", printed(agenttest.GPUStory()))
}

func TestAStoredRunPrintsAsItDidLive(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := Show(&b, "runs/01KKNTQ1T8", durable(agenttest.Story()), nil); err != nil {
		t.Fatal(err)
	}
	if live := printed(agenttest.Story()); b.String() != live {
		t.Errorf("stored:\n%s\nlive:\n%s", b.String(), live)
	}
}

func TestShowAnInterruptedRun(t *testing.T) {
	t.Parallel()
	events := durable(agenttest.Story())[:24]
	problems := []record.Problem{{Line: 25, Text: "the last line is incomplete (40 bytes)"}}
	var b bytes.Buffer
	if err := Show(&b, "runs/01KKNTQ1T8", events, problems); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"the session was never ended", "damaged  line 25: the last line"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, b.String())
		}
	}
}

func TestStoryAsJSON(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	p := NewJSON(&b)
	story := agenttest.Story()
	for _, e := range story {
		p.Event(e)
	}
	if p.Err() != nil {
		t.Fatal(p.Err())
	}
	dec := json.NewDecoder(&b)
	for i, e := range story {
		var line struct {
			Event agent.Kind
			ID    *string
			Seq   *int64
			Turn  int
			Data  json.RawMessage
		}
		if err := dec.Decode(&line); err != nil {
			t.Fatalf("event %d: %v", i, err)
		}
		if line.Event != e.Kind || line.Turn != e.Turn || (line.ID == nil) != e.Kind.Live() || (line.Seq == nil) != e.Kind.Live() {
			t.Errorf("event %d: %+v, want that of %s", i, line, e.Kind)
		}
		data := agent.NewData(line.Event)
		if err := json.Unmarshal(line.Data, data); err != nil {
			t.Errorf("event %d: %v", i, err)
		}
	}
	if dec.More() {
		t.Error("there are more lines than events")
	}
}

func TestATaskOfAReferenceAlone(t *testing.T) {
	t.Parallel()
	text := printed([]agent.Event{{Kind: agent.KindTaskPinned, Data: &agent.TaskPinned{Title: "Negate", ID: "mine/negate"}}})
	if !strings.Contains(text, "Negate (mine/negate)\n") || !strings.Contains(text, SignatureUnknown) || strings.Contains(text, "solve") {
		t.Errorf("got\n%s", text)
	}
}

// hostile is what a model or a compiler may send to take over a terminal.
const hostile = "a\x1b[31mb\x1b]52;c;AAAA\x07c\x9b2Jd\re\x00f\u202eg\x1bPq\x1b\\h\x07\u2028i"

func TestNothingHostileIsPrinted(t *testing.T) {
	t.Parallel()
	v := agenttest.CompileError(agenttest.Kernel(1))
	v.Summary, v.Stages[1].Detail = hostile, hostile
	v.Diagnostics = []gpu.Diagnostic{{
		File: "kernel.cu", Line: 1, Severity: hostile, Message: hostile + "\nsecond", Notes: []string{hostile},
	}}
	v.Check = &gpu.Check{Pattern: hostile, First: []gpu.Mismatch{{Output: hostile}}}
	v.Findings = []gpu.Finding{{Kind: hostile, Evidence: hostile, Severity: hostile}}
	v.Resources = []gpu.Resources{{Kernel: hostile}}
	events := []agent.Event{
		{Kind: agent.KindSessionStarted, Data: &agent.SessionStarted{Model: hostile, Endpoint: hostile, Device: hostile}},
		{Kind: agent.KindTaskPinned, Data: &agent.TaskPinned{Title: hostile, ID: hostile, Signature: hostile, Shapes: hostile}},
		{Kind: agent.KindTurnStarted, Turn: 1, Data: &agent.TurnStarted{Hint: hostile}},
		{Kind: agent.KindModelRequested, Turn: 1, Data: &agent.ModelRequested{Model: hostile, Endpoint: hostile}},
		{Kind: agent.KindTextDelta, Turn: 1, Data: &agent.TextDelta{Text: hostile, Reasoning: true}},
		{Kind: agent.KindTextDelta, Turn: 1, Data: &agent.TextDelta{Text: hostile}},
		{Kind: agent.KindModelResponded, Turn: 1, Data: &agent.ModelResponded{Content: hostile, Error: hostile, CancelledBy: hostile}},
		{Kind: agent.KindCodeExtracted, Turn: 1, Data: &agent.CodeExtracted{Kernel: hostile, Rule: hostile, Problems: []string{hostile}}},
		{Kind: agent.KindStageChanged, Turn: 1, Data: &gpu.Event{Stage: hostile, Status: gpu.StatusFailed, Detail: hostile}},
		{Kind: agent.KindEvaluated, Turn: 1, Data: &agent.Evaluated{Verdict: &v, Accept: true}},
		{Kind: agent.KindEvaluated, Turn: 1, Data: &agent.Evaluated{Error: hostile}},
		{Kind: agent.KindTurnEnded, Turn: 1, Data: &agent.TurnEnded{Outcome: hostile, Summary: hostile}},
		{Kind: agent.KindHumanActed, Turn: 1, Data: &agent.HumanActed{Action: hostile, Text: hostile, Diff: hostile}},
		{Kind: agent.KindNoticed, Data: &agent.Noticed{Level: hostile, Text: hostile}},
		{Kind: "from.the.future", Data: json.RawMessage("{}")},
	}
	text := printed(events) + Verdict(v, hostile) + Runs([]record.Summary{{Task: hostile, Model: hostile, Stopped: hostile}}, time.UTC)
	for i, r := range text {
		if r != '\n' && (unicode.IsControl(r) || r == '\u202e' || r == '\u2028') {
			t.Fatalf("%q is printed: %q", r, text[max(0, i-20):i+1])
		}
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	unsupported := gpu.Verdict{
		Outcome: gpu.OutcomeUnsupported, Summary: "unsupported on CPU: inline PTX (asm) at line 12",
		Stages: []gpu.StageResult{{Name: gpu.StageRules, Status: gpu.StatusOK, MS: 1}, {Name: gpu.StageCompile, Status: gpu.StatusSkipped}},
	}
	race := agenttest.Correct(agenttest.Kernel(4), 1.5)
	race.Findings = []gpu.Finding{{
		Kind: "race", Severity: "warning", Line: 17, Evidence: "block 0: threads 3 and 4 touch partial[3] without a barrier",
	}}
	tests := []struct {
		name    string
		verdict gpu.Verdict
		kernel  int
	}{
		{"compile_error", agenttest.CompileError(agenttest.Kernel(1)), 1},
		{"mismatch", agenttest.Mismatch(agenttest.Kernel(2)), 2},
		{"correct", agenttest.Correct(agenttest.Kernel(4), 1.84), 4},
		{"race", race, 4},
		{"gpu", agenttest.CorrectOnGPU(agenttest.Kernel(4), 1.84), 4},
		{"gpu_slow", agenttest.CorrectOnGPU(agenttest.Kernel(3), 0.71), 3},
		{"gpu_suspect", agenttest.Unbelievable(agenttest.Kernel(5)), 5},
		{"unsupported", unsupported, 4},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			golden(t, "verdict_"+test.name+".txt", Verdict(test.verdict, agenttest.Kernel(test.kernel)))
		})
	}
}

func TestRuns(t *testing.T) {
	t.Parallel()
	fast, slow, level := 6.2, 0.4, 1.1
	started := time.Date(2026, 3, 14, 9, 26, 0, 0, time.UTC)
	runs := []record.Summary{
		{
			ID: "01KKNTQ1T8000000000000000B", Task: "builtin/l1/softmax", Model: "scripted-32b", Device: "CPU emulation",
			Emulated: true, Started: started.Add(time.Hour), Best: 4, Accepted: 4, Stopped: "accepted",
			Turns: []record.Mark{
				{Outcome: "compile_error"}, {Outcome: "correct", Speedup: &slow}, {Outcome: "correct", Speedup: &level},
				{Outcome: "correct", Speedup: &fast}, {Outcome: "stopped"},
			},
		},
		{ID: "01KKNTQ1T8000000000000000A", Stopped: "unreadable", Problems: []record.Problem{{Text: "no such file"}}},
	}
	golden(t, "runs.txt", Runs(runs, time.UTC))
	if got := Runs(nil, time.UTC); got != "no runs yet\n" {
		t.Errorf("no runs: %q", got)
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		events []agent.Event
		want   string
	}{
		{"no turn", durable(agenttest.Story())[:3], "no turn was taken; record in F"},
		{"no correct turn", durable(agenttest.Story())[:12], "no correct kernel in 1 turn; record in F"},
		{
			"accepted", agenttest.Story(),
			"the best is turn 6, 2.63x the reference (emulated on CPU: not a GPU time); turn 6 is accepted; record in F",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var s agent.State
			for _, e := range test.events {
				s.Apply(e)
			}
			if got := Result(&s, "F"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

type brokenPipe struct{ calls int }

func (b *brokenPipe) Write([]byte) (int, error) {
	b.calls++
	return 0, errors.New("broken pipe")
}

func TestAFailedWriteIsTheLast(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*brokenPipe) Printer{
		"text": func(w *brokenPipe) Printer { return NewText(w, "") },
		"json": func(w *brokenPipe) Printer { return NewJSON(w) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &brokenPipe{}
			p := open(w)
			for _, e := range agenttest.Story() {
				p.Event(e)
			}
			if p.Err() == nil || w.calls != 1 {
				t.Errorf("error %v after %d writes, want one write and its error", p.Err(), w.calls)
			}
		})
	}
}

func FuzzParagraph(f *testing.F) {
	f.Add("a long thought without any line break that goes on and on", 3, 20)
	f.Add("日本語 \x1b[31m red\n\n  indented\tcode", 1, 4)
	f.Fuzz(func(t *testing.T, s string, step, limit int) {
		step, limit = max(1, step), max(0, limit)
		whole := paragraph{limit: limit}
		want := append(whole.write(s), whole.flush()...)
		pieces := paragraph{limit: limit}
		var got []string
		for rest := s; rest != ""; {
			n := min(step, len(rest))
			got = append(got, pieces.write(rest[:n])...)
			rest = rest[n:]
		}
		got = append(got, pieces.flush()...)
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("pieces of %d: %q, want %q", step, got, want)
		}
		if a, b := letters(strings.Join(want, " ")), letters(strings.Join(limitless(s), " ")); a != b {
			t.Errorf("text changed from %q to %q", b, a)
		}
	})
}

func limitless(s string) []string {
	var p paragraph
	return append(p.write(s), p.flush()...)
}

func letters(s string) string { return strings.ReplaceAll(s, " ", "") }
