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

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/worker"
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
	for _, l2 := range []int64{0, 1 << 16} {
		result, fault, err := p.Time(t.Context(), Timing{Samples: 101, Warmup: 1, L2: l2, Dims: []int64{actAdd, 4}, Limit: ample})
		none(t)(fault, err)
		if len(result.Samples) != 101 || result.Wall <= 0 || result.Empty < 0 {
			t.Errorf("result %+v", result)
		}
	}
	if out.value(0) != 3 {
		t.Errorf("timing did not use the first set: %v", out.value(0))
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

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		dims    []int64
		flags   int
		kind    worker.FaultKind
		kernel  string
		message string
	}{
		{"an illegal address", []int64{actError, 700}, 0, worker.FaultAddress, "error", "error number 700 (CUDA_ERROR_700)"},
		{"an address of another space", []int64{actError, 717}, 0, worker.FaultAddress, "error", "717"},
		{"a misaligned address", []int64{actError, 716}, 0, FaultMisaligned, "error", "716"},
		{"an assert", []int64{actError, 710}, 0, FaultAssert, "error", "710"},
		{"a trap", []int64{actError, 719}, 0, FaultLaunch, "error", "719"},
		{"an illegal instruction", []int64{actError, 715}, 0, FaultLaunch, "error", "715"},
		{"one of two kernels", []int64{actTwoKernels, 4}, 0, worker.FaultAddress, "", "700"},
		{"one of two kernels, placed", []int64{actTwoKernels, 4}, FlagPlace, worker.FaultAddress, "error", "700"},
		{"a launch that did not happen", []int64{actRefuse, 701}, 0, worker.FaultCUDA, "refuse",
			"the launch of refuse with grid (2,1,1), block (32,1,1) and 64 bytes of shared memory failed"},
		{"too many threads", []int64{actTooManyThreads, 4}, 0, worker.FaultCUDA, "add", "block (2048,1,1)"},
		{"arguments of another kernel", []int64{actWrongArguments, 4}, 0, worker.FaultLoad, "add", "passes 2 arguments, the kernel takes 4"},
		{"too much memory", []int64{actAllocate, 4}, 0, worker.FaultMemory, "", "cudaMalloc of 1099511627776 bytes failed"},
		{"an exception", []int64{actThrow, 4}, 0, worker.FaultAbort, "", "no luck today"},
		{"exit", []int64{actExit, 4}, 0, worker.FaultExit, "", "solve called exit"},
		{"exit at once", []int64{actExitAtOnce, 4}, 0, worker.FaultExit, "", "code 7"},
		{"abort", []int64{actAbort, 4}, 0, worker.FaultAbort, "", "abort"},
		{"a null pointer", []int64{actNull, 4}, 0, worker.FaultAddress, "", "null pointer"},
		{"a store to an input", []int64{actWriteInput, 4}, 0, worker.FaultAddress, "", "host code used buffer a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := loaded(t)
			set, _ := trio(t, 1, 2)
			none(t)(p.Map(t.Context(), set))
			_, fault, err := p.Call(t.Context(), Call{Flags: tt.flags, Dims: tt.dims, Limit: ample})
			if err != nil || fault == nil {
				t.Fatalf("fault %v, error %v", fault, err)
			}
			if fault.Kind != tt.kind || fault.Kernel != tt.kernel || !strings.Contains(fault.Message, tt.message) {
				t.Errorf("fault %+v", *fault)
			}
			if err := syscall.Kill(p.PID(), 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("the process is still there: %v", err)
			}
		})
	}
}

func TestErrorsThatAreAskedForAreNoFault(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	set, _ := trio(t, 1, 2)
	none(t)(p.Map(t.Context(), set))
	for range 2 {
		_, fault, err := p.Call(t.Context(), Call{Dims: []int64{actRefuseAndAsk, 701}, Limit: ample})
		none(t)(fault, err)
	}
}

func TestFaultsWhileTimed(t *testing.T) {
	t.Parallel()
	for code, kind := range map[int64]worker.FaultKind{700: worker.FaultAddress, 716: FaultMisaligned} {
		p := loaded(t)
		set, _ := trio(t, 1, 2)
		none(t)(p.Map(t.Context(), set))
		_, fault, err := p.Time(t.Context(), Timing{Samples: 5, Dims: []int64{actError, code}, Limit: ample})
		if err != nil || fault == nil || fault.Kind != kind || fault.Kernel != "error" {
			t.Errorf("code %d: fault %+v, error %v", code, fault, err)
		}
	}
}

