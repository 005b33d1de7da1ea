package inline

import (
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
)

// Request is one call of load_inline as an answer made it. It is not trusted.
type Request struct {
	Name      string   `json:"name"`
	CPP       []string `json:"cpp"`
	CUDA      []string `json:"cuda"`
	Functions []string `json:"functions"` // that Python calls; none where the C++ source binds them itself
	CFlags    []string `json:"cflags"`
	CUDAFlags []string `json:"cuda_flags"`
	LDFlags   []string `json:"ldflags"`
	Includes  []string `json:"includes"`
	Line      int      `json:"line"`       // of the call in the answer
	CPPLines  []int    `json:"cpp_lines"`  // of the answer where each source starts, 0 when unknown
	CUDALines []int    `json:"cuda_lines"` // the same
}

// The ways that a module can have been built.
const (
	KindHone  = "hone"  // for the binder
	KindTorch = "torch" // by torch's own builder: an ordinary extension module
)

// Built is the result of a build.
type Built struct {
	Module    string     `json:"module"` // path of the shared object, empty when the sources did not compile
	Binder    string     `json:"binder"` // path of the extension that opens it; empty for KindTorch
	Functions []Function `json:"functions"`
	Kind      string     `json:"kind"`
	How       string     `json:"how"` // one line: what built it, and why in that way

	// Unsupported is what only a GPU can run, in lines of the answer where they are
	// known. It says nothing against the answer; Module is empty.
	Unsupported []compile.Construct    `json:"unsupported,omitempty"`
	Diagnostics []gpu.Diagnostic       `json:"diagnostics,omitempty"`
	Resources   []compile.DeviceKernel `json:"resources,omitempty"` // of a build for a GPU
	Kernels     []compile.Kernel       `json:"-"`
	Log         []byte                 `json:"-"` // what the compiler said, raw
	Cached      bool                   `json:"cached"`
	Elapsed     time.Duration          `json:"elapsed"`
}

// OK reports whether there is a module to open.
func (b Built) OK() bool { return b.Module != "" }

// Function is one function of a module; binder/binder.cpp says what a spec is.
type Function struct {
	Name   string `json:"name"`
	Symbol string `json:"symbol"`
	Spec   string `json:"spec"`
}
