package ondevice

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/device"
	"example.com/hone/tasks"
)

// splitCompiler is package cuda's compiler as package compile asks for it.
type splitCompiler struct{ *cuda.Compiler }

func (n splitCompiler) Version() string { return n.Compiler.Version().String() }

func (n splitCompiler) Compile(_ context.Context, source, name string, options, expressions []string) (
	[]byte, map[string]string, string, error) {
	o, err := n.Compiler.Compile(cuda.Program{Name: name, Source: source, Options: options, Expressions: expressions})
	return o.Cubin, o.Lowered, o.Log, err
}

// headers lists the folders with the toolkit's headers, the first place that has
// them: beside NVRTC, in the toolkit, in Python's packages, in the system.
func headers(nvrtc string, o cuda.Options) []string {
	places := []string{filepath.Join(filepath.Dir(filepath.Dir(nvrtc)), "include")}
	if o.Toolkit != "" {
		places = append(places, filepath.Join(o.Toolkit, "include"))
	}
	places = append(places, "/usr/local/cuda/include")
	for _, folder := range o.Packages {
		places = append(places, filepath.Join(folder, "nvidia", "cu13", "include"), filepath.Join(folder, "nvidia", "cuda_runtime", "include"))
	}
	for _, place := range append(places, "/usr/include") {
		if !exists(filepath.Join(place, "cuda_fp16.h")) {
			continue
		}
		if cccl := filepath.Join(place, "cccl"); exists(cccl) {
			return []string{place, cccl}
		}
		return []string{place}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// findNVCC is the path of the toolkit's own compiler, empty when there is none.
func findNVCC(o cuda.Options) string {
	names := []string{"nvcc", "/usr/local/cuda/bin/nvcc"}
	if o.Toolkit != "" {
		names = append([]string{filepath.Join(o.Toolkit, "bin", "nvcc")}, names...)
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// built is a candidate's artefact and how it came to be.
type built struct {
	compile.DeviceArtifact
	how string // "NVRTC and g++", "nvcc: it uses CUB (line 3)"
}

// candidate compiles an answer: in two parts, and with nvcc what cannot be split
// or may fail only for a name that nvcc's headers have.
func (s *workshop) candidate(ctx context.Context, req gpu.Request, text string, step func(string)) (built, error) {
	source := compile.Source{Name: "kernel.cu", Text: text, Unit: compile.StreamUnit(req.Task.Signature), Limit: req.Limits.Compile}
	if req.NVCC {
		return s.whole(ctx, source, "nvcc, as asked for", step)
	}
	step("NVRTC and g++")
	a, err := s.compiler.BuildDevice(ctx, source, s.target, splitCompiler{s.nvrtc})
	b := built{a, "NVRTC and g++"}
	switch {
	case err != nil:
		return b, err
	case a.Needs != nil && s.nvcc != "":
		return s.whole(ctx, source, fmt.Sprintf("nvcc, for %s at line %d", a.Needs.Construct, a.Needs.Line), step)
	case a.Doubtful() && s.nvcc != "":
		whole, err := s.whole(ctx, source, "nvcc, whose headers declare more", step)
		if err == nil && !whole.OK() {
			return b, nil // NVRTC's and g++'s messages are the better ones
		}
		return whole, err
	}
	if a.Device.Cached && a.Host.Cached {
		b.how += ", cached"
	}
	return b, nil
}

// whole compiles with nvcc alone.
func (s *workshop) whole(ctx context.Context, source compile.Source, how string, step func(string)) (built, error) {
	if s.nvcc == "" {
		return built{}, fmt.Errorf("nvcc was asked for and is not installed: install the CUDA toolkit, or leave the compiler to hone")
	}
	step(how)
	source.Entry += device.LastErrorEntry
	a, err := s.compiler.BuildNVCC(ctx, source, compile.NVCC{Path: s.nvcc, Arch: s.target.Arch})
	return built{a, how}, err
}

// reference compiles a task's native reference in one floating type.
func (s *workshop) reference(ctx context.Context, task tasks.Task, real tasks.DType) (compile.DeviceArtifact, error) {
	return s.compiler.BuildDevice(ctx, compile.Source{
		Name: task.ID + " reference", Text: task.Native, Unit: compile.StreamReferenceUnit(task.Signature, real),
		Limit: gpu.DefaultLimits().Compile, Trusted: true,
	}, s.target, splitCompiler{s.nvrtc})
}
