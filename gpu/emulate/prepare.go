package emulate

import (
	"context"
	"embed"
	"io/fs"
	"path/filepath"

	"example.com/hone/gpu/native"
)

//go:embed runtime
var sources embed.FS

// DefaultCompiler is the C++ compiler that Prepare looks for.
const DefaultCompiler = native.DefaultCompiler

// Toolchain is what building and running an emulated kernel takes.
type Toolchain struct {
	Emulator string // the program that runs candidates
	Include  string // folder of the headers that candidates are compiled against
	GXX      string // the C++ compiler, as an absolute path
	Version  string // changes with the sources, the compiler and the machine
}

// MissingCompilerError says that no C++ compiler was found, and how to get one.
type MissingCompilerError = native.MissingCompilerError

// Prepare returns the toolchain below dir, building what is not there yet. A
// second call, in this process or another, finds it done. Several processes may
// call it at once.
func Prepare(ctx context.Context, dir string) (Toolchain, error) {
	return PrepareWith(ctx, dir, DefaultCompiler)
}

// PrepareWith is Prepare with a compiler given by name or path.
func PrepareWith(ctx context.Context, dir, compiler string) (Toolchain, error) {
	emulator := native.Program{
		Name:    "emulator",
		Sources: []fs.FS{sources},
		// Its own symbols are exported, because the objects it loads call back into it.
		Flags: []string{"-rdynamic"},
	}
	built, err := emulator.Build(ctx, dir, compiler)
	if err != nil {
		return Toolchain{}, err
	}
	return Toolchain{
		Emulator: built.Program,
		Include:  filepath.Join(built.Folder, "runtime", "include"),
		GXX:      built.Compiler,
		Version:  built.Version,
	}, nil
}
