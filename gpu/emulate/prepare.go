package emulate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

//go:embed runtime
var sources embed.FS

// DefaultCompiler is the C++ compiler that Prepare looks for.
const DefaultCompiler = "g++"

// Toolchain is what building and running an emulated kernel takes.
type Toolchain struct {
	Emulator string // the program that runs candidates
	Include  string // folder of the headers that candidates are compiled against
	GXX      string // the C++ compiler, as an absolute path
	Version  string // changes with the sources, the compiler and the machine
}

// MissingCompilerError says that no C++ compiler was found, and how to get one.
type MissingCompilerError struct {
	Name string // what was looked for
}

func (e *MissingCompilerError) Error() string {
	hint := "apt install g++"
	if runtime.GOOS == "darwin" {
		hint = "xcode-select --install"
	}
	return fmt.Sprintf("no C++ compiler %q: get one with: %s", e.Name, hint)
}

// Prepare returns the toolchain below dir, building what is not there yet. A
// second call, in this process or another, finds it done. Several processes may
// call it at once.
func Prepare(ctx context.Context, dir string) (Toolchain, error) {
	return PrepareWith(ctx, dir, DefaultCompiler)
}

// PrepareWith is Prepare with a compiler given by name or path.
func PrepareWith(ctx context.Context, dir, compiler string) (Toolchain, error) {
	gxx, err := exec.LookPath(compiler)
	if err == nil {
		gxx, err = filepath.Abs(gxx)
	}
	if err != nil {
		return Toolchain{}, &MissingCompilerError{Name: compiler}
	}
	version, err := contentVersion(gxx)
	if err != nil {
		return Toolchain{}, fmt.Errorf("prepare emulator: %w", err)
	}
	home := filepath.Join(dir, version)
	tc := Toolchain{
		Emulator: filepath.Join(home, "emulator"),
		Include:  filepath.Join(home, "runtime", "include"),
		GXX:      gxx,
		Version:  version,
	}
	if _, err := os.Stat(tc.Emulator); err == nil {
		return tc, nil
	}
	if err := install(ctx, home, gxx); err != nil {
		return Toolchain{}, fmt.Errorf("prepare emulator in %s: %w", dir, err)
	}
	return tc, nil
}

// contentVersion hashes everything the build depends on. The compiler counts by
// its file, not by its output: asking it would cost more than all the rest.
func contentVersion(gxx string) (string, error) {
	real, err := filepath.EvalSymlinks(gxx)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %d %d %s/%s\n", real, info.Size(), info.ModTime().UnixNano(), runtime.GOOS, runtime.GOARCH)
	err = eachSource(func(path string, text []byte) error {
		_, err := fmt.Fprintf(hash, "%s %d\n%s", path, len(text), text)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil))[:16], err
}

func eachSource(use func(path string, text []byte) error) error {
	return fs.WalkDir(sources, "runtime", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := sources.ReadFile(path)
		if err != nil {
			return err
		}
		return use(path, text)
	})
}

// install builds in a folder of its own and renames it into place, so that a
// toolchain is there whole or not at all. Losing the race to another process is success.
func install(ctx context.Context, home, gxx string) error {
	parent := filepath.Dir(home)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(parent, ".build-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := unpack(work); err != nil {
		return err
	}
	if err := build(ctx, work, gxx); err != nil {
		return err
	}
	if err := os.Chmod(work, 0o755); err != nil {
		return err
	}
	if err := os.Rename(work, home); err != nil {
		if _, there := os.Stat(filepath.Join(home, "emulator")); there != nil {
			return fmt.Errorf("%w (remove %s and try again)", err, home)
		}
	}
	return nil
}

func unpack(dir string) error {
	return eachSource(func(path string, text []byte) error {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, text, 0o644)
	})
}

// build compiles the emulator. Its own symbols are exported, because the objects
// it loads call back into it.
func build(ctx context.Context, dir, gxx string) error {
	units, err := filepath.Glob(filepath.Join(dir, "runtime", "emulator", "*.cpp"))
	if err != nil {
		return err
	}
	args := []string{"-std=c++17", "-O2", "-pipe", "-pthread", "-rdynamic", "-o", filepath.Join(dir, "emulator")}
	args = append(args, units...)
	if runtime.GOOS == "linux" {
		args = append(args, "-ldl")
	}
	cmd := exec.CommandContext(ctx, gxx, args...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	err = cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%s could not build it: %w: %s", gxx, err, firstLines(log.String(), 5))
	}
	return err
}

func firstLines(text string, n int) string {
	lines := strings.SplitAfterN(strings.TrimSpace(text), "\n", n+1)
	if len(lines) > n {
		lines = lines[:n]
	}
	return strings.TrimSpace(strings.Join(lines, ""))
}
