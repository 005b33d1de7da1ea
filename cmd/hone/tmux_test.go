package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/hone/gpu/judge"
)

// builtIn is the folder of the binary that buildHone built, "" if it did not.
var builtIn string

// buildHone builds the binary once for all tests that need a real one.
var buildHone = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "hone-e2e-*")
	if err != nil {
		return "", err
	}
	builtIn = dir
	path := filepath.Join(dir, "hone")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build hone: %w\n%s", err, out)
	}
	return path, nil
})

// sharedCache is where all tests of this package keep compiled artefacts: each
// needs the emulator, and none changes it.
func sharedCache() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("hone-test-cache-%d", os.Getuid()))
}

// home is a person's machine: folders of its own, and the binary.
type home struct {
	t    *testing.T
	dir  string
	hone string
}

func newHome(t *testing.T) home {
	t.Helper()
	hone, err := buildHone()
	if err != nil {
		t.Fatal(err)
	}
	return home{t: t, dir: t.TempDir(), hone: hone}
}

func (h home) runs() string { return filepath.Join(h.dir, "runs") }

// environment is what the binary sees, laid over what the test was given.
func (h home) environment(more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.dir, "LANG=C.UTF-8", "TERM=tmux-256color", "COLORTERM=truecolor",
		"XDG_CONFIG_HOME=" + filepath.Join(h.dir, "config"), "XDG_DATA_HOME=" + filepath.Join(h.dir, "data"),
		"HONE_RUNS=" + h.runs(), "HONE_CACHE=" + sharedCache(),
		"HONE_DEVICE=" + judge.DeviceEmulated,
	}, more...)
}

// command is the binary with arguments, without a screen.
func (h home) command(args ...string) *exec.Cmd {
	cmd := exec.Command(h.hone, args...)
	cmd.Env = h.environment()
	cmd.Dir = h.dir
	return cmd
}

// terminal is a real one, of a fixed size, run by tmux.
type terminal struct {
	t      *testing.T
	socket string
}

// terminal starts the binary on a screen. The shell that runs it prints the
// terminal's settings once it is gone, so that tests see what it left behind.
func (h home) terminal(columns, rows int, args string, env ...string) terminal {
	h.t.Helper()
	return h.terminalNamed("session", columns, rows, args, env...)
}

// terminalNamed is terminal for a test that needs more than one.
func (h home) terminalNamed(name string, columns, rows int, args string, env ...string) terminal {
	h.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		h.t.Skip("tmux is not installed: make test installs it")
	}
	term := terminal{t: h.t, socket: filepath.Join(h.dir, name)}
	script := filepath.Join(h.dir, name+".sh")
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	for _, v := range h.environment(env...) {
		name, value, _ := strings.Cut(v, "=")
		fmt.Fprintf(&b, "export %s='%s'\n", name, value)
	}
	fmt.Fprintf(&b, "cd '%s'\n'%s' %s\necho \"exit $?\"\nstty -a | tr ' ' '\\n' | grep -E '^-?(echo|icanon);?$' | tr '\\n' ' '\necho end\nsleep 600\n", h.dir, h.hone, args)
	if err := os.WriteFile(script, []byte(b.String()), 0o700); err != nil {
		h.t.Fatal(err)
	}
	term.tmux("-f", "/dev/null", "new-session", "-d", "-s", "hone", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows), script)
	h.t.Cleanup(func() { exec.Command("tmux", "-S", term.socket, "kill-server").Run() })
	return term
}

func (t terminal) tmux(args ...string) string {
	t.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", t.socket}, args...)...).CombinedOutput()
	if err != nil {
		t.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// screen is what a person sees now.
func (t terminal) screen() string {
	t.t.Helper()
	return t.tmux("capture-pane", "-p", "-t", "hone")
}

// press sends keys by their tmux names.
func (t terminal) press(keys ...string) {
	t.t.Helper()
	t.tmux(append([]string{"send-keys", "-t", "hone"}, keys...)...)
}

// typeText sends text as it is.
func (t terminal) typeText(text string) {
	t.t.Helper()
	t.tmux("send-keys", "-t", "hone", "-l", text)
}

// until waits for the screen to show every text, and returns the screen.
func (t terminal) until(texts ...string) string {
	t.t.Helper()
	return t.untilTrue(fmt.Sprintf("%q", texts), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// untilTrue waits for a screen that passes.
func (t terminal) untilTrue(what string, passes func(string) bool) string {
	t.t.Helper()
	ctx, cancel := context.WithTimeout(t.t.Context(), 45*time.Second)
	defer cancel()
	poll := time.NewTicker(40 * time.Millisecond)
	defer poll.Stop()
	for {
		screen := t.screen()
		if passes(screen) {
			return screen
		}
		select {
		case <-ctx.Done():
			t.t.Fatalf("the screen never showed %s; it shows:\n%s", what, screen)
		case <-poll.C:
		}
	}
}

// kernelFolder holds the kernels that evaluations are tested with.
func kernelFolder() string {
	dir, err := filepath.Abs(filepath.Join("..", "..", "gpu", "testdata", "kernels"))
	if err != nil {
		panic(err)
	}
	return dir
}
