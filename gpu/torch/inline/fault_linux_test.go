package inline

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// faultSource asserts in line 5, where a thread asks for it.
const faultSource = `
#include <torch/extension.h>
#include <assert.h>
__global__ void k(float* x) {
    assert(threadIdx.x < 3);
    x[threadIdx.x] = 1;
}
torch::Tensor f(torch::Tensor x) {
    k<<<1, 8>>>(x.data_ptr<float>());
    return x;
}
`

// TestFaultsReachTheJudge runs a module in a process that has a judge on descriptor 3.
func TestFaultsReachTheJudge(t *testing.T) {
	t.Parallel()
	b, found := newBuilder(t)
	built, err := b.Build(t.Context(), Request{
		Name: "fault", CPP: []string{"torch::Tensor f(torch::Tensor x);"}, CUDA: []string{faultSource}, Functions: []string{"f"},
		CUDALines: []int{100}, CPPLines: []int{200},
	}, 0)
	if err != nil || !built.OK() {
		t.Fatalf("%v %+v", err, built.Diagnostics)
	}
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	judge, program := os.NewFile(uintptr(pair[0]), "judge"), os.NewFile(uintptr(pair[1]), "program")
	job, err := json.Marshal(map[string]any{
		"binder": built.Binder, "module": built.Module, "functions": built.Functions, "calls": []string{"m.f(torch.zeros(8))"},
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), found.Python, "-c", runner, string(job))
	cmd.ExtraFiles = []*os.File{program}
	out, runErr := cmd.CombinedOutput()
	program.Close()
	said, err := io.ReadAll(judge)
	if err != nil || runErr == nil {
		t.Fatalf("%v; the process ended well and printed %s", err, out)
	}
	for _, want := range []string{"kind\tabort", "assertion failed: threadIdx.x < 3", "line\t104", "kernel\tk", "thread\t3\t0\t0"} {
		if !strings.Contains(string(said), want) {
			t.Errorf("the judge heard %q, without %q\n%s", said, want, out)
		}
	}
}
