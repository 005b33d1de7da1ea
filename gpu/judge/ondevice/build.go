package ondevice

import (
	"context"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/judge/platform"
	"example.com/hone/tasks"
)

// candidate compiles an answer.
func (s *workshop) candidate(ctx context.Context, req gpu.Request, text string, step func(string)) (platform.Built, error) {
	source := compile.Source{Name: "kernel.cu", Text: text, Unit: compile.StreamUnit(req.Task.Signature), Limit: req.Limits.Compile}
	return s.gpu.Build(ctx, s.compiler, source, req.NVCC, step)
}

// reference compiles a task's native reference in one floating type.
func (s *workshop) reference(ctx context.Context, task tasks.Task, real tasks.DType) (compile.DeviceArtifact, error) {
	return s.compiler.BuildDevice(ctx, compile.Source{
		Name: task.ID + " reference", Text: task.Native, Unit: compile.StreamReferenceUnit(task.Signature, real),
		Limit: gpu.DefaultLimits().Compile, Trusted: true,
	}, s.gpu.Target, s.gpu.Compiler())
}
