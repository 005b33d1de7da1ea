package check

import (
	"math/rand/v2"
	"testing"

	"example.com/hone/tasks"
)

// BenchmarkMismatch is what a wrong output of a full size costs to explain.
func BenchmarkMismatch(b *testing.B) {
	const rows, cols = 4096, 4096
	values := func(t tasks.DType) Values {
		return Values{Name: "y", DType: t, Shape: []int64{rows, cols}, Bytes: make([]byte, rows*cols*t.Bytes())}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	truth, right, wrong, tail := values(tasks.Float64), values(tasks.Float32), values(tasks.Float32), values(tasks.Float32)
	for i := range rows * cols {
		x := rng.NormFloat64()
		truth.SetFloat(i, x)
		right.SetFloat(i, x)
		wrong.SetFloat(i, -x)
		tail.SetFloat(i, x)
		if i%cols >= cols-92 {
			tail.SetFloat(i, 0)
		}
	}
	for _, c := range []struct {
		name string
		got  Values
	}{{"everything", wrong}, {"the last columns", tail}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				d := Compare(Output{Got: c.got, Truth: truth, Baseline: right}, tasks.Tolerance{Abs: 1e-4, Rel: 1e-4})
				if len(d.Wrong) == 0 {
					b.Fatal("nothing is wrong")
				}
				_ = d.Pattern(0xFF)
			}
		})
	}
}
