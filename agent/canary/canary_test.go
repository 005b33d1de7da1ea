package canary

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
)

func TestOpens(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, thought string
		openings      []string
		want          bool
	}{
		{"as usual", "Okay, so I need", DefaultOpenings(), true},
		{"behind a newline", "\nOkay, so", DefaultOpenings(), true},
		{"odd words", "Okay Amigos, so I need", DefaultOpenings(), false},
		{"another case", "okay, so", DefaultOpenings(), false},
		{"another word", "Alright, so", DefaultOpenings(), false},
		{"another word that is usual too", "Alright, so", []string{"Okay,", "Alright,"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := opens(tt.thought, tt.openings); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// words are n different ones.
func words(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%d ", i)
	}
	return b.String()
}

func TestMeasures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		measure func(string) *float64
		text    string
		want    float64 // -1: unknown
	}{
		{"too short to repeat", Repetition, "one two three", -1},
		{"nothing repeats", Repetition, words(500), 0},
		{"one phrase of five", Repetition, "a b c d e a b c d", 1.0 / 6},
		{"a loop", Repetition, strings.Repeat("wait ", 103), 0.99},
		{"a loop over lines", Repetition, strings.Repeat("let me\ncheck again ", 26), 97.0 / 101},
		{"within the window", Repetition, words(256) + words(256), 253.0 / 509},
		{"beyond the window", Repetition, words(257) + words(257), 0},
		{"empty", Junk, "", -1},
		{"plain", Junk, "x := µ·σ² → 𝑥 ≥ 3 👩‍🚀\r\n\té", 0},
		{"another script", Junk, "ab行列", 0.5},
		{"a mark of another script", Junk, "abcा", 0.25},
		{"replacement", Junk, "abc\uFFFD", 0.25},
		{"does not decode", Junk, "abc\xff", 0.25},
		{"control", Junk, "abc\x1b", 0.25},
		{"private", Junk, "abc\uE000", 0.25},
		{"unassigned", Junk, "abc\U000E0FFF", 0.25},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := tt.measure(tt.text)
			if got == nil {
				if tt.want != -1 {
					t.Errorf("got nothing, want %v", tt.want)
				}
				return
			}
			if math.Abs(*got-tt.want) > 1e-9 {
				t.Errorf("got %v, want %v", *got, tt.want)
			}
		})
	}
}

func TestSamplesOfAStory(t *testing.T) {
	t.Parallel()
	samples := FromEvents(agenttest.Story(), nil)
	var correct []string
	for _, s := range samples {
		correct = append(correct, word(s.Correct))
		if !s.Replied || !s.Thought || s.Odd == nil || s.Tokens == nil || s.Repetition == nil || s.Junk == nil {
			t.Errorf("turn %d lacks a measure: %+v", s.Turn, s)
		}
		if s.Junk != nil && *s.Junk != 0 {
			t.Errorf("turn %d has junk: %v", s.Turn, *s.Junk)
		}
	}
	if got, want := strings.Join(correct, " "), "false false true true true"; got != want {
		t.Errorf("correct: %s, want %s", got, want)
	}
	for _, s := range FromEvents(agenttest.Story(), Usual{samples[0].Model: {}}) {
		if s.Odd != nil {
			t.Errorf("turn %d opens oddly or not where nothing is usual", s.Turn)
		}
	}
}

// TestCutRepliesAreNotMeasured: a person's stop says nothing of the model.
func TestCutRepliesAreNotMeasured(t *testing.T) {
	t.Parallel()
	s := agent.State{Turns: []*agent.Turn{{
		Number: 1, TurnStarted: agent.TurnStarted{Source: agent.SourceModel}, End: &agent.TurnEnded{Outcome: agent.OutcomeStopped},
		Response: &agent.ModelResponded{Reasoning: "Hmm", CancelledBy: "human", Usage: agent.Usage{Completion: 3, Estimated: true}},
	}}}
	got := Samples(&s, nil)
	if len(got) != 1 || got[0].Replied || got[0].Odd != nil || got[0].Tokens != nil || got[0].Correct != nil {
		t.Errorf("got %+v", got)
	}
	if sum := Summarise(got); sum.Turns != 1 || sum.Replies != 0 || sum.Odd != nil || sum.Tokens != nil || sum.Repetition != nil || sum.Correct != nil {
		t.Errorf("what is unknown is said: %+v", sum)
	}
}

func word(b *bool) string {
	if b == nil {
		return "unknown"
	}
	return fmt.Sprint(*b)
}

