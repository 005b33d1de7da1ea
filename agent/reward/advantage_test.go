package reward

import (
	"math"
	"testing"
)

func TestAdvantages(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	flat := known(1.624, 1.56, 1.4, 1) // returns of the scores 1, 1, 1, 1
	for _, tt := range []struct {
		name    string
		returns [][]*float64
		spec    Spec
		want    [][]float64 // to two decimals
	}{
		{
			"flat scores punish the last turn for being last",
			[][]*float64{flat}, Spec{ByTask, Mean, Population}, [][]float64{{0.94, 0.68, 0.02, -1.63}},
		},
		{
			"grouped by turn, flat scores say nothing",
			[][]*float64{flat, flat}, Spec{ByTurn, Mean, NoDeviation}, [][]float64{{0, 0, 0, 0}, {0, 0, 0, 0}},
		},
		{
			"equal returns have no deviation to divide by",
			[][]*float64{flat, flat}, Spec{ByTurn, Mean, Sample}, [][]float64{{nan, nan, nan, nan}, {nan, nan, nan, nan}},
		},
		{
			"a single sample has no baseline",
			[][]*float64{known(2)}, Spec{ByTask, Mean, NoDeviation}, [][]float64{{nan}},
		},
		{
			"left out of its own mean",
			[][]*float64{known(3), known(0), known(0)}, Spec{ByTurn, LeaveOneOut, NoDeviation}, [][]float64{{3}, {-1.5}, {-1.5}},
		},
		{
			"unequal lengths and unknown returns",
			[][]*float64{known(1, 4), known(nan), known(3, 2)}, Spec{ByTurn, Mean, NoDeviation}, [][]float64{{-1, 1}, {nan}, {1, -1}},
		},
		{
			"a short trajectory looks worse beside a long one",
			[][]*float64{known(1.624, 1.56, 1.4, 1), known(1.4, 1)}, Spec{ByTurn, Mean, NoDeviation}, [][]float64{{0.11, 0.28, nan, nan}, {-0.11, -0.28}},
		},
		{
			"unless turns are compared that as many follow",
			[][]*float64{known(1.624, 1.56, 1.4, 1), known(1.4, 1)}, Spec{ByRemaining, Mean, NoDeviation}, [][]float64{{nan, nan, 0, 0}, {0, 0}},
		},
		{
			"left out of its own mean: n/(n-1) times the difference from it",
			[][]*float64{known(1), known(2), known(3), known(6)}, Spec{ByTask, LeaveOneOut, NoDeviation}, [][]float64{{-2.67}, {-1.33}, {0}, {4}},
		},
		{
			"a group without any return",
			[][]*float64{known(nan, 1), known(nan, 3)}, Spec{ByTurn, Mean, Population}, [][]float64{{nan, -1}, {nan, 1}},
		},
		{
			"sample deviation",
			[][]*float64{known(1), known(3)}, Spec{ByTask, Mean, Sample}, [][]float64{{-0.71}, {0.71}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Advantages(tt.returns, tt.spec)
			for i := range tt.want {
				if !allNear(rounded(got[i]), tt.want[i]) {
					t.Errorf("trajectory %d: %v, want %v", i, rounded(got[i]), tt.want[i])
				}
			}
		})
	}
}

// One trajectory that gets everything becomes the only signal.
func TestAdvantagesOfAnOutlier(t *testing.T) {
	t.Parallel()
	var returns [][]*float64
	for range 15 {
		returns = append(returns, known(0, 0, 0, 0))
	}
	returns = append(returns, known(Returns([]float64{0, 0, 1.3, 10.3}, DefaultGamma, Sum)...))
	got := Advantages(returns, Spec{ByTask, Mean, Sample})
	if want := []float64{0.39, 1.28, 3.5, 6.83}; !allNear(rounded(got[15]), want) {
		t.Errorf("the outlier: %v, want %v", rounded(got[15]), want)
	}
	if want := []float64{-0.2, -0.2, -0.2, -0.2}; !allNear(rounded(got[0]), want) {
		t.Errorf("the others: %v, want %v", rounded(got[0]), want)
	}
}

func rounded(values []*float64) []float64 {
	out := plain(values)
	for i, v := range out {
		out[i] = math.Round(v*100) / 100
	}
	return out
}
