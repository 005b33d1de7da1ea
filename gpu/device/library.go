package device

import (
	"context"
	"embed"
	"io/fs"
	"runtime"

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/native"
)

//go:embed library/library.cpp
var library embed.FS

// LibraryName is how objects that run in another program than the worker name what
// they reach the device through.
const LibraryName = "libhone_device.so"

// PrepareLibrary builds the worker's host API as a shared library below dir, for a
// process that has a main of its own, such as Python. What it offers such a process
// is in library/library.cpp.
func PrepareLibrary(ctx context.Context, dir, compiler string) (native.Built, error) {
	if runtime.GOOS != "linux" {
		return native.Built{}, ErrUnsupported
	}
	own, err := fs.Sub(sources, "runtime/worker")
	if err != nil {
		return native.Built{}, err
	}
	added, err := fs.Sub(library, "library")
	if err != nil {
		return native.Built{}, err
	}
	p := native.Program{
		Name:    LibraryName,
		Sources: []fs.FS{own, added, compile.DeviceAPI()},
		// The worker's own main stays, under a name that nobody calls.
		Flags: []string{"-fPIC", "-shared", "-Dmain=hone_worker_main", "-Wl,-soname," + LibraryName},
	}
	return p.Build(ctx, dir, compiler)
}
