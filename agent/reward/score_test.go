package reward

import (
	"math"
	"testing"
)

func TestScore(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		correct bool
		speedup float64
		want    float64
	}{
		{"wrong scores nothing, however fast", false, 9, 0},
		{"correct and slower", true, 0.5, 0.8},
		{"correct and as fast", true, 1, 1.3},
		{"no cap", true, 40, 40.3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Score(tt.correct, tt.speedup); !near(got, tt.want) {
				t.Errorf("Score = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestReturns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		scores []float64
		gamma  float64
		fold   Fold
		want   []float64
	}{
		{"none", nil, 0.4, Sum, nil},
		{"sum", []float64{0, 1.36, 0, 2.23}, 0.4, Sum, []float64{0.68672, 1.7168, 0.892, 2.23}},
		{"max", []float64{0, 1.36, 0, 2.23}, 0.4, Max, []float64{0.544, 1.36, 0.892, 2.23}},
		{"flat scores fall towards the end", []float64{1, 1, 1, 1}, 0.4, Sum, []float64{1.624, 1.56, 1.4, 1}},
		{"max with the longer horizon", []float64{0, 0, 1}, 0.8, Max, []float64{0.64, 0.8, 1}},
		{"max of an equal trajectory is flat at first", []float64{1, 1, 1, 1}, 0.8, Max, []float64{1, 1, 1, 1}},
		{"a person who accepts at turn 2 leaves lower returns", []float64{1, 1}, 0.4, Sum, []float64{1.4, 1}},
		{"set-up turns are credited for what follows", []float64{0, 0, 1.3, 10.3}, 0.4, Sum, []float64{0.8672, 2.168, 5.42, 10.3}},
		{"no discounting of one turn", []float64{0.7}, 0.4, Sum, []float64{0.7}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Returns(tt.scores, tt.gamma, tt.fold)
			if !allNear(got, tt.want) {
				t.Errorf("Returns = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestKnownReturnsStopAtAnUnscoredTurn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		scores []*float64
		want   []*float64
	}{
		{"all known", known(1, 1), known(1.4, 1)},
		{"the last unknown leaves none", known(1, math.NaN()), known(math.NaN(), math.NaN())},
		{"one in the middle", known(1, math.NaN(), 2, 1), known(math.NaN(), math.NaN(), 2.4, 1)},
		{"none", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := KnownReturns(tt.scores, 0.4, Sum)
			if !allNear(plain(got), plain(tt.want)) {
				t.Errorf("KnownReturns = %v, want %v", plain(got), plain(tt.want))
			}
		})
	}
}

func TestCutReturnsEndWhereAPersonSteppedIn(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, tt := range []struct {
		name   string
		scores []*float64
		human  []bool
		want   []float64
	}{
		{"nobody did", known(1, 1, 1), []bool{false, false, false}, []float64{1.56, 1.4, 1}},
		{"a hint before the third turn", known(1, 1, 2, 1), []bool{false, false, true, false}, []float64{1.4, 1, 2.4, 1}},
		{"a hint before the first turn cuts nothing", known(1, 1), []bool{true, false}, []float64{1.4, 1}},
		{"every turn", known(1, 2, 3), []bool{true, true, true}, []float64{1, 2, 3}},
		{"an unknown score spoils only what depends on it", known(1, 1, nan, 1), []bool{false, false, true, false}, []float64{1.4, 1, nan, 1}},
		{"none", nil, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := plain(CutReturns(tt.scores, tt.human, 0.4, Sum)); !allNear(got, tt.want) {
				t.Errorf("CutReturns = %v, want %v", got, tt.want)
			}
		})
	}
}

// known makes pointers of figures; NaN stands for an unknown one.
func known(values ...float64) []*float64 {
	var out []*float64
	for _, v := range values {
		if math.IsNaN(v) {
			out = append(out, nil)
		} else {
			out = append(out, &v)
		}
	}
	return out
}

// plain is the inverse of known.
func plain(values []*float64) []float64 {
	var out []float64
	for _, v := range values {
		if v == nil {
			out = append(out, math.NaN())
		} else {
			out = append(out, *v)
		}
	}
	return out
}

func near(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-9
}

func allNear(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !near(a[i], b[i]) {
			return false
		}
	}
	return true
}
