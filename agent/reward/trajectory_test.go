package reward

import (
	"math"
	"testing"
)

func TestValueIsTheBestCorrectTurn(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, tt := range []struct {
		name     string
		speedups []*float64
		want     float64
	}{
		{"never correct", known(nan, nan), 0},
		{"the last turn is not the best", known(0.6, 4.27, nan, 9.61, 1.2), 9.61},
		{"no turns", nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Value(tt.speedups); got != tt.want {
				t.Errorf("Value = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestBestAt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		values []float64
		k      int
		want   float64
		ok     bool
	}{
		{"k = n is the maximum", []float64{3, 0, 1, 2}, 4, 3, true},
		{"k = 1 is the mean", []float64{3, 0, 1, 2}, 1, 1.5, true},
		// pairs of 0 1 2 3: maxima 1 2 3 2 3 3
		{"k = 2 is the mean over pairs", []float64{3, 0, 1, 2}, 2, 14.0 / 6, true},
		{"equal values", []float64{2, 2, 2}, 2, 2, true},
		{"one value", []float64{2}, 1, 2, true},
		{"too few", []float64{1}, 2, 0, false},
		{"k = 0", []float64{1}, 0, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := BestAt(tt.values, tt.k)
			if ok != tt.ok || !near(got, tt.want) {
				t.Errorf("BestAt = %v, %v, want %v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

// The estimate is the mean of the maxima of all subsets of size k.
func TestBestAtAgreesWithEnumeration(t *testing.T) {
	t.Parallel()
	values := []float64{0, 0, 0.4, 1.1, 1.1, 2.5, 0, 9.6}
	for k := 1; k <= len(values); k++ {
		sum, count := 0.0, 0
		for set := range 1 << len(values) {
			size, best := 0, 0.0
			for i, v := range values {
				if set>>i&1 == 1 {
					size, best = size+1, max(best, v)
				}
			}
			if size == k {
				sum, count = sum+best, count+1
			}
		}
		if got, _ := BestAt(values, k); !near(got, sum/float64(count)) {
			t.Errorf("k = %d: %v, want %v", k, got, sum/float64(count))
		}
	}
}

func TestShares(t *testing.T) {
	t.Parallel()
	values := []float64{0, 0.8, 1, 1.5}
	for _, tt := range []struct {
		name string
		p    float64
		want float64
	}{
		{"p or more", 1, 0.5},
		{"above all", 2, 0},
		{"p = 0 counts the correct ones", 0, 0.75},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := Fast(values, tt.p); !ok || got != tt.want {
				t.Errorf("Fast = %v, want %v", got, tt.want)
			}
		})
	}
	if got, ok := AvgAt(values); !ok || !near(got, 0.825) {
		t.Errorf("AvgAt = %v, want the mean with its zeros", got)
	}
	_, fast := Fast(nil, 1)
	_, avg := AvgAt(nil)
	if fast || avg {
		t.Error("no trajectories have a share or a mean")
	}
}
