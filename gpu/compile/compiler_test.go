package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/hone/tasks"
)

// scriptedCompiler is a compiler that is a shell script: body runs for every
// build, in the build's folder.
func scriptedCompiler(t *testing.T, body string) *Compiler {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g++")
	script := "#!/bin/sh\ncase \"$1\" in --version) echo 'g++ (scripted) 12.0.0'; exit 0;; esac\n" + body + "\n"
	// A process forked meanwhile would hold the file open for writing: "text file busy".
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(script), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(t.Context(), Toolchain{GXX: path}, filepath.Join(t.TempDir(), "cache"), 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// makesObjects is a scripted build that succeeds: it writes what -o names.
const makesObjects = `while [ $# -gt 0 ]; do [ "$1" = -o ] && echo object > "$2"; shift; done`

func TestMissingCompiler(t *testing.T) {
	t.Parallel()
	_, err := New(t.Context(), Toolchain{GXX: "no-such-compiler-here"}, t.TempDir(), 0)
	if !errors.Is(err, ErrNoCompiler) || !strings.Contains(err.Error(), "install") {
		t.Errorf("error is %v", err)
	}
}

func TestHangingCompiler(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	c := scriptedCompiler(t, "sleep 1000 & echo $! >> "+pid+"\nwait")
	a, err := c.Build(t.Context(), Source{Text: "x", Limit: time.Second})
	if err != nil || a.OK() {
		t.Fatalf("artefact %+v, error %v", a, err)
	}
	if got := describe(a); !strings.Contains(got, "longer than 1s") {
		t.Errorf("diagnostics: %s", got)
	}
	for _, line := range strings.Fields(readFile(t, pid)) {
		var child int
		if _, err := fmt.Sscan(line, &child); err != nil {
			t.Fatal(err)
		}
		if !ended(child) {
			t.Errorf("process %d, started by the compiler, is still there", child)
		}
	}
	if again, _ := c.Build(t.Context(), Source{Text: "x", Limit: time.Millisecond}); again.Cached {
		t.Error("a timeout was cached")
	}
}

// ended waits a moment for a killed process to disappear.
func ended(pid int) bool {
	for range 300 {
		<-time.After(10 * time.Millisecond)
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || err == nil && bytes.Contains(stat, []byte(") Z ")) {
			return true
		}
	}
	return false
}

func TestCancelledBuild(t *testing.T) {
	t.Parallel()
	started := filepath.Join(t.TempDir(), "started")
	c := scriptedCompiler(t, "touch "+started+"\nsleep 1000")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for t.Context().Err() == nil {
			if _, err := os.Stat(started); err == nil {
				break
			}
			<-time.After(5 * time.Millisecond)
		}
		cancel()
	}()
	if _, err := c.Build(ctx, Source{Text: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestTalkativeCompiler(t *testing.T) {
	t.Parallel()
	c := scriptedCompiler(t, `echo "kernel.cu:1:1: error: first"
i=0; line=$(printf '%01000d' 7)
while [ $i -lt 10000 ]; do echo "$line"; i=$((i+1)); done
exit 1`)
	a, err := c.Build(t.Context(), Source{Text: "x"})
	if err != nil || a.OK() {
		t.Fatalf("artefact OK %v, error %v", a.OK(), err)
	}
	if len(a.Log) != 1<<20 || len(a.Diagnostics) != 1 || a.Diagnostics[0].Message != "first" {
		t.Errorf("%d bytes of log, diagnostics %+v", len(a.Log), a.Diagnostics)
	}
}

func TestCompilerEndings(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, script, want string }{
		{"silent failure", "exit 3", "the compiler failed: it said nothing"},
		{"unknown words", "echo something odd; exit 1", "the compiler failed: something odd"},
		{"killed part", "echo 'g++: fatal error: Killed signal terminated program cc1plus'; exit 1", "more memory than it may use"},
		{"crash", "kill -SEGV $$", "the compiler failed"},
		{"a text that says the disk is full", "echo 'kernel.cu:1:2: error: No space left on device'; exit 1", "No space left on device"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, err := scriptedCompiler(t, c.script).Build(t.Context(), Source{Text: "x"})
			if err != nil || a.OK() {
				t.Fatalf("artefact OK %v, error %v", a.OK(), err)
			}
			if got := describe(a); !strings.Contains(got, c.want) {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestQuickFailures has the plain build fail before the other one has begun.
func TestQuickFailures(t *testing.T) {
	t.Parallel()
	c := scriptedCompiler(t, "exit 1")
	for i := range 30 {
		if a, err := c.Build(t.Context(), Source{Text: fmt.Sprint("x", i)}); err != nil || a.OK() {
			t.Fatalf("artefact OK %v, error %v", a.OK(), err)
		}
	}
}

func TestUnwritableCache(t *testing.T) {
	t.Parallel()
	c := scriptedCompiler(t, makesObjects)
	if err := os.RemoveAll(c.store.folder); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Build(t.Context(), Source{Name: "some kernel", Text: "x"}); err == nil || !strings.Contains(err.Error(), "some kernel") {
		t.Errorf("error is %v", err)
	}
}

// TestCompilerEnvironment holds that no secret of this process reaches it.
func TestCompilerEnvironment(t *testing.T) {
	t.Setenv("SOME_API_KEY", "secret")
	a, err := scriptedCompiler(t, "env; exit 1").Build(t.Context(), Source{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(a.Log, []byte("secret")) || !bytes.Contains(a.Log, []byte("LC_ALL=C\n")) {
		t.Errorf("environment:\n%s", a.Log)
	}
}

func TestCompilerOptions(t *testing.T) {
	t.Parallel()
	cases := []struct {
		version     string
		byteColumns bool
	}{
		{"g++ (Debian 12.2.0-14+deb12u1) 12.2.0", true}, {"g++ (Ubuntu 9.4.0-1ubuntu1) 9.4.0", false},
		{"Apple clang version 15.0.0 (clang-1500.3.9.4)", false}, {"", false},
	}
	for _, c := range cases {
		args := strings.Join(compiler{version: c.version}.arguments(Toolchain{}, plainFile, []string{"A=1"}), " ")
		if got := strings.Contains(args, "column-unit=byte"); got != c.byteColumns {
			t.Errorf("%q: %s", c.version, args)
		}
		if !strings.HasSuffix(args, "-DA=1 "+unitFile) || strings.Contains(args, "sanitize") {
			t.Errorf("%q: %s", c.version, args)
		}
	}
}

// TestCorpusCompiles builds every golden of the rewriting with the real header.
func TestCorpusCompiles(t *testing.T) {
	t.Parallel()
	c := newCompiler(t)
	for _, path := range corpus(t) {
		t.Run(caseName(path), func(t *testing.T) {
			t.Parallel()
			a, err := c.Build(t.Context(), Source{Name: path, Text: readFile(t, path)})
			if err != nil || !a.OK() {
				t.Errorf("error %v, %s", err, describe(a))
			}
		})
	}
}

// TestReferenceBuilds builds one native reference in two element types.
func TestReferenceBuilds(t *testing.T) {
	t.Parallel()
	c := newCompiler(t)
	const text = `template <typename real>
__global__ void scale(const real* x, real* y, int64_t n) {
    int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) y[i] = x[i] * FACTOR;
}
template <typename real>
void reference(const real* x, real* y, int64_t n, cudaStream_t stream) {
    scale<real><<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}`
	keys := map[string]bool{}
	for _, real := range []tasks.DType{tasks.Float32, tasks.Float64} {
		a, err := c.Build(t.Context(), Source{Text: text, Unit: ReferenceUnit(vectorSignature(), real), Defines: []string{"FACTOR=2"}})
		if err != nil || !a.OK() {
			t.Fatalf("%s: error %v, %s", real, err, describe(a))
		}
		keys[a.Key] = true
	}
	if len(keys) != 2 {
		t.Error("both types share a cache entry")
	}
}

// TestExports reads the symbols of a program the way the emulator's are read.
func TestExports(t *testing.T) {
	t.Parallel()
	known := exports(os.Args[0])
	if missing := exports(filepath.Join(t.TempDir(), "none")); missing != nil {
		t.Errorf("a missing program exports %v", missing)
	}
	a := build(t, newCompiler(t), `extern "C" int given_by_the_emulator(int);
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) { y[0] = given_by_the_emulator(1); }`)
	if !a.OK() {
		t.Fatalf("without knowledge of the emulator: %s", describe(a))
	}
	offered := exports(a.Plain)
	if !offered["solve"] || !offered["hone_entry"] || offered["given_by_the_emulator"] {
		t.Errorf("the object exports %v; the test program %d symbols", offered, len(known))
	}
	if got := unresolved(a.Plain, map[string]bool{}); len(got) != 1 || got[0] != "given_by_the_emulator" {
		t.Errorf("unresolved: %v", got)
	}
	if got := unresolved(a.Plain, map[string]bool{"given_by_the_emulator": true}); len(got) != 0 {
		t.Errorf("unresolved: %v", got)
	}
}
