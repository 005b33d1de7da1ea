package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// install builds in a folder of its own and renames it into place, so that a
// program is there whole or not at all. Losing the race to another process is success.
func (p Program) install(ctx context.Context, built Built) error {
	parent := filepath.Dir(built.Folder)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(parent, ".build-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	units, err := p.unpack(work)
	if err != nil {
		return err
	}
	if err := p.compile(ctx, work, built.Compiler, units); err != nil {
		return err
	}
	if err := os.Chmod(work, 0o755); err != nil {
		return err
	}
	if err := os.Rename(work, built.Folder); err != nil {
		if _, there := os.Stat(built.Program); there != nil {
			return fmt.Errorf("%w (remove %s and try again)", err, built.Folder)
		}
	}
	return nil
}

// unpack writes every source below dir, and returns the units among them.
func (p Program) unpack(dir string) ([]string, error) {
	var units []string
	err := p.eachSource(func(path string, text []byte) error {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if filepath.Ext(file) == ".cpp" {
			units = append(units, file)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, text, 0o644)
	})
	return units, err
}

func (p Program) arguments() []string {
	return append([]string{"-std=c++17", "-O2", "-pipe", "-pthread"}, p.Flags...)
}

// compile compiles the units, as many at once as there are cores, and links them.
func (p Program) compile(ctx context.Context, dir, gxx string, units []string) error {
	objects := make([]string, len(units))
	errs := make([]error, len(units))
	cores := make(chan struct{}, runtime.NumCPU())
	var group sync.WaitGroup
	for i, unit := range units {
		objects[i] = fmt.Sprintf("%s.%d.o", unit, i)
		group.Go(func() {
			cores <- struct{}{}
			defer func() { <-cores }()
			args := append(p.arguments(), "-iquote", filepath.Join(dir, sharedFolder), "-c", unit, "-o", objects[i])
			errs[i] = run(ctx, gxx, args)
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	args := append(append(p.arguments(), "-o", filepath.Join(dir, p.Name)), objects...)
	if runtime.GOOS == "linux" {
		args = append(args, "-ldl")
	}
	err := run(ctx, gxx, args)
	for _, object := range objects {
		err = errors.Join(err, os.Remove(object))
	}
	return err
}

func run(ctx context.Context, gxx string, args []string) error {
	cmd := exec.CommandContext(ctx, gxx, args...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	err := cmd.Run()
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
