package device

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"runtime"

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/native"
)

//go:embed runtime/worker
var sources embed.FS

// ErrUnsupported says that no process can use a GPU on this system.
var ErrUnsupported = errors.New("kernels run on a GPU on Linux alone")

// Prepare returns the path of the program below dir, building it with g++ when it
// is not there yet. Several processes may call it at once. A missing compiler is
// a [native.MissingCompilerError].
func Prepare(ctx context.Context, dir string) (string, error) {
	return PrepareWith(ctx, dir, native.DefaultCompiler)
}

// PrepareWith is Prepare with a compiler given by name or path.
func PrepareWith(ctx context.Context, dir, compiler string) (string, error) {
	if runtime.GOOS != "linux" {
		return "", ErrUnsupported
	}
	own, err := fs.Sub(sources, "runtime/worker")
	if err != nil {
		return "", err
	}
	worker := native.Program{
		Name:    "device-worker",
		Sources: []fs.FS{own, compile.DeviceAPI()},
		Flags:   []string{"-Wall", "-Wextra"},
	}
	built, err := worker.Build(ctx, dir, compiler)
	return built.Program, err
}
