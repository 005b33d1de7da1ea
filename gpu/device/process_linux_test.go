package device

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/hone/gpu/process"
)

const ample = 20 * time.Second

func TestRunsAKernel(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	set, out := trio(t, 1, 2)
	none(t)(p.Map(t.Context(), set))
	result, fault, err := p.Call(t.Context(), Call{Flags: FlagKernels, Repeat: 3, Dims: []int64{actAdd, 4}, Limit: ample})
	none(t)(fault, err)
	for i := range 4 {
		if out.value(i) != 3 {
			t.Errorf("element %d is %v", i, out.value(i))
		}
	}
	if result.Wall <= 0 || len(result.Kernels) != 1 {
		t.Fatalf("result %+v", result)
	}
	k := result.Kernels[0]
	if k.Kernel != "add" || k.Launches != 1 || k.Grid != [3]int64{2, 1, 1} || k.Block != [3]int64{256, 1, 1} || k.SharedBytes != 320 {
		t.Errorf("kernel %+v", k)
	}
	if k.Limiter != "threads" && k.Limiter != "registers" && k.Limiter != "shared memory" && k.Limiter != "blocks" {
		t.Errorf("limiter %q", k.Limiter)
	}
	if k.Registers == nil || *k.Registers != 32 || k.Occupancy == nil || *k.Occupancy != 0.5 {
		t.Errorf("registers %v, occupancy %v", k.Registers, k.Occupancy)
	}
}

func TestSeveralSets(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	first, out := trio(t, 1, 2)
	second, other := trio(t, 10, 20)
	none(t)(p.Map(t.Context(), first, second))
	_, fault, err := p.Call(t.Context(), Call{Set: 1, Dims: []int64{actAdd, 4}, Limit: ample})
	none(t)(fault, err)
	if out.value(0) != 0 || other.value(0) != 30 {
		t.Errorf("the sets hold %v and %v", out.value(0), other.value(0))
	}
}

func TestEachMapHasFreshAddresses(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	seen := map[uint32]bool{}
	last := uint32(0)
	for i := range 5 {
		set, out := trio(t, 1, 2)
		none(t)(p.Map(t.Context(), set))
		_, fault, err := p.Call(t.Context(), Call{Dims: []int64{actTellAddress, 4}, Limit: ample})
		none(t)(fault, err)
		if out.word(0) == last {
			t.Errorf("map %d has the address of the last", i)
		}
		last = out.word(0)
		seen[last] = true
	}
	if len(seen) < 2 {
		t.Error("the addresses never change")
	}
}

func TestFreshMemoryHoldsThePoison(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	set, out := trio(t, 1, 2)
	none(t)(p.Map(t.Context(), set))
	for _, poison := range []byte{0xff, 0x5a} {
		_, fault, err := p.Call(t.Context(), Call{Poison: &poison, Dims: []int64{actFresh, 4}, Limit: ample})
		none(t)(fault, err)
		if out.word(0) != 0x01010101*uint32(poison) {
			t.Errorf("poison %02x: memory holds %08x", poison, out.word(0))
		}
	}
	_, fault, err := p.Call(t.Context(), Call{Dims: []int64{actSymbol, 4}, Limit: ample})
	none(t)(fault, err)
	if out.value(0) != 4 {
		t.Errorf("a device variable has %v bytes", out.value(0))
	}
}

func TestEnvironmentIsGivenByName(t *testing.T) {
	t.Parallel()
	b := fixtureOf(t)
	cfg := b.config(t)
	cfg.Environment = []string{"HONE_TEST=seen"}
	p, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	none(t)(p.Load(t.Context(), b.artifact(), ample))
	set, _ := trio(t, 1, 2)
	none(t)(p.Map(t.Context(), set))
	_, fault, err := p.Call(t.Context(), Call{Dims: []int64{actEnvironment, 4}, Limit: ample})
	none(t)(fault, err)
	if err := p.Close(); err != nil || p.Output() != "seen EAGER\n" {
		t.Errorf("printed %q, %v", p.Output(), err)
	}
}