// sample is a reply of a model, so many days after the first of March.
func sample(model string, day int, odd bool, tokens int) Sample {
	none := 0.0
	return Sample{
		Time: time.Date(2026, 3, 1+day, 12, 0, 0, 0, time.UTC), Model: model, Session: fmt.Sprint(model, day),
		Replied: true, Thought: true, Odd: &odd, Tokens: &tokens, Repetition: &none, Junk: &none,
	}
}

func TestGroup(t *testing.T) {
	t.Parallel()
	day := func(s Sample) string { return s.Time.Format(time.DateOnly) }
	models := Group([]Sample{
		sample("b", 1, true, 300), sample("a", 0, false, 10), sample("b", 0, false, 100), sample("b", 1, false, 200),
	}, day)
	if len(models) != 2 || models[0].Model != "a" || models[1].Model != "b" {
		t.Fatalf("got %+v", models)
	}
	b := models[1]
	if b.Sessions != 2 || b.Turns != 3 || b.Thoughts != 3 || *b.Tokens != 200 || *b.TokensHigh != 300 || math.Abs(*b.Odd-1.0/3) > 1e-9 {
		t.Errorf("got %+v", b.Summary)
	}
	if len(b.Periods) != 2 || b.Periods[0].Name != "2026-03-01" || *b.Periods[0].Odd != 0 || *b.Periods[1].Odd != 0.5 {
		t.Errorf("got %+v", b.Periods)
	}
}

func TestByChance(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		a, n, b, m int
		want       float64
	}{
		{"all against none", 4, 4, 0, 4, 1.0 / 70},
		{"three of four against none", 3, 4, 0, 4, 4.0 / 56},
		{"none", 0, 4, 0, 4, 1},
		{"one in a hundred and four", 1, 4, 0, 100, 4.0 / 104},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := byChance(tt.a, tt.n, tt.b, tt.m); math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// times is a reply, so many times.
func times(n int, s Sample) []Sample {
	all := make([]Sample, n)
	for i := range all {
		all[i] = s
	}
	return all
}

func TestDrifts(t *testing.T) {
	t.Parallel()
	usual, odd, long := sample("m", 0, false, 1000), sample("m", 1, true, 1000), sample("m", 1, false, 4000)
	loop, chinese := usual, usual
	much := 0.6
	loop.Repetition, chinese.Junk = &much, &much
	hidden := usual
	hidden.Odd, hidden.Thought = nil, false
	tests := []struct {
		name             string
		session, earlier []Sample
		want             string // of the texts, a line each
	}{
		{"nothing yet", nil, times(20, usual), ""},
		{"too few", times(3, odd), times(20, usual), ""},
		{"as usual", times(8, usual), times(20, usual), ""},
		{"always odd", times(8, odd), times(20, odd), ""},
		{"one odd", append(times(3, usual), odd), times(40, usual), ""},
		{"against the record", times(4, odd), times(20, usual),
			"thoughts open oddly: 100.0% in the last 4, 0.0% in 20 on record"},
		{"half against a long record", append(times(2, usual), times(2, odd)...), times(100, usual),
			"thoughts open oddly: 50.0% in the last 4, 0.0% in 100 on record"},
		{"against the start", append(times(5, usual), times(4, odd)...), times(7, usual),
			"thoughts open oddly: 100.0% in the last 4, 0.0% in the session's first 4"},
		{"the start is too near", append(times(3, usual), times(4, odd)...), nil, ""},
		{"another model's record", times(4, odd), times(20, sample("other", 0, false, 1)), ""},
		{"another model answered before", append(times(8, sample("other", 0, false, 1)), times(4, odd)...), nil, ""},
		{"no thoughts", times(8, hidden), times(20, usual), ""},
		{"longer", times(4, long), times(20, usual), "replies are longer: 4000 tokens in the last 4, 1000 tokens in 20 on record"},
		{"repeats", times(4, loop), times(20, usual),
			"phrases repeat: 60.0% in the last 4, 0.0% in 20 on record"},
		{"junk", times(4, chinese), times(20, usual),
			"characters are no text: 60.0% in the last 4, 0.0% in 20 on record"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var texts []string
			for _, d := range Drifts(tt.session, tt.earlier) {
				texts = append(texts, d.Text)
			}
			if got := strings.Join(texts, "\n"); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func BenchmarkSample(b *testing.B) {
	text := strings.Repeat(words(500), 24)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Repetition(text)
		Junk(text)
	}
}
