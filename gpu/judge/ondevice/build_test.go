package ondevice

import (
	"fmt"
	"testing"
	"time"

	"example.com/hone/gpu"
)

// TestCompileLatency tells what a new text costs in a warm evaluator, by part, with
// and without precompiled headers.
func TestCompileLatency(t *testing.T) {
	b := newBench(t)
	shop := b.judge.shop
	plain := shop.gpu.Target.Options
	for _, options := range [][]string{nil, {"-pch"}} {
		shop.gpu.Target.Options = append(plain[:len(plain):len(plain)], options...)
		for _, c := range []struct{ task, name string }{
			{"softmax", "naive"}, {"softmax", "tuned"}, {"matmul", "tuned"}, {"add_rms_norm", "tuned"}, {"matmul", "tensor_cores"},
		} {
			for i := range 3 {
				req := b.request(t, c.task, kernel(t, c.task, c.name)+fmt.Sprintf("\n__device__ int version_%d_%d;\n", len(options), i))
				began := time.Now()
				built, err := shop.candidate(t.Context(), req, req.Kernel, func(string) {})
				if err != nil || !built.OK() {
					t.Fatalf("%s/%s: %v %+v", c.task, c.name, err, built.Diagnostics)
				}
				t.Logf("%v %s/%s: %s, device part %s, host part %s, by %s", options, c.task, c.name,
					time.Since(began).Round(time.Millisecond), built.Device.Elapsed.Round(time.Millisecond),
					built.Host.Elapsed.Round(time.Millisecond), built.How)
			}
		}
	}
}

func TestCandidateSaysHowItWasBuilt(t *testing.T) {
	b := newBench(t)
	for name, c := range map[string]struct {
		task, kernel, want string
		nvcc               bool
	}{
		"in two parts": {"softmax", kernel(t, "softmax", "naive"), "NVRTC and g++", false},
		"asked for":    {"softmax", kernel(t, "softmax", "naive"), "nvcc, as asked for", true},
		"needed":       {"vector_add", "#include <cub/cub.cuh>\n" + kernel(t, "vector_add", "naive"), "nvcc, for CUB at line 1", false},
	} {
		if b.judge.shop.gpu.NVCC == "" && c.want != "NVRTC and g++" {
			continue
		}
		req := b.request(t, c.task, c.kernel)
		req.NVCC = c.nvcc
		built, err := b.judge.shop.candidate(t.Context(), gpu.Request{Task: req.Task, NVCC: req.NVCC}, req.Kernel, func(string) {})
		if err != nil || !built.OK() || built.How != c.want {
			t.Errorf("%s: built by %q, %v, %+v; want %q", name, built.How, err, built.Diagnostics, c.want)
		}
	}
}
