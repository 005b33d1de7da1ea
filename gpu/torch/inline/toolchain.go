package inline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/emulate"
	"example.com/hone/gpu/native"
)

// size is how much of torch's headers a unit sees, see headers/hone_torch.h.
type size int

// The sizes, smallest first.
const (
	tensors size = iota // tensors and the operators that are included one by one
	operators
	everything
)

// binderName is the module that Python imports.
const binderName = "hone_binder"

// torchArguments are g++'s options for torch's headers.
func (b *Builder) torchArguments() []string {
	args := []string{b.standard, fmt.Sprintf("-D_GLIBCXX_USE_CXX11_ABI=%d", boolean(b.config.Installation.CXX11ABI))}
	for _, folder := range b.config.Installation.Includes {
		args = append(args, "-isystem", folder)
	}
	return args
}

// standardOf is the option for the C++ that torch's headers are written in: what its
// own builder passes, but no older than what the emulation needs.
func standardOf(folder string) string {
	text, _ := os.ReadFile(filepath.Join(folder, "utils", "cpp_extension.py")) // without it C++17 has to do
	passed := regexp.MustCompile(`["']-fPIC["'], ["'](-std=c\+\+2\d)["']`)
	if found := passed.FindSubmatch(text); found != nil {
		return string(found[1])
	}
	return "-std=c++17"
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// torchLibraries are the linker's options for a module that uses tensors.
func (b *Builder) torchLibraries(names ...string) []string {
	args := []string{"-Wl,--no-as-needed"}
	for _, folder := range b.config.Installation.Libraries {
		args = append(args, "-L"+folder)
	}
	for _, name := range names {
		args = append(args, "-l"+name)
	}
	return args
}

// Binder returns the path of the extension hone_binder, building it when it is not
// there yet: half a minute, once per torch, Python and compiler. Its folder belongs
// on sys.path, or the file to importlib.
func (b *Builder) Binder(ctx context.Context) (string, error) {
	if b.config.Installation.PythonInclude == "" || !exists(filepath.Join(b.config.Installation.PythonInclude, "Python.h")) {
		return "", fmt.Errorf("build the binder: no Python.h in %q: install Python's headers (apt install python3-dev)",
			b.config.Installation.PythonInclude)
	}
	own, err := fs.Sub(sources, "binder")
	if err != nil {
		return "", err
	}
	flags := append([]string{"-fPIC", "-shared", "-w", "-I" + b.config.Installation.PythonInclude}, b.torchArguments()...)
	flags = append(flags, "-DHONE_TORCH_VERSION=\""+b.config.Installation.Torch+"\"")
	program := native.Program{
		Name: binderName + b.config.Installation.Extension, Sources: []fs.FS{own},
		Flags: append(flags, b.torchLibraries("torch_python", "torch_cpu", "c10")...),
	}
	built, err := program.Build(ctx, filepath.Join(b.config.Cache, "binder"), b.config.Compiler.Path())
	return built.Program, err
}

// library returns what stands for the CUDA runtime: of the emulation or of the device.
func (b *Builder) library(ctx context.Context) (string, error) {
	folder, prepare := "emulator", emulate.PrepareLibrary
	if b.config.GPU != nil {
		folder, prepare = "device", device.PrepareLibrary
	}
	built, err := prepare(ctx, filepath.Join(b.config.Cache, folder), b.config.Compiler.Path())
	return built.Program, err
}

// headers returns the folder with the headers of a size, precompiling them when they
// are not there yet: 10 to 40 seconds, and 190 to 600 MB of disk.
func (b *Builder) headers(ctx context.Context, s size) (string, error) {
	b.preparing.Lock()
	defer b.preparing.Unlock()
	args := b.headerArguments(s)
	version := b.headerVersion(args)
	home := filepath.Join(b.config.Cache, "headers", version)
	if exists(filepath.Join(home, torchHeader+".gch")) {
		return home, nil
	}
	if err := os.MkdirAll(filepath.Dir(home), 0o755); err != nil {
		return "", fmt.Errorf("prepare torch's headers: %w", err)
	}
	work, err := os.MkdirTemp(filepath.Dir(home), ".headers-*")
	if err != nil {
		return "", fmt.Errorf("prepare torch's headers: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err := errors.Join(os.Chmod(work, 0o755), writeHeaders(work, b.addedHeaders())); err != nil {
		return "", fmt.Errorf("prepare torch's headers: %w", err)
	}
	if err := b.config.Compiler.Precompile(ctx, work, torchHeader, args); err != nil {
		return "", fmt.Errorf("prepare torch's headers: %w", err)
	}
	if err := os.Rename(work, home); err != nil && !exists(filepath.Join(home, torchHeader+".gch")) {
		return "", fmt.Errorf("prepare torch's headers: %w", err)
	}
	return home, nil
}

// headerArguments are what a precompiled header and its users must agree on.
func (b *Builder) headerArguments(s size) []string {
	args := []string{fmt.Sprintf("-DHONE_TORCH=%d", s)}
	if b.fast() {
		// Kernels are found by symbols that must be ordinary ones.
		args = append(args, "-DHONE_ON_DEVICE", "-fno-gnu-unique")
	} else {
		args = append(args, "-I", b.config.Emulation.Include)
	}
	return append(args, b.torchArguments()...)
}

func (b *Builder) addedHeaders() map[string]string {
	if b.fast() {
		return compile.HostHeaders()
	}
	return nil
}

// fast reports whether modules for a GPU can be built in two parts.
func (b *Builder) fast() bool { return b.config.GPU != nil && b.config.GPU.NVRTC != nil }

func (b *Builder) headerVersion(args []string) string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s %s\n", b.hash, b.config.Compiler.Version(), b.config.Compiler.Path())
	fmt.Fprintf(hash, "%q\n", b.addedHeaders())
	fmt.Fprintf(hash, "%s %s %q %q\n", b.config.Installation.Torch, b.config.Emulation.Version, args,
		b.config.Compiler.ModuleFlags())
	return hex.EncodeToString(hash.Sum(nil))[:16]
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
