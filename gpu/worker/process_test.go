package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func config(t *testing.T) Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{Emulator: self, Scratch: t.TempDir(), Memory: startsWell}
}

func start(t *testing.T, cfg Config) *Process {
	t.Helper()
	p, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

// load starts a fake that behaves as object says.
func load(t *testing.T, object string) *Process {
	t.Helper()
	p := start(t, config(t))
	if fault, err := p.Load(t.Context(), object, time.Minute); fault != nil || err != nil {
		t.Fatalf("load %s: %v, %v", object, fault, err)
	}
	return p
}

func buffers(t *testing.T, sizes ...int64) []*Buffer {
	t.Helper()
	var all []*Buffer
	for i, size := range sizes {
		b, err := NewBuffer(string(rune('a'+i)), size, i > 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		all = append(all, b)
	}
	return all
}

func TestStartRefusesABadGreeting(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode int64
		want string
	}{
		"an old protocol": {startsOld, `speaks protocol "0"`},
		"garbage":         {startsGarbled, "unknown type"},
		"a fault":         {startsWithFault, "no descriptor 3"},
		"its death":       {startsDying, "exited with code 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config(t)
			cfg.Memory = c.mode
			p, err := Start(t.Context(), cfg)
			if err == nil {
				_ = p.Kill()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Start: %v, want %q", err, c.want)
			}
			empty(t, cfg.Scratch)
		})
	}
}

func TestStartQuotesLastWords(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Memory = startsDying
	_, err := Start(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), "cannot find its library") {
		t.Errorf("Start: %v, want what the process printed", err)
	}
}

func TestStartNamesAMissingEmulator(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Emulator = filepath.Join(cfg.Scratch, "absent")
	if _, err := Start(t.Context(), cfg); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), cfg.Emulator) {
		t.Errorf("Start: %v, want the missing path", err)
	}
}

func TestStartEndsWithItsContext(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Memory = startsMute
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, cfg); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Start: %v, want the context's error", err)
	}
	empty(t, cfg.Scratch)
}

func TestCallComputesInSharedBuffers(t *testing.T) {
	t.Parallel()
	p := load(t, "negate")
	b := buffers(t, 10_000, 10_000)
	b[0].Fill(0x0F)
	b[1].Fill(0xFF)
	if fault, err := p.Map(t.Context(), b); fault != nil || err != nil {
		t.Fatalf("map: %v, %v", fault, err)
	}
	result, fault, err := p.Call(t.Context(), Call{Repeat: 1, Limit: time.Minute})
	if fault != nil || err != nil {
		t.Fatalf("call: %v, %v", fault, err)
	}
	if want := bytes.Repeat([]byte{0xF0}, 10_000); !bytes.Equal(b[1].Data(), want) {
		t.Errorf("output starts with %x, want f0", b[1].Data()[:8])
	}
	if result.Wall != 1500 || len(result.Kernels) != 1 || result.Kernels[0].Block != [3]int64{64, 1, 1} {
		t.Errorf("result = %+v", result)
	}
	if len(result.Findings) != 1 || result.Findings[0].Line != 7 {
		t.Errorf("findings = %+v", result.Findings)
	}
	for _, buffer := range b {
		if before, after := buffer.Damage(); before+after != 0 {
			t.Errorf("guards of %s changed: %d, %d", buffer.Name, before, after)
		}
	}
}

func TestCallSaysEverythingOfTheCall(t *testing.T) {
	t.Parallel()
	p := load(t, "echo")
	call := Call{Flags: FlagChecked | FlagKernels, Schedule: ScheduleSeeded, Seed: 1 << 63, Repeat: 3, Poison: 0xAB, Dims: []int64{7, -1}, Limit: time.Minute}
	result, fault, err := p.Call(t.Context(), call)
	if fault != nil || err != nil {
		t.Fatalf("call: %v, %v", fault, err)
	}
	want := "flags=3 schedule=2 seed=9223372036854775808 repeat=3 poison=ab dim=7 dim=-1"
	if got := result.Findings[0].Evidence; got != want {
		t.Errorf("the worker was told %q, want %q", got, want)
	}
}

func TestGuardsShowAnOverrun(t *testing.T) {
	t.Parallel()
	p := load(t, "overrun")
	b := buffers(t, 100)
	if fault, err := p.Map(t.Context(), b); fault != nil || err != nil {
		t.Fatalf("map: %v, %v", fault, err)
	}
	if _, fault, err := p.Call(t.Context(), Call{Repeat: 1, Limit: time.Minute}); fault != nil || err != nil {
		t.Fatalf("call: %v, %v", fault, err)
	}
	if before, after := b[0].Damage(); before != 3 || after != 0 {
		t.Errorf("Damage = %d, %d; want 3, 0", before, after)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		object string
		kind   FaultKind
		want   string
	}{
		"reported":        {"fault", FaultOutOfBounds, "read x[4096] of 4096 (kernel k, line 12, block (3,0,0), thread (31,0,0))"},
		"exit 0":          {"exit 0", FaultExit, "exited with code 0 instead of returning"},
		"exit 7":          {"exit 7", FaultExit, "exited with code 7"},
		"killed":          {"kill", FaultSignal, "too much memory"},
		"hang":            {"hang", FaultTimeout, "did not end within 300ms"},
		"hangs up, stays": {"hangup", FaultProtocol, "closed its connection"},
		"unknown type":    {`raw "\x00\x00\x00\x00\x09\x00\x00\x00"`, FaultProtocol, "unknown type 9"},
		"second greeting": {`raw "\x00\x00\x00\x00\x01\x00\x00\x00"`, FaultProtocol, "second greeting"},
		"too long":        {`raw "\xff\xff\xff\xff\x02\x00\x00\x00"`, FaultProtocol, "announces 4294967295 bytes"},
		"unknown line":    {`raw "\x04\x00\x00\x00\x02\x00\x00\x00why\n"`, FaultProtocol, `unknown line "why"`},
		"no last newline": {`raw "\x03\x00\x00\x00\x02\x00\x00\x00why"`, FaultProtocol, "has no end"},
		"stops half way":  {`raw "\x03\x00\x00\x00\x02\x00\x00\x00w"`, FaultTimeout, "did not end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := load(t, c.object)
			limit := time.Minute
			if c.kind == FaultTimeout {
				limit = 300 * time.Millisecond
			}
			_, fault, err := p.Call(t.Context(), Call{Repeat: 1, Limit: limit})
			if err != nil || fault == nil || fault.Kind != c.kind || !strings.Contains(fault.Sentence(), c.want) {
				t.Errorf("fault = %+v, error %v; want %s: %q", fault, err, c.kind, c.want)
			}
			if p.alive() {
				t.Error("the process is still there after its fault")
			}
			empty(t, filepath.Dir(p.scratch))
		})
	}
}

