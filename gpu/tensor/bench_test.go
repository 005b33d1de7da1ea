package tensor

import (
	"testing"

	"example.com/hone/gpu/cuda"
	"example.com/hone/tasks"
)

// elements are those of every tensor that is measured.
const elements = 16 << 20

// measure times an operation that moves so many bytes per element.
func measure(b *testing.B, bytes int64, run func() error) {
	b.Helper()
	must(b, run())
	b.SetBytes(elements * bytes)
	for b.Loop() {
		must(b, run())
	}
}

func BenchmarkCompare(b *testing.B) {
	for _, dtype := range []tasks.DType{tasks.Float32, tasks.Float16, tasks.Int64} {
		truth := tasks.Float64
		if !dtype.Floating() {
			truth = dtype
		}
		lab := newBench(b)
		got, want, base := lab.make(b, dtype, elements, true), lab.make(b, truth, elements, false), lab.make(b, dtype, elements, false)
		compare := func() error {
			_, err := lab.Compare(b.Context(), got, want, base, tasks.Tolerance{Abs: 1e-4, Rel: 1e-4})
			return err
		}
		fill := tasks.Fill{Kind: "normal", High: 1e3}
		must(b, lab.Draw(b.Context(), want, fill, 1, 0, 1))
		must(b, lab.Convert(b.Context(), base, want))
		must(b, lab.Convert(b.Context(), got, want))
		b.Run(string(dtype)+" right", func(b *testing.B) { measure(b, 2*dtype.Bytes()+truth.Bytes(), compare) })
		must(b, lab.Draw(b.Context(), got, fill, 1, 1, 1))
		b.Run(string(dtype)+" wrong", func(b *testing.B) { measure(b, 2*dtype.Bytes()+truth.Bytes(), compare) })
	}
}

func BenchmarkDraw(b *testing.B) {
	for _, fill := range []tasks.Fill{{Kind: "normal", High: 1}, {Kind: "uniform", High: 1}, {Kind: "integers", High: 1000}} {
		b.Run(fill.Kind, func(b *testing.B) {
			lab := newBench(b)
			x := lab.make(b, tasks.Float32, elements, true)
			measure(b, 4, func() error { return lab.Draw(b.Context(), x, fill, 1, 0, 1) })
		})
	}
}

func BenchmarkMove(b *testing.B) {
	lab := newBench(b)
	x, y := lab.make(b, tasks.Float32, elements, true), lab.make(b, tasks.Float32, elements, false)
	wide, narrow := lab.make(b, tasks.Float64, elements, true), lab.make(b, tasks.Float16, elements, true)
	for name, c := range map[string]struct {
		bytes int64
		run   func() error
	}{
		"copy":              {8, func() error { return lab.Copy(b.Context(), x, y) }},
		"fill":              {4, func() error { return lab.Fill(b.Context(), x, 0xff) }},
		"float to double":   {12, func() error { return lab.Convert(b.Context(), wide, y) }},
		"double to half":    {10, func() error { return lab.Convert(b.Context(), narrow, wide) }},
		"bytes that differ": {8, func() error { _, err := lab.Differing(b.Context(), x, y); return err }},
	} {
		b.Run(name, func(b *testing.B) { measure(b, c.bytes, c.run) })
	}
}

// BenchmarkSmall is what an operation costs that hardly moves anything.
func BenchmarkSmall(b *testing.B) {
	lab := newBench(b)
	x, y := lab.make(b, tasks.Float32, 1000, true), lab.make(b, tasks.Float32, 1000, false)
	fill := tasks.Fill{Kind: "normal", High: 1}
	for name, run := range map[string]func() error{
		"nothing": func() error {
			return lab.device.Do(b.Context(), func(*cuda.Context) error { return nil })
		},
		"nothing, synchronized": func() error {
			return lab.device.Do(b.Context(), func(c *cuda.Context) error { return c.Synchronize() })
		},
		"draw, private": func() error { return lab.Draw(b.Context(), y, fill, 1, 0, 1) },
		"draw, shared":  func() error { return lab.Draw(b.Context(), x, fill, 1, 0, 1) },
		"guard":         func() error { return lab.Guard(b.Context(), x) },
		"damage":        func() error { _, _, err := lab.Damage(b.Context(), x); return err },
		"compare": func() error {
			_, err := lab.Compare(b.Context(), x, y, y, tasks.Tolerance{})
			return err
		},
		"perturb": func() error { return lab.Perturb(b.Context(), x, fill, 1) },
		"make and free, shared": func() error {
			return lab.Free(b.Context(), lab.make(b, tasks.Float32, 1<<20, true))
		},
		"make and free, private": func() error {
			return lab.Free(b.Context(), lab.make(b, tasks.Float32, 1<<20, false))
		},
		"share": func() error {
			shared, err := lab.Share(b.Context(), x, true)
			if err == nil {
				err = shared.File.Close()
			}
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				must(b, run())
			}
		})
	}
}
