package tensor

import (
	"math"
	"strings"
	"testing"

	"example.com/hone/tasks"
)

func TestLayouts(t *testing.T) {
	t.Parallel()
	const granularity = 2 << 20
	for _, bytes := range []int64{1, 2, 255, 256, 4096, granularity - minGuard, granularity - minGuard + 1, 67_108_864, 67_108_866} {
		size := (bytes + minGuard + granularity - 1) / granularity * granularity // as AllocShared rounds
		for name, l := range map[string]layout{"mapped": mappedLayout(bytes, size), "mirrored": mirroredLayout(bytes)} {
			after := l.size - l.offset - bytes
			if l.offset < minGuard || l.offset%alignment != 0 || after < 0 || l.size%page != 0 {
				t.Errorf("%s: %d bytes at %d of %d", name, bytes, l.offset, l.size)
			}
			if name == "mapped" && after >= alignment || name == "mirrored" && after < minGuard {
				t.Errorf("%s: %d bytes after %d of data", name, after, bytes)
			}
		}
	}
}

func TestTensorsThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tensor Tensor
		want   string
	}{
		"fine":         {Tensor{DType: tasks.Float16, Shape: []int64{3, 5}}, ""},
		"a scalar":     {Tensor{DType: tasks.Int64}, ""},
		"unknown type": {Tensor{Name: "x", DType: "float8"}, `tensor x: unknown element type "float8"`},
		"large":        {Tensor{DType: tasks.Float64, Shape: []int64{1 << 30, 1 << 18}}, "too large"},
		"overflow":     {Tensor{DType: tasks.Int32, Shape: []int64{1 << 32, 1 << 32, 1}}, "too large"},
	} {
		err := c.tensor.check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestFillsThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, fill := range []tasks.Fill{
		{Kind: "gauss"}, {Kind: "integers", Low: 5, High: 5}, {Kind: "integers", Low: 0, High: 0.5}, {Kind: "integers", High: math.NaN()},
	} {
		if _, err := fillCode(fill); err == nil {
			t.Errorf("fill %+v is taken", fill)
		}
	}
}

func TestOnlyAlikeTensorsAreCompared(t *testing.T) {
	t.Parallel()
	tensor := func(dtype tasks.DType, n int64) *Tensor { return &Tensor{DType: dtype, Shape: []int64{n}} }
	for name, c := range map[string]struct {
		got, truth, baseline *Tensor
		ok                   bool
	}{
		"floating":          {tensor(tasks.Float16, 3), tensor(tasks.Float64, 3), tensor(tasks.Float32, 3), true},
		"integers":          {tensor(tasks.Int32, 3), tensor(tasks.Int32, 3), tensor(tasks.Int32, 3), true},
		"another length":    {tensor(tasks.Float32, 3), tensor(tasks.Float64, 3), tensor(tasks.Float32, 4), false},
		"another integer":   {tensor(tasks.Int32, 3), tensor(tasks.Int64, 3), tensor(tasks.Int32, 3), false},
		"integer, floating": {tensor(tasks.Int32, 3), tensor(tasks.Float64, 3), tensor(tasks.Int32, 3), false},
	} {
		if err := matching(c.got, c.truth, c.baseline); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
