package demo

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPieces(t *testing.T) {
	t.Parallel()
	got := pieces("The kernel,\n    reduces  __shared__ äö✓;")
	want := []string{"The", " kernel", ",", "\n    ", "reduces", "  ", "__share", "d__", " äö", "✓", ";"}
	if !slices.Equal(got, want) {
		t.Errorf("pieces %q, want %q", got, want)
	}
}

func FuzzPieces(f *testing.F) {
	f.Add("int a = 1;\n\t// ä\xff \n")
	f.Fuzz(func(t *testing.T, text string) {
		all := pieces(text)
		if strings.Join(all, "") != text || slices.Contains(all, "") {
			t.Errorf("pieces of %q: %q", text, all)
		}
	})
}

func TestPaceIsIrregularSteadyAndRepeatable(t *testing.T) {
	t.Parallel()
	delays := func(text string) (all []time.Duration, sum time.Duration) {
		p := newPace(100, text)
		for range 1000 {
			all = append(all, p.delay(1))
			sum += all[len(all)-1]
		}
		return all, sum
	}
	all, sum := delays("a")
	if sum < 9500*time.Millisecond || sum > 10500*time.Millisecond {
		t.Errorf("1000 pieces at 100 per second take %v", sum)
	}
	if slices.Min(all) < 4*time.Millisecond || slices.Max(all) > 16*time.Millisecond || slices.Min(all) == slices.Max(all) {
		t.Errorf("delays from %v to %v", slices.Min(all), slices.Max(all))
	}
	again, _ := delays("a")
	other, _ := delays("b")
	if !slices.Equal(all, again) || slices.Equal(all, other) {
		t.Error("delays must depend on the text alone")
	}
}
