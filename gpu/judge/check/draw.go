package check

import (
	"fmt"
	"math"
	"math/rand/v2"

	"example.com/hone/tasks"
)

// Draw draws all inputs of one trial from a seed, each multiplied by a factor
// where its fill allows that.
func Draw(inputs []tasks.Tensor, size tasks.SizeSet, seed uint64, factor float64) ([]Values, error) {
	all := make([]Values, len(inputs))
	for i, in := range inputs {
		v, err := New(in, size)
		if err != nil {
			return nil, err
		}
		draw, err := sampler(in.Fill, rand.New(rand.NewPCG(seed, uint64(i))))
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", in.Name, err)
		}
		by := allowed(in, factor)
		for e := range v.Len() {
			v.SetFloat(e, draw()*by)
		}
		all[i] = v
	}
	return all, nil
}

func sampler(f tasks.Fill, rng *rand.Rand) (func() float64, error) {
	switch f.Kind {
	case "normal":
		return func() float64 { return f.Low + f.High*rng.NormFloat64() }, nil
	case "uniform":
		return func() float64 { return f.Low + (f.High-f.Low)*rng.Float64() }, nil
	case "integers":
		if f.High <= f.Low {
			return nil, fmt.Errorf("no integer lies in [%v, %v)", f.Low, f.High)
		}
		return func() float64 { return f.Low + float64(rng.Int64N(int64(f.High-f.Low))) }, nil
	}
	return nil, fmt.Errorf("unknown fill %q", f.Kind)
}

// allowed is the part of a factor that keeps an input meaningful: integers may
// be indices, and a range without negative numbers may be one of necessity.
func allowed(in tasks.Tensor, factor float64) float64 {
	switch {
	case in.Fill.Kind == "integers", !in.DType.Floating():
		return 1
	case in.Fill.Kind == "uniform" && in.Fill.Low >= 0:
		return math.Abs(factor)
	}
	return factor
}

// Perturb copies the inputs with one element of one of them changed by more
// than a tolerance could hide.
func Perturb(inputs []tasks.Tensor, values []Values, seed uint64) []Values {
	rng := rand.New(rand.NewPCG(seed, 1<<32))
	which := rng.IntN(len(values))
	changed := values[which]
	changed.Bytes = append([]byte(nil), changed.Bytes...)
	element := rng.IntN(changed.Len())
	changed.SetFloat(element, moved(inputs[which].Fill, changed.Float(element)))
	all := append([]Values(nil), values...)
	all[which] = changed
	return all
}

// moved is a value far from old that the fill could nearly have drawn.
func moved(f tasks.Fill, old float64) float64 {
	const deviations = 8
	switch f.Kind {
	case "normal":
		return old + deviations*f.High
	case "integers":
		if old+1 < f.High {
			return old + 1
		}
		return f.Low
	}
	if old < (f.Low+f.High)/2 {
		return f.High - (f.High-f.Low)/16
	}
	return f.Low
}
