package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/gpu"
	"example.com/hone/ui/code"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

func TestVerdictSaysWhatIsKnown(t *testing.T) {
	t.Parallel()
	correct := agenttest.Correct(agenttest.Kernel(3), 1.84)
	noisy := agenttest.Correct(agenttest.Kernel(3), 1.01)
	noisy.Timing.CI95US = &[2]float64{1000, 4000}
	unknown := correct
	unknown.Timing, unknown.Check, unknown.Score, unknown.Speedup = nil, nil, nil, nil
	racy := correct
	racy.Findings = []gpu.Finding{{Kind: "barrier_divergence", Severity: "warning", Line: 12, Evidence: "thread 3 of block 0 waits alone"}}
	ended := func(v gpu.Verdict) *agent.Turn {
		return &agent.Turn{
			Number: 1, Phase: agent.PhaseDone, Verdict: &v,
			End: &agent.TurnEnded{Outcome: string(v.Outcome), Summary: v.Summary},
		}
	}
	broken := &agent.Turn{Number: 1, Phase: agent.PhaseDone, Error: "the compiler is gone: install g++", End: &agent.TurnEnded{Outcome: agent.OutcomeInfraError}}
	stopped := &agent.Turn{Number: 1, Phase: agent.PhaseDone, End: &agent.TurnEnded{Outcome: agent.OutcomeStopped, Summary: "stopped while writing"}}
	rejected := ended(correct)
	rejected.Rejected, rejected.Rejection = true, "too clever"
	for name, c := range map[string]struct {
		turn  *agent.Turn
		has   []string
		hasno []string
	}{
		"none":          {nil, []string{"Nothing to judge yet."}, nil},
		"correct":       {ended(correct), []string{"correct  1.84x the reference", "emulated on CPU: not a GPU time", "5 of 5", "3.09 to 3.16", "2.14"}, []string{"intervals overlap"}},
		"noise":         {ended(noisy), []string{"no real difference: intervals overlap"}, nil},
		"figures lack":  {ended(unknown), []string{"correct"}, []string{"0 us", "0.00", "score", "trials"}},
		"mismatch":      {ended(agenttest.Mismatch(agenttest.Kernel(2))), []string{"11,308 of 77,100", "y[256, 0]", "nan", "every row from 256 on"}, []string{"x the reference", "score"}},
		"compile error": {ended(agenttest.CompileError(agenttest.Kernel(1))), []string{"line 15: error", "'maximum' was not declared", "– run      skipped"}, nil},
		"finding":       {ended(racy), []string{"line 12: barrier divergence", "waits alone"}, nil},
		"not judged":    {broken, []string{"could not be judged", "install g++"}, []string{"ok "}},
		"stopped":       {stopped, []string{"– stopped", "stopped while writing"}, nil},
		"rejected":      {rejected, []string{"rejected: too clever"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := ansi.Strip(strings.Join(verdictRows(theme.New(term.Profile{}), c.turn, false, 60), "\n"))
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("lacks %q:\n%s", want, text)
				}
			}
			for _, bad := range c.hasno {
				if strings.Contains(text, bad) {
					t.Errorf("has %q:\n%s", bad, text)
				}
			}
		})
	}
}

func TestEveryOutcomeHasWordsAndAMark(t *testing.T) {
	t.Parallel()
	th := theme.New(term.Profile{})
	for _, outcome := range []string{
		string(gpu.OutcomeParse), string(gpu.OutcomeRule), string(gpu.OutcomeUnsupported), string(gpu.OutcomeCompile),
		string(gpu.OutcomeRuntime), string(gpu.OutcomeTimeout), string(gpu.OutcomeMismatch), string(gpu.OutcomeSuspect),
		agent.OutcomeModelError, agent.OutcomeTruncated, agent.OutcomeStopped, agent.OutcomeInfraError,
	} {
		short, long := outcomeWords(outcome)
		if strings.Contains(short+long, "_") || term.Width(short) > wordWidth {
			t.Errorf("%s is called %q and %q", outcome, short, long)
		}
		if glyph, _ := outcomeMark(th, outcome); glyph == th.Glyphs.OK || glyph == "" {
			t.Errorf("%s is marked %q", outcome, glyph)
		}
	}
	if glyph, _ := outcomeMark(th, string(gpu.OutcomeCorrect)); glyph != th.Glyphs.OK {
		t.Errorf("correct is marked %q", glyph)
	}
}

func TestLogSaysEachEventOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data any
		want string
	}{
		"turn":                {&agent.TurnStarted{Parent: 2, Reason: agent.ActionRetry}, "retry from turn 2"},
		"edit":                {&agent.TurnStarted{Parent: 2, Reason: agent.ActionEdit}, "edited by hand from turn 2"},
		"asking again":        {&agent.Noticed{Level: agent.LevelWarn, Text: "500; asking again in 1s (attempt 2)"}, "500; asking again in 1s (attempt 2)"},
		"another attempt":     {&agent.ModelRequested{Model: "m", Attempt: 2}, ""}, // told by the notice before it
		"first":               {&agent.ModelRequested{Model: "m", Attempt: 1}, ""},
		"reply":               {&agent.ModelResponded{Usage: agent.Usage{Completion: 1200, Estimated: true}, Total: 3 * time.Second}, "reply of about 1,200 tokens in 3.0 s"},
		"cut":                 {&agent.ModelResponded{Error: "the stream broke: retry"}, "the stream broke: retry"},
		"stopped":             {&agent.ModelResponded{CancelledBy: "human"}, "reply stopped"},
		"no code":             {&agent.CodeExtracted{Rule: "no block", Problems: []string{"prose only"}}, "no kernel: prose only; no block"},
		"kernel":              {&agent.CodeExtracted{Kernel: "a\nb\n", Rule: "the only block"}, "kernel of 2 lines: the only block"},
		"harness":             {&agent.Evaluated{Error: "judge died"}, "not judged: judge died"},
		"hint":                {&agent.HumanActed{Action: agent.ActionHint, Text: "use warps"}, "your hint: use warps"},
		"next":                {&agent.HumanActed{Action: agent.ActionNext}, ""},
		"notice":              {&agent.Noticed{Text: "disk full"}, "disk full"},
		"the end":             {&agent.SessionEnded{Reason: "quit"}, "session ended: quit"},
		"a delta":             {&agent.TextDelta{Text: "x"}, ""},
		"a prompt":            {&agent.PromptBuilt{}, ""},
		"a prompt cut to fit": {&agent.PromptBuilt{DroppedTurns: []int{1, 2}}, "the prompt leaves out the oldest 2 turns to fit"},
		"an edited prompt":    {&agent.PromptBuilt{DroppedTurns: []int{1}, Edited: true}, "the prompt was edited"},
		"model":               {&agent.ModelChanged{Model: "m", Endpoint: "h:1"}, "from the next turn on: m at h:1"},
		"scripted model":      {&agent.ModelChanged{Model: "m", Endpoint: "h:1", Scripted: true}, "from the next turn on: m (scripted)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, got := describe(agent.Event{Data: c.data}); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestSheetSortsReplies gives a reply whole and in pieces; both have to sort to
// the same thought, prose and code.
func TestSheetSortsReplies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply, thought, prose, code string
	}{
		"one block":        {"a\n```cuda\nx;\n```\nb\n", "", "a\nb\n", "x;\n"},
		"the last block":   {"```\nx;\n```\n```\ny;\n```\n", "", "", "y;\n"},
		"unclosed":         {"a\n```cuda\nx;\ny", "", "a\n", "x;\ny\n"},
		"CRLF":             {"a\r\n```\r\nx;\r\n```\r\n", "", "a\n", "x;\n"},
		"a thought":        {"<think>t</think>\na\n```\nx;\n```\n", "t", "a\n", "x;\n"},
		"its end alone":    {"t\n```\nno;\n```\n</think>\na\n```\nx;\n```\n", "", "a\n", "x;\n"},
		"no code":          {"only words\n", "", "only words\n", ""},
		"escapes are kept": {"```\n\x1b[31mx;\n```\n", "", "", "x;\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, piece := range []int{1, 2, 5, len(c.reply)} {
				s := newSheet(theme.New(term.Profile{}), code.CUDA)
				for rest := c.reply; rest != ""; {
					n := min(piece, len(rest))
					s.write(false, rest[:n])
					rest = rest[n:]
				}
				s.complete(&agent.ModelResponded{Content: c.reply})
				prose := strings.TrimLeft(strings.TrimRight(s.prose.text(), "\n")+"\n", "\n")
				if want := strings.TrimLeft(strings.TrimRight(c.prose, "\n")+"\n", "\n"); prose != want {
					t.Errorf("pieces of %d: prose %q, want %q", piece, prose, want)
				}
				if got := s.code.Text(); got != c.code {
					t.Errorf("pieces of %d: code %q, want %q", piece, got, c.code)
				}
				if c.thought != "" && strings.TrimSpace(s.thought.text()) != c.thought {
					t.Errorf("pieces of %d: thought %q, want %q", piece, s.thought.text(), c.thought)
				}
			}
		})
	}
}

