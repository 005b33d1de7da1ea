package emulate

import (
	"context"
	"embed"
	"io/fs"
	"path"

	"example.com/hone/gpu/native"
)

//go:embed library
var library embed.FS

// LibraryName is how objects that run in another program than the emulator name the
// emulation that they need.
const LibraryName = "libhone_emulator.so"

// PrepareLibrary builds the emulation as a shared library below dir, for a process
// that has a main of its own, such as Python. What it offers such a process is
// in library/library.cpp.
func PrepareLibrary(ctx context.Context, dir, compiler string) (native.Built, error) {
	p := native.Program{
		Name:    LibraryName,
		Sources: []fs.FS{uncheckedSources{sources}, library},
		// The emulator's own main stays, under a name that nobody calls.
		Flags: []string{"-fPIC", "-shared", "-Dmain=hone_emulator_main", "-Wl,-soname," + LibraryName},
	}
	return p.Build(ctx, dir, compiler)
}

// uncheckedSources is the emulator without what answers the checked build's calls:
// that needs more thread-local memory than a process gives to a library that it
// loads late.
type uncheckedSources struct{ embed.FS }

// ReadDir implements fs.ReadDirFS.
func (s uncheckedSources) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := s.FS.ReadDir(name)
	var kept []fs.DirEntry
	for _, entry := range all {
		if path.Base(entry.Name()) != "hooks.cpp" {
			kept = append(kept, entry)
		}
	}
	return kept, err
}
