package check

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"example.com/hone/tasks"
)

var big = tasks.SizeSet{Name: "test", Values: map[string]int64{"N": 20_000}}

func input(dtype tasks.DType, kind string, low, high float64) tasks.Tensor {
	return tasks.Tensor{Name: "x", DType: dtype, Shape: []string{"N"}, Fill: tasks.Fill{Kind: kind, Low: low, High: high}}
}

func draw(t *testing.T, seed uint64, factor float64, inputs ...tasks.Tensor) []Values {
	t.Helper()
	values, err := Draw(inputs, big, seed, factor)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// moments are mean, deviation, smallest and largest element.
func moments(v Values) (mean, deviation, low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	var sum, squares float64
	for i := range v.Len() {
		f := v.Float(i)
		sum, squares = sum+f, squares+f*f
		low, high = min(low, f), max(high, f)
	}
	n := float64(v.Len())
	mean = sum / n
	return mean, math.Sqrt(squares/n - mean*mean), low, high
}

func TestDrawFollowsItsFill(t *testing.T) {
	t.Parallel()
	uniform := 1 / math.Sqrt(12)
	for name, c := range map[string]struct {
		in              tasks.Tensor
		factor          float64
		mean, deviation float64
		low, high       float64
	}{
		"normal":                      {input(tasks.Float32, "normal", 3, 2), 1, 3, 2, -9, 15},
		"normal, larger and negated":  {input(tasks.Float32, "normal", 3, 2), -8, -24, 16, -120, 72},
		"normal half":                 {input(tasks.Float16, "normal", 0, 1), -8, 0, 8, -48, 48},
		"uniform":                     {input(tasks.Float64, "uniform", -1, 1), 1, 0, 2 * uniform, -1, 1},
		"uniform, larger and negated": {input(tasks.Float32, "uniform", -1, 3), -8, -8, 32 * uniform, -24, 8},
		"positive stays positive":     {input(tasks.Float32, "uniform", 0, 1), -8, 4, 8 * uniform, 0, 8},
		"integers":                    {input(tasks.Int32, "integers", 0, 10), -8, 4.5, math.Sqrt(99.0 / 12), 0, 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mean, deviation, low, high := moments(draw(t, 7, c.factor, c.in)[0])
			if math.Abs(mean-c.mean) > c.deviation/20 || math.Abs(deviation/c.deviation-1) > 0.05 || low < c.low || high > c.high {
				t.Errorf("mean %.3f, deviation %.3f, within [%.3f, %.3f]; want %+v", mean, deviation, low, high, c)
			}
		})
	}
}

func TestDrawDependsOnSeedAndPlace(t *testing.T) {
	t.Parallel()
	in := input(tasks.Float32, "normal", 0, 1)
	a, again, b := draw(t, 1, 1, in, in), draw(t, 1, 1, in, in), draw(t, 2, 1, in, in)
	if !bytes.Equal(a[0].Bytes, again[0].Bytes) {
		t.Error("the same seed drew different values")
	}
	if bytes.Equal(a[0].Bytes, b[0].Bytes) || bytes.Equal(a[0].Bytes, a[1].Bytes) {
		t.Error("another seed, or another tensor, drew the same values")
	}
}

func TestDrawRefusesABadFill(t *testing.T) {
	t.Parallel()
	for _, in := range []tasks.Tensor{input(tasks.Float32, "gauss", 0, 1), input(tasks.Int32, "integers", 5, 5)} {
		if _, err := Draw([]tasks.Tensor{in}, big, 1, 1); err == nil || !strings.Contains(err.Error(), "input x") {
			t.Errorf("fill %+v: %v, want an error that names the input", in.Fill, err)
		}
	}
}

func TestPerturbChangesOneElement(t *testing.T) {
	t.Parallel()
	inputs := []tasks.Tensor{
		input(tasks.Float32, "normal", 0, 1), input(tasks.Int32, "integers", 0, 2), input(tasks.Float32, "uniform", 0, 1),
	}
	before := draw(t, 5, 1, inputs...)
	seen := map[int]bool{}
	for seed := range uint64(40) {
		after := Perturb(inputs, before, seed)
		changes := 0
		for which := range before {
			for i := range before[which].Len() {
				was, is := before[which].Float(i), after[which].Float(i)
				if was == is {
					continue
				}
				changes++
				seen[which] = true
				if fill := inputs[which].Fill; fill.Kind != "normal" && (is < fill.Low || is >= fill.High || math.Abs(is-was) < (fill.High-fill.Low)/4) {
					t.Errorf("seed %d: %s element moved from %v to %v", seed, fill.Kind, was, is)
				}
			}
		}
		if changes != 1 {
			t.Errorf("seed %d: %d elements changed, want 1", seed, changes)
		}
	}
	if len(seen) != len(inputs) {
		t.Errorf("only inputs %v were ever changed", seen)
	}
}
