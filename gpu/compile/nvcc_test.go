package compile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// scriptedNVCC is an nvcc that is a shell script and writes its arguments down.
func scriptedNVCC(t *testing.T, body string) (nvcc NVCC, arguments func() string) {
	t.Helper()
	folder := t.TempDir()
	path, log := filepath.Join(folder, "nvcc"), filepath.Join(folder, "arguments")
	script := "#!/bin/sh\ncase \"$1\" in --version) echo 'release 13.0'; exit 0;; esac\n" +
		"echo \"$@\" >> " + log + "\ncp unit.cu " + folder + "\n" + body + "\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return NVCC{Path: path, Arch: "sm_90a", Options: []string{"-lineinfo"}}, func() string {
		raw, _ := os.ReadFile(log)
		return string(raw)
	}
}

func TestNVCC(t *testing.T) {
	t.Parallel()
	nvcc, arguments := scriptedNVCC(t, makesObjects+"\ncat "+must(filepath.Abs("testdata/logs/nvcc_figures.log")))
	src := Source{Name: "x", Text: "__global__ void k(float* y) {}\n", Unit: StreamUnit(vectorSignature()), Defines: []string{"N=1"}}
	c := newCompiler(t)
	for _, cached := range []bool{false, true} {
		a, err := c.BuildNVCC(t.Context(), src, nvcc)
		if err != nil || !a.OK() || a.Host.Cached != cached || !a.NVCC {
			t.Fatalf("cached %v: artefact %+v, error %v", cached, a, err)
		}
		if len(a.Kernels) != 1 || a.Kernels[0].Name != "k" || *a.Kernels[0].Registers != 10 || *a.Kernels[0].SharedBytes != 256 {
			t.Errorf("kernels are %+v", a.Kernels)
		}
	}
	got := arguments()
	for _, want := range []string{
		"-gencode arch=compute_90a,code=sm_90a ", "-shared ", "-Xcompiler -fPIC ", "-Xptxas -v ", "-DN=1 ", "-lineinfo unit.cu\n",
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is not once among the arguments %s", want, got)
		}
	}
	unit := readFile(t, filepath.Join(filepath.Dir(nvcc.Path), nvccFile))
	for _, want := range []string{"#line 1 \"kernel.cu\"\n__global__ void k(float* y) {}", "hone_entry(void* const* buffers, const int64_t* dims, cudaStream_t stream)"} {
		if !strings.Contains(unit, want) {
			t.Errorf("%q is not in the unit\n%s", want, unit)
		}
	}
}

func must[T any](v T, _ error) T { return v }

func TestNVCCEndings(t *testing.T) {
	t.Parallel()
	log := func(name string) string {
		return "cat " + must(filepath.Abs("testdata/logs/"+name+".log")) + "; exit 1"
	}
	cases := []struct{ name, script, want string }{
		{"front end", log("nvcc_errors"), `nvcc kernel.cu:6:20: error: identifier "undefined_name" is undefined`},
		{"ptxas", log("nvcc_extern"), "ptxas kernel.cu:2:38: error: combine is declared but not defined"},
		{"host compiler", "echo \"kernel.cu:2:3: error: 'x' was not declared\"; exit 1", "g++ kernel.cu:2:3: error: 'x' was not declared"},
		{"silent", "exit 2", "error: the compiler failed: it said nothing"},
		{"assembler", log("nvcc_assembler"), "no such instruction"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			nvcc, _ := scriptedNVCC(t, tc.script)
			src := Source{Text: "__device__ float combine(float, float);\n__global__ void k(float* y) { y[0] = combine(y[1], y[2]); }\n"}
			a, err := newCompiler(t).BuildNVCC(t.Context(), src, nvcc)
			if err != nil || a.OK() || !strings.Contains(describeAll(a), tc.want) {
				t.Errorf("OK %v, error %v, %s", a.OK(), err, describeAll(a))
			}
		})
	}
	_, err := newCompiler(t).BuildNVCC(t.Context(), Source{}, NVCC{Path: "no-such-nvcc", Arch: "sm_90"})
	if err == nil || !strings.Contains(err.Error(), "install the CUDA toolkit") {
		t.Errorf("a missing nvcc: error %v", err)
	}
}

// TestRealNVCC builds what cannot be split, where there is a toolkit.
func TestRealNVCC(t *testing.T) {
	t.Parallel()
	_, target := newNVRTC(t)
	root := filepath.Dir(target.Includes[0])
	path := filepath.Join(root, "bin", "nvcc")
	if _, err := exec.LookPath(path); err != nil {
		t.Skip("the toolkit has no nvcc")
	}
	c := newCompiler(t)
	src := streamSource(t, "testdata/rewrite/lambdas.cu")
	src.Text += "\nextern \"C\" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {}\n"
	a, err := c.BuildNVCC(t.Context(), src, NVCC{Path: path, Arch: "sm_90", Options: []string{"-L" + filepath.Join(root, "lib")}})
	if err != nil || !a.OK() {
		t.Fatalf("error %v, %s\n%s", err, describeAll(a), a.Host.Log)
	}
	if !exports(a.Host.Path)["hone_entry"] || len(a.Kernels) == 0 {
		t.Errorf("no hone_entry, or no kernels: %+v", a.Kernels)
	}
}
