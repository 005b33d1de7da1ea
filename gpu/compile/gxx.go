package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The files in a build's folder.
const (
	unitFile    = "unit.cpp"
	plainFile   = "plain.so"
	checkedFile = "checked.so"
)

// ErrNoCompiler means that no C++ compiler was found.
var ErrNoCompiler = errors.New("no C++ compiler")

// compiler is a g++, or a clang++ that answers to its name.
type compiler struct {
	path    string
	version string // its first line about itself
}

func findCompiler(ctx context.Context, tools Toolchain) (compiler, error) {
	path, err := exec.LookPath(tools.GXX)
	if err != nil {
		hint := "apt install g++"
		if runtime.GOOS == "darwin" {
			hint = "xcode-select --install"
		}
		return compiler{}, fmt.Errorf("%w: %s not found; install it with: %s", ErrNoCompiler, tools.GXX, hint)
	}
	c := compiler{path: path}
	r, err := c.run(ctx, "", []string{"--version"})
	if err != nil {
		return compiler{}, err
	}
	c.version, _, _ = strings.Cut(string(r.output), "\n")
	return c, nil
}

// arguments lists the options of one of the two builds. There is no precompiled
// header: the emulator's parses in about 70 ms, and loading 10 MB takes most of it.
func (c compiler) arguments(tools Toolchain, object string, defines []string) []string {
	args := []string{
		"-std=c++17", "-pipe", "-fPIC", "-shared", "-o", object, "-I", tools.Include,
		"-fno-diagnostics-show-caret", "-fdiagnostics-color=never",
		"-Wno-attributes", "-Wno-ignored-attributes",
	}
	if object == plainFile {
		args = append(args, "-O2", "-g1")
	} else {
		args = append(args, "-O1", "-g1", "-fsanitize=thread")
	}
	args = append(args, c.dialect()...)
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	args = append(args, unitFile)
	if object == checkedFile {
		args = append(args, linkWithoutSanitizer()...)
	}
	return args
}

// dialect lists the options that g++ and clang++ spell differently.
func (c compiler) dialect() []string {
	if strings.Contains(c.version, "clang") {
		args := []string{"-ferror-limit=20"}
		if runtime.GOOS == "darwin" {
			args = append(args, "-Wl,-undefined,dynamic_lookup") // as everywhere else: the emulator defines the rest
		}
		return args
	}
	// A large frame touches every page of itself, so that a stack that is too
	// small faults at its guard instead of jumping over it.
	args := []string{"-fmax-errors=20", "-fno-semantic-interposition", "-fstack-clash-protection"}
	if c.major() >= 11 {
		args = append(args, "-fdiagnostics-column-unit=byte") // before that it was so anyway
	}
	return args
}

// major is g++'s version: "g++ (Debian 12.2.0-14) 12.2.0" is 12.
func (c compiler) major() int {
	fields := strings.Fields(c.version)
	if len(fields) == 0 {
		return 0
	}
	number, _, _ := strings.Cut(fields[len(fields)-1], ".")
	major, _ := strconv.Atoi(number)
	return major
}

// linkWithoutSanitizer names the libraries of a link that leaves the sanitizer's
// own out: the emulator stands in for it.
func linkWithoutSanitizer() []string {
	if runtime.GOOS == "darwin" {
		return []string{"-nodefaultlibs", "-lc++", "-lSystem"}
	}
	return []string{"-nodefaultlibs", "-lstdc++", "-lm", "-lgcc_s", "-lgcc", "-lc"}
}

// run is one run of the compiler.
type run struct {
	ok       bool
	exited   bool // by itself: what it said is the answer
	timedOut bool
	output   []byte // both streams, the first MB
	cut      bool   // there was more
	limit    time.Duration
}

// run starts the compiler in a folder, in a process group of its own that is
// killed as a whole when ctx ends.
func (c compiler) run(ctx context.Context, folder string, args []string) (run, error) {
	cmd := exec.CommandContext(ctx, c.path, args...)
	out := &head{left: 1 << 20}
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, out, out
	cmd.Env = environment(cmd.Environ(), folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Start(); err != nil {
		return run{}, fmt.Errorf("start %s: %w", filepath.Base(c.path), err)
	}
	limitResources(cmd.Process.Pid)
	err := cmd.Wait()
	r := run{ok: err == nil, output: out.kept.Bytes(), cut: out.cut}
	r.timedOut = errors.Is(ctx.Err(), context.DeadlineExceeded)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return r, fmt.Errorf("run %s: %w", filepath.Base(c.path), err)
	}
	r.exited = ctx.Err() == nil && (exit == nil || exit.Exited()) && !killed(r.output)
	return r, nil
}

// killed reports whether the compiler's driver says that a part of it died.
func killed(output []byte) bool {
	return bytes.Contains(output, []byte("fatal error: Killed signal")) ||
		bytes.Contains(output, []byte("out of memory allocating")) ||
		bytes.Contains(output, []byte("virtual memory exhausted"))
}

// environment lets through what a compiler needs to find its parts, and makes
// it speak English.
func environment(all []string, folder string) []string {
	env := []string{"LC_ALL=C", "TMPDIR=" + folder}
	for _, v := range all {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "PATH", "HOME", "DEVELOPER_DIR", "SDKROOT", "MACOSX_DEPLOYMENT_TARGET":
			env = append(env, v)
		}
	}
	return env
}

// head keeps the first bytes written to it and drops the rest.
type head struct {
	kept bytes.Buffer
	left int
	cut  bool
}

func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.left)
	h.kept.Write(p[:n])
	h.left -= n
	h.cut = h.cut || n < len(p)
	return len(p), nil
}
