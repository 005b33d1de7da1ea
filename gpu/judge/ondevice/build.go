package ondevice

import (
	"context"
	"fmt"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/device"
	"example.com/hone/tasks"
)

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
	a, err := s.compiler.BuildDevice(ctx, source, s.gpu.Target, s.gpu.Compiler())
	b := built{a, "NVRTC and g++"}
	switch {
	case err != nil:
		return b, err
	case a.Needs != nil && s.gpu.NVCC != "":
		return s.whole(ctx, source, fmt.Sprintf("nvcc, for %s at line %d", a.Needs.Construct, a.Needs.Line), step)
	case a.Doubtful() && s.gpu.NVCC != "":
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
	if s.gpu.NVCC == "" {
		return built{}, fmt.Errorf("nvcc was asked for and is not installed: install the CUDA toolkit, or leave the compiler to hone")
	}
	step(how)
	source.Entry += device.LastErrorEntry
	a, err := s.compiler.BuildNVCC(ctx, source, compile.NVCC{Path: s.gpu.NVCC, Arch: s.gpu.Target.Arch})
	return built{a, how}, err
}

// reference compiles a task's native reference in one floating type.
func (s *workshop) reference(ctx context.Context, task tasks.Task, real tasks.DType) (compile.DeviceArtifact, error) {
	return s.compiler.BuildDevice(ctx, compile.Source{
		Name: task.ID + " reference", Text: task.Native, Unit: compile.StreamReferenceUnit(task.Signature, real),
		Limit: gpu.DefaultLimits().Compile, Trusted: true,
	}, s.gpu.Target, s.gpu.Compiler())
}
