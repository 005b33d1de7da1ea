package torch

import (
	"fmt"
	"strings"
	"testing"

	"example.com/hone/tasks"
)

func input(name, dtype string, shape ...int64) Value {
	return Value{Name: name, Kind: KindTensor, Tensor: &Tensor{Name: name, DType: dtype, Shape: shape}}
}

// derivation is a description and the signature that is made of it.
type derivation struct {
	about       Description
	declaration string
	shapes      string
}

func derivations() map[string]derivation {
	return map[string]derivation{
		"inputs, parameters, buffers, outputs": {
			Description{
				Inputs:  []Value{input("x", "float32", 3, 5)},
				State:   []Tensor{{"fc.weight", "float32", []int64{7, 5}}, {"bn.num_batches_tracked", "int64", nil}},
				Outputs: []Tensor{{"output", "float32", []int64{3, 7}}},
			},
			`extern "C" void solve(const float* x, const float* fc_weight, const int64_t* bn_num_batches_tracked, float* output, cudaStream_t stream)`,
			"input x: float32 [3, 5]\ninput fc_weight: float32 [7, 5]\ninput bn_num_batches_tracked: int64 []\noutput output: float32 [3, 7]",
		},
		"a list, a constant and two outputs": {
			Description{
				Inputs:  []Value{input("xs[0]", "float16", 2), {Name: "k", Kind: KindText, Text: "3"}, input("xs[1]", "bfloat16", 2)},
				Outputs: []Tensor{{"output[0]", "float64", []int64{2}}, {"output[1]", "int32", []int64{1}}},
			},
			`extern "C" void solve(const __half* xs_0, const __nv_bfloat16* xs_1, double* output_0, int32_t* output_1, cudaStream_t stream)`,
			"input xs_0: float16 [2]\ninput xs_1: bfloat16 [2]\noutput output_0: float64 [2]\noutput output_1: int32 [1]\nconstant k = 3",
		},
		"names that clash": {
			Description{
				Inputs:  []Value{input("a.b", "float32", 1), input("a_b", "float32", 1), input("stream", "float32", 1)},
				Outputs: []Tensor{{"a[b]", "float32", []int64{1}}},
			},
			`extern "C" void solve(const float* a_b, const float* a_b_2, const float* stream_, float* a_b_3, cudaStream_t stream)`,
			"input a_b: float32 [1]\ninput a_b_2: float32 [1]\ninput stream_: float32 [1]\noutput a_b_3: float32 [1]",
		},
	}
}

func TestDerive(t *testing.T) {
	t.Parallel()
	flops := int64(4096)
	for name, c := range derivations() {
		t.Run(name, func(t *testing.T) {
			c.about.Flops = &flops
			c.holds(t)
		})
	}
}

func (c derivation) holds(t *testing.T) {
	t.Helper()
	before := tasks.Task{ID: "mine/x", Reference: "class Model", SHA256: "abc"}
	got, err := Derive(before, c.about)
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != before.ID || got.Reference != before.Reference || got.SHA256 != before.SHA256 || !got.Torch() || got.Flops != "4096" {
		t.Errorf("%+v is another task than %+v", got, before)
	}
	if d := got.Signature.Declare("solve"); d != c.declaration {
		t.Errorf("declared as\n%s\nwant\n%s", d, c.declaration)
	}
	if s := tasks.Shapes(got); s != c.shapes {
		t.Errorf("shapes\n%s\nwant\n%s", s, c.shapes)
	}
	size, err := got.Size(FullSize)
	if err != nil || len(size.Values) != 0 {
		t.Errorf("size %+v, %v", size, err)
	}
	for _, tensor := range got.Signature.Tensors() {
		if _, err := size.Elements(tensor); err != nil {
			t.Error(err)
		}
	}
}

func TestDeriveTakesTheToleranceOfTheOutputs(t *testing.T) {
	t.Parallel()
	for dtype, want := range map[string]float64{"float32": 1e-4, "float16": 1e-2, "bfloat16": 1e-2, "int64": 1e-4} {
		got, err := Derive(tasks.Task{}, Description{Outputs: []Tensor{{"y", dtype, []int64{1}}}})
		if err != nil || got.Tolerance != (tasks.Tolerance{Abs: want, Rel: want}) {
			t.Errorf("%s: %+v, %v; want %g", dtype, got.Tolerance, err, want)
		}
	}
	own := tasks.Tolerance{Abs: 0.5, Rel: 0.25}
	if got, err := Derive(tasks.Task{Tolerance: own}, Description{Outputs: []Tensor{{"y", "float32", []int64{1}}}}); err != nil || got.Tolerance != own {
		t.Errorf("a task's own tolerance became %+v, %v", got.Tolerance, err)
	}
}

func TestDeriveRefuses(t *testing.T) {
	t.Parallel()
	output := []Tensor{{"output", "float32", []int64{1}}}
	many := Description{Outputs: output}
	for i := range MaxTensors {
		many.State = append(many.State, Tensor{fmt.Sprint("w", i), "float32", []int64{1}})
	}
	for name, c := range map[string]struct {
		about Description
		want  string
	}{
		"booleans":          {Description{Inputs: []Value{input("mask", "bool", 2)}, Outputs: output}, "tensor mask is of type bool"},
		"bytes":             {Description{Outputs: []Tensor{{"image", "uint8", []int64{2}}}}, "tensor image is of type uint8"},
		"short integers":    {Description{State: []Tensor{{"table.q", "int16", []int64{2}}}, Outputs: output}, "tensor table.q is of type int16"},
		"the first of them": {Description{Inputs: []Value{input("a", "int8", 2), input("b", "bool", 2)}, Outputs: output}, "tensor a is of type int8"},
		"an empty tensor":   {Description{Inputs: []Value{input("none", "float32", 0, 3)}, Outputs: output}, "tensor none is empty"},
		"too many tensors":  {many, "65 tensors, more than the 64"},
	} {
		_, err := Derive(tasks.Task{ID: "mine/x"}, c.about)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--dialect torch") || !strings.Contains(err.Error(), "mine/x") {
			t.Errorf("%s: %v, want %q and what to do", name, err, c.want)
		}
	}
}