func TestHangIsKilled(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	set, _ := trio(t, 1, 2)
	none(t)(p.Map(t.Context(), set))
	start := time.Now()
	_, fault, err := p.Call(t.Context(), Call{Dims: []int64{actHang, 4}, Limit: 200 * time.Millisecond})
	if err != nil || fault == nil || fault.Kind != worker.FaultTimeout {
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
	if err != nil || fault == nil || fault.Kind != worker.FaultForbidden || !strings.Contains(fault.Message, "socket") {
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
	if err != nil || fault == nil || fault.Kind != worker.FaultForbidden {
		t.Errorf("fault %+v, error %v", fault, err)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		request func(t *testing.T, p *Process) (*worker.Fault, error)
		kind    worker.FaultKind
		message string
	}{
		{"no such object", func(t *testing.T, p *Process) (*worker.Fault, error) {
			a := fixtureOf(t).artifact()
			a.Host.Path = "/no/such/object.so"
			return p.Load(t.Context(), a, ample)
		}, worker.FaultLoad, "/no/such/object.so"},
		{"a cubin that is none", func(t *testing.T, p *Process) (*worker.Fault, error) {
			a := fixtureOf(t).artifact()
			a.Device.Path = a.Host.Path
			return p.Load(t.Context(), a, ample)
		}, worker.FaultLoad, "the cubin cannot be loaded"},
		{"a kernel that the cubin lacks", func(t *testing.T, p *Process) (*worker.Fault, error) {
			a := fixtureOf(t).artifact()
			a.Kernels = []compile.DeviceKernel{{Name: "k", Lowered: "absent", Variable: "k_add", Function: "add"}}
			return p.Load(t.Context(), a, ample)
		}, worker.FaultLoad, "the module has no absent"},
		{"a kernel that the object lacks", func(t *testing.T, p *Process) (*worker.Fault, error) {
			a := fixtureOf(t).artifact()
			a.Kernels = []compile.DeviceKernel{{Name: "k", Lowered: "k", Variable: "k_none", Function: "add"}}
			return p.Load(t.Context(), a, ample)
		}, worker.FaultLoad, "the host part has no k_none"},
		{"a call before the load", func(t *testing.T, p *Process) (*worker.Fault, error) {
			_, fault, err := p.Call(t.Context(), Call{Limit: ample})
			return fault, err
		}, FaultRequest, "no module has been loaded"},
		{"a set that was not mapped", func(t *testing.T, p *Process) (*worker.Fault, error) {
			none(t)(p.Load(t.Context(), fixtureOf(t).artifact(), ample))
			_, fault, err := p.Call(t.Context(), Call{Limit: ample})
			return fault, err
		}, FaultRequest, "there is no set 0"},
		{"a second module", func(t *testing.T, p *Process) (*worker.Fault, error) {
			none(t)(p.Load(t.Context(), fixtureOf(t).artifact(), ample))
			return p.Load(t.Context(), fixtureOf(t).artifact(), ample)
		}, FaultRequest, "one module"},
		{"a tensor outside of its memory", func(t *testing.T, p *Process) (*worker.Fault, error) {
			set, _ := trio(t, 1, 2)
			set[1].Offset = set[1].Size
			return p.Map(t.Context(), set)
		}, FaultRequest, "buffer b: 16 bytes at 8192 lie outside of 8192"},
		{"a cache too large", func(t *testing.T, p *Process) (*worker.Fault, error) {
			none(t)(p.Load(t.Context(), fixtureOf(t).artifact(), ample))
			_, fault, err := p.Time(t.Context(), Timing{Samples: 1, L2: 1 << 40, Limit: ample})
			return fault, err
		}, FaultRequest, "out of range"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fault, err := tt.request(t, started(t))
			if err != nil || fault == nil || fault.Kind != tt.kind || !strings.Contains(fault.Message, tt.message) {
				t.Errorf("fault %+v, error %v", fault, err)
			}
		})
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
		kind    worker.FaultKind
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
			var start *StartError
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
