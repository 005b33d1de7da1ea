package compile

import (
	"strings"
	"testing"

	"example.com/hone/tasks"
)

func mixedSignature() tasks.Signature {
	return tasks.Signature{
		Inputs:  []tasks.Tensor{{Name: "x", DType: tasks.Float16}, {Name: "index", DType: tasks.Int64}},
		Outputs: []tasks.Tensor{{Name: "y", DType: tasks.BFloat16}},
		Dims:    []string{"n", "m"},
	}
}

func TestSolveUnit(t *testing.T) {
	t.Parallel()
	u := SolveUnit(mixedSignature())
	want := `extern "C" void solve(const __half* x, const int64_t* index, __nv_bfloat16* y, int64_t n, int64_t m, cudaStream_t stream);`
	if u.Declaration != want {
		t.Errorf("declaration is %s", u.Declaration)
	}
	call := "solve(static_cast<const __half*>(buffers[0]), static_cast<const int64_t*>(buffers[1]), " +
		"static_cast<__nv_bfloat16*>(buffers[2]), dims[0], dims[1], nullptr);"
	if !strings.Contains(u.Entry, call) {
		t.Errorf("entry is %s", u.Entry)
	}
}

func TestReferenceUnit(t *testing.T) {
	t.Parallel()
	u := ReferenceUnit(mixedSignature(), tasks.Float64)
	call := "reference<double>(static_cast<const double*>(buffers[0]), static_cast<const int64_t*>(buffers[1]), " +
		"static_cast<double*>(buffers[2]), dims[0], dims[1], nullptr);"
	if u.Declaration != "" || !strings.Contains(u.Entry, call) {
		t.Errorf("unit is %+v", u)
	}
}

func TestTranslationUnitKeepsLines(t *testing.T) {
	t.Parallel()
	got := translationUnit(Unit{Declaration: "D;", Entry: "E;"}, "first\nlast")
	want := "#include \"hone_emulate.h\"\nD;\n#line 1 \"kernel.cu\"\nfirst\nlast\n#line 1 \"hone_entry\"\nE;"
	if got != want {
		t.Errorf("got %q", got)
	}
}
