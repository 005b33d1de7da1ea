package gpu

import (
	"encoding/json"
	"math"
	"testing"
)

func TestNumberSurvivesJSON(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		n    float64
		text string
	}{
		{"zero", 0, "0"},
		{"negative", -1.5, "-1.5"},
		{"tiny", 1e-300, "1e-300"},
		{"not a number", math.NaN(), `"NaN"`},
		{"infinity", math.Inf(1), `"Infinity"`},
		{"negative infinity", math.Inf(-1), `"-Infinity"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, err := json.Marshal(Number(tt.n))
			if err != nil || string(text) != tt.text {
				t.Fatalf("got %s, %v; want %s", text, err, tt.text)
			}
			var back Number
			if err := json.Unmarshal(text, &back); err != nil {
				t.Fatal(err)
			}
			if got := float64(back); got != tt.n && !(math.IsNaN(got) && math.IsNaN(tt.n)) {
				t.Errorf("came back as %v", got)
			}
		})
	}
	for _, bad := range []string{`"many"`, "true", "[]", ""} {
		if err := new(Number).UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%q was read as a number", bad)
		}
	}
}

// TestUnknownFiguresAreNull holds the promise of the format: a figure that
// nobody measured is null, and every key is there all the same.
func TestUnknownFiguresAreNull(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(Verdict{
		Schema: VerdictSchema, Outcome: OutcomeCompile,
		Check: &Check{}, Timing: &Timing{}, Resources: []Resources{{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	null := func(path string, from map[string]any, keys ...string) {
		t.Helper()
		for _, key := range keys {
			if value, there := from[key]; !there || value != nil {
				t.Errorf("%s%s is %v (there: %v), want null", path, key, value, there)
			}
		}
	}
	null("", v, "score", "roofline")
	null("check.", v["check"].(map[string]any), "max_abs", "max_rel", "kernelbench_pass")
	null("timing.", v["timing"].(map[string]any), "ci95_us", "host_slope_us", "clock_mhz", "temperature_c", "power_w", "throttled", "throttle")
	null("resources.", v["resources"].([]any)[0].(map[string]any), "registers", "spill_bytes", "occupancy")
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		outcome         Outcome
		correct, scored bool
	}{
		{OutcomeCorrect, true, true},
		{OutcomeMismatch, false, true},
		{OutcomeSuspect, false, true},
		{OutcomeUnsupported, false, false},
		{"", false, false},
	} {
		if tt.outcome.Correct() != tt.correct || tt.outcome.Scored() != tt.scored {
			t.Errorf("%q: correct %v, scored %v", tt.outcome, tt.outcome.Correct(), tt.outcome.Scored())
		}
	}
}

func TestStagesAreInOrder(t *testing.T) {
	t.Parallel()
	if got := Stages(); len(got) != 5 || got[0] != StageRules || got[4] != StageTime {
		t.Errorf("got %v", got)
	}
	if l := DefaultLimits(); l.Compile <= 0 || l.Run <= 0 || l.Memory <= 0 || l.Trials < 5 {
		t.Errorf("a limit is missing: %+v", l)
	}
}

func TestBaselinesInWords(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"reference": "the reference", "best": "the best", "eager": "PyTorch eager", "compile": "torch.compile"} {
		if got := BaselineName(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