func TestChosenBlockReplacesTheStreamedOne(t *testing.T) {
	t.Parallel()
	s := newSheet(theme.New(term.Profile{}), code.CUDA)
	s.write(false, "```\nsolve;\n```\n```\nexample;\n```\n")
	s.settle("solve;\n")
	if s.code.Text() != "solve;\n" || s.raw() != "solve;\n" {
		t.Errorf("the pane holds %q, copied would be %q", s.code.Text(), s.raw())
	}
	s.scroll.top, s.scroll.follow = 5, false
	s.rest(40)
	if s.scroll.top != 5 {
		t.Error("a reader who had moved was moved again")
	}
}

func TestSignatureIsOneParameterALine(t *testing.T) {
	t.Parallel()
	got := signatureText(agent.Pin(agenttest.Task()))
	want := "extern \"C\" void solve(\n    const float* x,\n    float* y,\n    int64_t M,\n    int64_t N,\n    cudaStream_t stream)"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTaskHistoryIsOfTheRecord(t *testing.T) {
	t.Parallel()
	b := newBench(t, 100, 30, term.Profile{})
	b.run(b.Init())
	h := b.browse.history["builtin/l1/softmax"]
	if h.runs != 1 || h.turns != 6 || h.best == nil || *h.best != 2.63 {
		t.Errorf("history %+v", h)
	}
	b.press("t", "s")
	if first := b.runs.shown[0]; first.Best == nil {
		t.Errorf("best first shows run %s first", first.ID)
	}
	b.wantOnScreen("best first")
}

// Replies that are written at the same time have a speed each.
func TestSiblingsHaveTheirOwnSpeed(t *testing.T) {
	t.Parallel()
	b := newBench(t, 120, 40, term.Profile{})
	b.openSoftmax(agenttest.Story()[:3])
	for turn := 1; turn <= 2; turn++ {
		b.refine.apply([]agent.Event{{Turn: turn, Kind: agent.KindTurnStarted, Data: &agent.TurnStarted{Source: agent.SourceModel, Sample: turn}}}, b.now)
	}
	for i := range 41 {
		at := b.now.Add(time.Duration(i) * 100 * time.Millisecond)
		for turn, bytes := range map[int]int{1: 40, 2: 8} {
			delta := agent.Event{Turn: turn, Time: at, Kind: agent.KindTextDelta, Data: &agent.TextDelta{Text: strings.Repeat("x", bytes)}}
			b.refine.apply([]agent.Event{delta}, at)
		}
	}
	for turn, want := range map[int]string{1: "writing ~100 tok/s", 2: "writing ~20 tok/s"} {
		if got := b.refine.writing(b.refine.state.Turn(turn), b.now.Add(5*time.Second)); got != want {
			t.Errorf("turn %d: %q, want %q", turn, got, want)
		}
	}
}

func TestMeter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	var m meter
	m.add(now, 400)
	if got := m.tokens(); got != 0 {
		t.Errorf("one sample gives %d tokens a second", got)
	}
	for i := 1; i <= 40; i++ {
		m.add(now.Add(time.Duration(i)*100*time.Millisecond), 40)
	}
	if got := m.tokens(); got != 100 {
		t.Errorf("400 bytes a second are %d tokens a second, want 100", got)
	}
}
