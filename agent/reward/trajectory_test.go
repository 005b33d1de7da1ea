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
		{"Kevin's layer norm", known(0.6, 4.27, nan, nan, 9.61), 9.61},
		{"Kevin's convolution, wrong in the end", known(1.06, nan, 0.61, 1.19, 1.19, 1.19, 1.93, nan), 1.93},
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
			if got, ok := AvgAt(Reached(values, tt.p)); !ok || got != tt.want {
				t.Errorf("Fast = %v, want %v", got, tt.want)
			}
		})
	}
	if got, ok := AvgAt(values); !ok || !near(got, 0.825) {
		t.Errorf("AvgAt = %v, want the mean with its zeros", got)
	}
	_, fast := AvgAt(Reached(nil, 1))
	_, avg := AvgAt(nil)
	if fast || avg {
		t.Error("no trajectories have a share or a mean")
	}
}

// For 0 and 1 the estimate is pass@k = 1 - C(n-c, k) / C(n, k) for c of n solved.
func TestBestAtOfSharesIsPassAt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		n, c, k int
		want    float64
	}{
		{"one of sixteen, one drawn", 16, 1, 1, 1.0 / 16},
		{"one of sixteen, four drawn", 16, 1, 4, 0.25},
		{"two of five, three drawn", 5, 2, 3, 0.9},
		{"none", 8, 0, 8, 0},
		{"all", 8, 8, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			values := make([]float64, tt.n)
			for i := range tt.c {
				values[i] = 0.5 // slower than the baseline, and correct
			}
			if got, ok := BestAt(Reached(values, 0), tt.k); !ok || !near(got, tt.want) {
				t.Errorf("BestAt = %v, want %v", got, tt.want)
			}
		})
	}
}

// Two tasks of four trajectories each, in the columns of Kevin's table 1.
func TestARowOfKevinsTable(t *testing.T) {
	t.Parallel()
	tasks := [][]float64{{0, 0.8, 1, 1.5}, {0, 0, 0, 2}}
	best := func(k int) func([]float64) (float64, bool) {
		return func(v []float64) (float64, bool) { return BestAt(v, k) }
	}
	reached := func(p float64, figure func([]float64) (float64, bool)) func([]float64) (float64, bool) {
		return func(v []float64) (float64, bool) { return figure(Reached(v, p)) }
	}
	for _, tt := range []struct {
		name   string
		figure func([]float64) (float64, bool)
		want   float64
	}{
		{"correct, best@4", reached(0, best(4)), 1},
		{"correct, avg@4", reached(0, AvgAt), 0.5},
		{"speedup, best@4", best(4), 1.75},
		{"speedup, avg@4, zeros included", AvgAt, (0.825 + 0.5) / 2},
		{"fast_1, best@4", reached(1, best(4)), 1},
		{"fast_1, avg@4, 1x itself counts", reached(1, AvgAt), (0.5 + 0.25) / 2},
		{"fast_1.5, best@2", reached(1.5, best(2)), 0.5},
		{"fast_1.5, avg@4, 1.5x itself counts", reached(1.5, AvgAt), 0.25},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, known := OverTasks(tasks, tt.figure)
			if got == nil || known != 2 || !near(*got, tt.want) {
				t.Errorf("got %v of %d tasks, want %v", got, known, tt.want)
			}
		})
	}
}

func TestOverTasksLeavesOutWhatIsUnknown(t *testing.T) {
	t.Parallel()
	pairs := func(v []float64) (float64, bool) { return BestAt(v, 2) }
	if got, known := OverTasks([][]float64{{1, 3}, {5}, nil}, pairs); got == nil || *got != 3 || known != 1 {
		t.Errorf("got %v of %d tasks, want 3 of the one that has two trajectories", got, known)
	}
	if got, known := OverTasks([][]float64{{5}}, pairs); got != nil || known != 0 {
		t.Errorf("got %v of %d tasks, want nothing", got, known)
	}
}
