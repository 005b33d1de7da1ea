package device

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

	"example.com/hone/gpu/emulate"
)

//go:embed runtime/worker
var sources embed.FS

const sourceFolder = "runtime/worker"

// ErrUnsupported says that no process can use a GPU on this system.
var ErrUnsupported = errors.New("kernels run on a GPU on Linux alone")

// Prepare returns the path of the program below dir, building it with g++ when it
// is not there yet. Several processes may call it at once. A missing compiler is
// an [emulate.MissingCompilerError].
func Prepare(ctx context.Context, dir string) (string, error) {
	return PrepareWith(ctx, dir, emulate.DefaultCompiler)
}

// PrepareWith is Prepare with a compiler given by name or path.
func PrepareWith(ctx context.Context, dir, compiler string) (string, error) {
	if runtime.GOOS != "linux" {
		return "", ErrUnsupported
	}
	gxx, err := exec.LookPath(compiler)
	if err == nil {
		gxx, err = filepath.Abs(gxx)
	}
	if err != nil {
		return "", &emulate.MissingCompilerError{Name: compiler}
	}
	version, err := contentVersion(gxx)
	if err != nil {
		return "", fmt.Errorf("prepare device worker: %w", err)
	}
	program := filepath.Join(dir, "device-"+version)
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := install(ctx, program, gxx); err != nil {
		return "", fmt.Errorf("prepare device worker in %s: %w", dir, err)
	}
	return program, nil
}

// contentVersion hashes everything the build depends on. The compiler counts by
// its file: asking it would cost more than all the rest.
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
	fmt.Fprintf(hash, "%s %d %d %s\n", real, info.Size(), info.ModTime().UnixNano(), runtime.GOARCH)
	err = eachSource(func(name string, text []byte) error {
		_, err := fmt.Fprintf(hash, "%s %d\n%s", name, len(text), text)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil))[:16], err
}

func eachSource(use func(name string, text []byte) error) error {
	entries, err := fs.ReadDir(sources, sourceFolder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		text, err := sources.ReadFile(sourceFolder + "/" + entry.Name())
		if err != nil {
			return err
		}
		if err := use(entry.Name(), text); err != nil {
			return err
		}
	}
	return nil
}

// install builds in a folder of its own and renames the program into place, so
// that it is there whole or not at all.
func install(ctx context.Context, program, gxx string) error {
	parent := filepath.Dir(program)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(parent, ".build-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	err = eachSource(func(name string, text []byte) error {
		return os.WriteFile(filepath.Join(work, name), text, 0o600)
	})
	if err != nil {
		return err
	}
	if err := build(ctx, work, gxx); err != nil {
		return err
	}
	return os.Rename(filepath.Join(work, "worker"), program)
}

func build(ctx context.Context, folder, gxx string) error {
	units, err := filepath.Glob(filepath.Join(folder, "*.cpp"))
	if err != nil {
		return err
	}
	args := []string{"-std=c++17", "-O2", "-Wall", "-Wextra", "-pipe", "-pthread", "-o", filepath.Join(folder, "worker")}
	cmd := exec.CommandContext(ctx, gxx, append(append(args, units...), "-ldl")...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	err = cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		text := strings.TrimSpace(log.String())
		return fmt.Errorf("%s could not build it: %w: %s", gxx, err, text[:min(len(text), 1000)])
	}
	return nil
}
