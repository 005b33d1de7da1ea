package candidate

import (
	"context"
	"embed"
	"io/fs"
	"runtime"

	"example.com/hone/gpu/native"
)

//go:embed runtime
var sources embed.FS

// Prepare returns the library below dir that contains a Python process, building it
// with the compiler, a name or path, when it is not there yet. It is empty on systems
// where nothing can be contained. Several processes may call it at once. A missing
// compiler is a [native.MissingCompilerError].
func Prepare(ctx context.Context, dir, compiler string) (string, error) {
	if runtime.GOOS != "linux" {
		return "", nil
	}
	own, err := fs.Sub(sources, "runtime")
	if err != nil {
		return "", err
	}
	library := native.Program{
		Name:    "libhone_contain.so",
		Sources: []fs.FS{own},
		Flags:   []string{"-shared", "-fPIC", "-Wall", "-Wextra"},
	}
	built, err := library.Build(ctx, dir, compiler)
	return built.Program, err
}