func TestPoolKeepsProcessesReady(t *testing.T) {
	t.Parallel()
	b := fixtureOf(t)
	cfg := b.config(t)
	pool := NewPool(cfg, 2)
	for range 3 {
		p, err := pool.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		none(t)(p.Load(t.Context(), b.artifact(), ample))
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	pool.Close()
	if left, err := os.ReadDir(cfg.Scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestHangIsKilled(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	set, _ := trio(t, 1, 2)
	none(t)(p.Map(t.Context(), set))
	start := time.Now()
	_, fault, err := p.Call(t.Context(), Call{Dims: []int64{actHang, 4}, Limit: 200 * time.Millisecond})
	if err != nil || fault == nil || fault.Kind != process.FaultTimeout {
		t.Errorf("fault %+v, error %v", fault, err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if err := syscall.Kill(p.PID(), 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process is still there: %v", err)
	}
}

func TestCancelledCall(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	set, _ := trio(t, 1, 2)
	none(t)(p.Map(t.Context(), set))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, fault, err := p.Call(ctx, Call{Dims: []int64{actHang, 4}, Limit: ample}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("fault %+v, error %v", fault, err)
	}
}

func TestContainment(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	layers := p.Layers()
	for _, layer := range []string{"rlimits", "no_new_privs", "landlock", "seccomp"} {
		if state := layers[layer]; state != "on" && !strings.HasPrefix(state, "off: ") {
			t.Errorf("layer %s is %q", layer, state)
		}
	}
	set, _ := trio(t, 1, 2)
	none(t)(p.Map(t.Context(), set))
	if layers["landlock"] == "on" {
		_, fault, err := p.Call(t.Context(), Call{Dims: []int64{actFiles, 4}, Limit: ample})
		none(t)(fault, err)
	}
	if layers["seccomp"] != "on" {
		t.Logf("not tried: seccomp is %s", layers["seccomp"])
		return
	}
	_, fault, err := p.Call(t.Context(), Call{Dims: []int64{actSocket, 4}, Limit: ample})
	if err != nil || fault == nil || fault.Kind != process.FaultForbidden || !strings.Contains(fault.Message, "socket") {
		t.Errorf("fault %+v, error %v", fault, err)
	}
	if layers["landlock"] == "on" && p.Output() != "inside 1 outside 0 read 0\n" {
		t.Errorf("the process printed %q", p.Output())
	}
}

func TestForkIsForbidden(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	if p.Layers()["seccomp"] != "on" {
		t.Skipf("seccomp is %s", p.Layers()["seccomp"])
	}
	set, _ := trio(t, 1, 2)
	none(t)(p.Map(t.Context(), set))
	_, fault, err := p.Call(t.Context(), Call{Dims: []int64{actFork, 4}, Limit: ample})
	if err != nil || fault == nil || fault.Kind != process.FaultForbidden {
		t.Errorf("fault %+v, error %v", fault, err)
	}
}

func TestStartSaysWhyNot(t *testing.T) {
	t.Parallel()
	b := fixtureOf(t)
	fake := func(t *testing.T, flags ...string) string {
		path := t.TempDir() + "/libcuda.so.1"
		if err := shared("libcuda.cpp", path, flags...); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		name    string
		change  func(t *testing.T, c *Config)
		kind    process.FaultKind
		message string
	}{
		{"no libcuda", func(_ *testing.T, c *Config) { c.Driver = "/no/such/libcuda.so.1" }, FaultDriver, "/no/such/libcuda.so.1"},
		{"no libcuda at all", func(_ *testing.T, c *Config) { c.Driver = b.host }, FaultDriver, "libcuda has no cuInit"},
		{"an old driver", func(t *testing.T, c *Config) { c.Driver = fake(t, "-DFAKE_VERSION=11080") }, FaultDriver, "supports CUDA 11.8"},
		{"a driver that does not start", func(t *testing.T, c *Config) { c.Driver = fake(t, "-DFAKE_INIT=304") }, FaultDevice, "cuInit: error number 304"},
		{"no such device", func(_ *testing.T, c *Config) { c.Device = 3 }, FaultDevice, "there is no device 3: the driver shows 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := b.config(t)
			tt.change(t, &cfg)
			_, err := Start(t.Context(), cfg)
			var start *process.StartError
			if !errors.As(err, &start) || start.Fault.Kind != tt.kind || !strings.Contains(err.Error(), tt.message) {
				t.Errorf("error %v", err)
			}
			if left, _ := os.ReadDir(cfg.Scratch); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestProgramRefusesToRunAlone(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(fixtureOf(t).program).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "descriptor 3") {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestProgramRefusesUnknownArguments(t *testing.T) {
	t.Parallel()
	cfg := fixtureOf(t).config(t)
	for _, bad := range []string{"device=x", "speed=1", "fast"} {
		script := t.TempDir() + "/worker"
		text := "#!/bin/sh\nexec " + cfg.Program + " " + bad + "\n"
		if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := Start(t.Context(), Config{Program: script, Scratch: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), "unknown argument "+bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestProgramThatIsNone(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"/no/such/program", "/bin/true"} {
		if _, err := Start(t.Context(), Config{Program: program, Scratch: t.TempDir()}); err == nil {
			t.Errorf("%s was started", program)
		}
	}
}

func TestManyProcessesLeaveNothing(t *testing.T) {
	t.Parallel()
	b := fixtureOf(t)
	cfg := b.config(t)
	for i := range 20 {
		p, err := Start(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		none(t)(p.Load(t.Context(), b.artifact(), ample))
		end := p.Close
		if i%2 == 0 {
			end = p.Kill
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		if err := syscall.Kill(p.PID(), 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is still there: %v", p.PID(), err)
		}
	}
	if left, err := os.ReadDir(cfg.Scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
