package platform

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/cuda"
)

// Compiler is the platform's NVRTC as package compile asks for it.
func (p *Platform) Compiler() compile.DeviceCompiler { return deviceCompiler{p.NVRTC} }

type deviceCompiler struct{ *cuda.Compiler }

func (n deviceCompiler) Version() string { return n.Compiler.Version().String() }

func (n deviceCompiler) Compile(ctx context.Context, source, name string, options, expressions []string) (
	[]byte, map[string]string, string, error) {
	o, err := abandonable(ctx, func() (cuda.Object, error) {
		return n.Compiler.Compile(cuda.Program{Name: name, Source: source, Options: options, Expressions: expressions})
	})
	return o.Cubin, o.Lowered, o.Log, err
}

// abandonable does not wait for work that nobody wants any more and that cannot be
// stopped, such as NVRTC's: it comes to its end unheard.
func abandonable[T any](ctx context.Context, work func() (T, error)) (result T, err error) {
	type ended struct {
		result T
		err    error
	}
	done := make(chan ended, 1)
	go func() {
		result, err := work()
		done <- ended{result, err}
	}()
	select {
	case e := <-done:
		return e.result, e.err
	case <-ctx.Done():
		return result, ctx.Err()
	}
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
