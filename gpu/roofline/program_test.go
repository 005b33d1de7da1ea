package roofline

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"

	"example.com/hone/gpu/cuda"
)

// testCompiler is NVRTC, beside the Python in use or where the loader looks, or
// the end of the test where there is none.
func testCompiler(t *testing.T, newest int) *cuda.Compiler {
	t.Helper()
	o := cuda.Options{Major: newest}
	if python, err := exec.LookPath("python3"); err == nil {
		o.Packages = cuda.PackagesOf(python)
	}
	c, err := cuda.OpenCompiler(o)
	if u, ok := errors.AsType[*cuda.Unavailable](err); ok {
		t.Skipf("no NVRTC: %v", u)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestProgramsCompile compiles what each device would run, without one.
func TestProgramsCompile(t *testing.T) {
	t.Parallel()
	c := testCompiler(t, 0)
	for _, arch := range c.Architectures() {
		t.Run(fmt.Sprint("sm_", arch), func(t *testing.T) {
			f := cuda.Facts{Capability: cuda.Version{Major: arch / 10, Minor: arch % 10}}
			objects, err := compile(c, programs(f))
			if err != nil {
				t.Fatal(err)
			}
			for i, o := range objects {
				if o.Log != "" {
					t.Errorf("%s: %s", programs(f)[i].Name, o.Log)
				}
			}
			if got := len(objects[0].Lowered); got != len(moves()) {
				t.Errorf("%d kernels that move data, want %d", got, len(moves()))
			}
		})
	}
}
