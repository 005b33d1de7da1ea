package compile

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// nvccFile is what nvcc compiles.
const nvccFile = "unit.cu"

// NVCC is the toolkit's own compiler, for what cannot be built in two parts.
type NVCC struct {
	Path    string // a path or a name to look up
	Arch    string // "sm_90"
	Options []string
}

// BuildNVCC compiles a source to one shared object with the same hone_entry, which
// brings the CUDA runtime and needs no table. A text that does not compile is an
// artefact that is not OK; an error means that nvcc could not be asked.
func (c *Compiler) BuildNVCC(ctx context.Context, src Source, nvcc NVCC) (DeviceArtifact, error) {
	start := time.Now()
	a := DeviceArtifact{NVCC: true, File: Parse(src.Name, src.Text)}
	if a.Diagnostics = foreignIncludes(a.File); len(a.Diagnostics) > 0 {
		return a, nil
	}
	job, err := c.nvccJob(ctx, src, a.File, nvcc)
	if err != nil {
		return a, fmt.Errorf("compile %s: %w", src.Name, err)
	}
	whole, err := c.part(ctx, job)
	if err != nil {
		return a, err
	}
	a.Host, a.Diagnostics = whole.part, whole.entry.Diagnostics
	if a.Kernels, err = loggedKernels(ctx, string(whole.part.Log)); err != nil {
		return a, err
	}
	a.Elapsed = time.Since(start)
	return a, nil
}

func (c *Compiler) nvccJob(ctx context.Context, src Source, file File, nvcc NVCC) (partJob, error) {
	path, err := exec.LookPath(nvcc.Path)
	if err != nil {
		return partJob{}, fmt.Errorf("nvcc: %w; install the CUDA toolkit", err)
	}
	tool := compiler{path: path}
	about, err := tool.run(ctx, "", []string{"--version"})
	if err != nil {
		return partJob{}, err
	}
	args := nvccArguments(nvcc, c.gxx.path, src.Defines)
	j := job{source: src, file: file, code: apply(src.Text, nil), unit: unitWith(includeLines(withHeaders([]string{"cstdint"}, src.headers())), src.Unit, src.Text)}
	return partJob{
		name: src.Name, product: hostFile, unit: j.unit, lines: true,
		inputs: append([]string{"nvcc", path, string(about.output), c.gxx.version}, args...),
		build: func(ctx context.Context, folder string) (partResult, error) {
			return buildNVCC(ctx, tool, j, folder, args)
		},
	}, nil
}

func includeLines(names []string) string {
	lines := make([]string, len(names))
	for i, name := range names {
		lines[i] = "#include <" + name + ">"
	}
	return strings.Join(lines, "\n")
}

// nvccArguments lists nvcc's options: code for one architecture, no PTX.
func nvccArguments(nvcc NVCC, gxx string, defines []string) []string {
	virtual := "compute_" + strings.TrimPrefix(nvcc.Arch, "sm_")
	args := []string{
		"-std=c++17", "-O3", "-shared", "-o", hostFile, "-ccbin", gxx, "-Xcompiler", "-fPIC",
		"-gencode", "arch=" + virtual + ",code=" + nvcc.Arch,
		"--expt-relaxed-constexpr", "--extended-lambda", "-Xptxas", "-v",
	}
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	return append(append(args, nvcc.Options...), nvccFile)
}

func buildNVCC(ctx context.Context, tool compiler, j job, folder string, args []string) (partResult, error) {
	if err := os.WriteFile(filepath.Join(folder, nvccFile), []byte(j.unit), 0o600); err != nil {
		return partResult{}, err
	}
	limited, cancel := context.WithTimeout(ctx, j.source.limit())
	defer cancel()
	r, err := tool.run(limited, folder, args)
	if err != nil || ctx.Err() != nil {
		return partResult{}, firstError(ctx.Err(), err)
	}
	r.limit = j.source.limit()
	log := string(r.output)
	device := cudaExplainer{tool: "nvcc", file: j.file, code: j.code}
	host := explainer{job: j}
	result := partResult{ok: r.ok, final: r.exited}
	result.entry.log = r.output
	list := device.diagnostics(parseCUDA(log), log, true)
	list = append(list, host.diagnostics(parseGXX(log), run{ok: true})...)
	if !r.ok && !hasError(list) {
		list = append(list, host.ending(list, r)...)
	}
	if r.ok {
		missing := host.undefined(filepath.Join(folder, hostFile), map[string]bool{})
		result.ok = len(missing) == 0
		list = append(missing, list...)
	}
	result.entry.Diagnostics = list
	return result, nil
}

// loggedKernels lists the kernels that ptxas spoke of.
func loggedKernels(ctx context.Context, log string) ([]DeviceKernel, error) {
	taken := parsePTXAS(log)
	var symbols []string
	for symbol := range taken {
		symbols = append(symbols, symbol)
	}
	slices.Sort(symbols)
	names, err := demangle(ctx, symbols)
	if err != nil {
		return nil, err
	}
	var list []DeviceKernel
	for i, symbol := range symbols {
		k := DeviceKernel{Name: nameExpression(names[i]), Lowered: symbol}
		k.use(taken[symbol])
		list = append(list, k)
	}
	return list, nil
}