func TestCancelKillsAndReturnsTheContextsError(t *testing.T) {
	t.Parallel()
	p := load(t, "hang")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, fault, err := p.Call(ctx, Call{Repeat: 1, Limit: time.Minute})
	if fault != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Call = %v, %v; want context.Canceled", fault, err)
	}
	if p.alive() {
		t.Error("the process outlives the cancelled call")
	}
}

func TestDescendantsDieWithTheProcess(t *testing.T) {
	t.Parallel()
	p := load(t, "leave")
	_, fault, err := p.Call(t.Context(), Call{Repeat: 1, Limit: time.Minute})
	if err != nil || fault == nil || fault.Kind != FaultExit {
		t.Fatalf("call: %v, %v", fault, err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(p.Output()))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "its child is gone", func() bool { return !running(child) })
}

func TestProcessSeesNothingOfOurEnvironment(t *testing.T) {
	t.Setenv("HONE_TEST_SECRET", "key")
	p := load(t, "environment")
	if _, fault, err := p.Call(t.Context(), Call{Repeat: 1, Limit: time.Minute}); fault != nil || err != nil {
		t.Fatalf("call: %v, %v", fault, err)
	}
	_ = p.Close()
	folder, environment, _ := strings.Cut(p.Output(), "\n")
	for _, line := range strings.Fields(environment) {
		name, value, _ := strings.Cut(line, "=")
		switch name {
		case "HOME", "TMPDIR", "PWD":
			if value != folder {
				t.Errorf("%s is %q, want the scratch folder %q", name, value, folder)
			}
		case "LANG", "PATH":
		default:
			t.Errorf("the process was given %s", line)
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	p := load(t, "print 1000000")
	if _, fault, err := p.Call(t.Context(), Call{Repeat: 1, Limit: time.Minute}); fault != nil || err != nil {
		t.Fatalf("call: %v, %v", fault, err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if got := len(p.Output()); got != keptOutput {
		t.Errorf("kept %d bytes, want %d", got, keptOutput)
	}
}

func TestScratchFolderIsRemoved(t *testing.T) {
	t.Parallel()
	p := load(t, "litter")
	if _, fault, err := p.Call(t.Context(), Call{Repeat: 1, Limit: time.Minute}); fault != nil || err != nil {
		t.Fatalf("call: %v, %v", fault, err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	empty(t, filepath.Dir(p.scratch))
}

func TestUseAfterTheEndIsAFault(t *testing.T) {
	t.Parallel()
	p := load(t, "negate")
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Errorf("a second Kill: %v", err)
	}
	_, fault, err := p.Call(t.Context(), Call{Repeat: 1, Limit: time.Minute})
	if err != nil || fault == nil || fault.Kind != FaultSignal {
		t.Errorf("Call = %v, %v; want a fault", fault, err)
	}
}

func TestSignalsInWords(t *testing.T) {
	t.Parallel()
	for signal, want := range map[string]Fault{
		"SEGV": {Kind: FaultSignal, Message: "segmentation fault"},
		"FPE":  {Kind: FaultSignal, Message: "division by zero"},
		"ILL":  {Kind: FaultSignal, Message: "illegal instruction"},
		"USR1": {Kind: FaultSignal, Message: "user defined signal 1"},
		"SYS":  {Kind: FaultForbidden, Message: "forbidden system call"},
	} {
		cmd := exec.Command("/bin/sh", "-c", "kill -"+signal+" $$")
		if err := cmd.Run(); err == nil {
			t.Errorf("SIG%s did not end the shell", signal)
		}
		if fault := faultOfExit(cmd.ProcessState); fault.Kind != want.Kind || !strings.Contains(fault.Message, want.Message) {
			t.Errorf("SIG%s: %+v, want %+v", signal, fault, want)
		}
	}
}

// empty fails the test when the folder still has something in it.
func empty(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) > 0 {
		t.Errorf("left behind in the scratch folder: %v, %v", entries, err)
	}
}

// running reports whether a process is there and no zombie that waits to be reaped.
func running(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	return syscall.Kill(pid, 0) == nil
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so after 5 s: %s", what)
		}
	}
}
