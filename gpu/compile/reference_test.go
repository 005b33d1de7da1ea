package compile

import (
	"slices"
	"testing"

	"example.com/hone/tasks"
)

// TestReferencesBuildForADevice has NVRTC build every built-in reference in double
// and in its task's type.
func TestReferencesBuildForADevice(t *testing.T) {
	t.Parallel()
	nvrtc, target := newNVRTC(t)
	c := newCompiler(t)
	catalog, err := tasks.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range catalog.All() {
		for _, real := range []tasks.DType{tasks.Float64, task.Signature.Inputs[0].DType} {
			a, err := c.BuildDevice(t.Context(), Source{
				Name: task.ID, Text: task.Native, Unit: StreamReferenceUnit(task.Signature, real), Trusted: true,
			}, target, nvrtc)
			if err != nil || !a.OK() {
				t.Errorf("%s in %s: %v, needs %+v, %+v", task.ID, real, err, a.Needs, a.Diagnostics)
			}
		}
	}
}

// TestUnitsBringTheirTypes holds that the types of a task's tensors are declared,
// whether the user's text includes their headers or not.
func TestUnitsBringTheirTypes(t *testing.T) {
	t.Parallel()
	of := func(d tasks.DType) Unit {
		return StreamUnit(tasks.Signature{Outputs: []tasks.Tensor{{Name: "y", DType: d}}})
	}
	for _, c := range []struct {
		unit Unit
		want []string
	}{
		{of(tasks.Float32), nil},
		{of(tasks.Float16), []string{"cuda_fp16.h"}},
		{of(tasks.BFloat16), []string{"cuda_bf16.h"}},
		{StreamReferenceUnit(tasks.Signature{}, tasks.Float16), []string{"cuda_fp16.h"}},
	} {
		if got := c.unit.headers(); !slices.Equal(got, c.want) {
			t.Errorf("headers = %v, want %v of %s", got, c.want, c.unit.Entry)
		}
	}
	if got := withHeaders([]string{"mma.h", "cuda_fp16.h"}, []string{"cuda_fp16.h", "cuda_bf16.h"}); !slices.Equal(got, []string{"mma.h", "cuda_fp16.h", "cuda_bf16.h"}) {
		t.Errorf("includes = %v", got)
	}
}
