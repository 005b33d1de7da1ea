package device

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/process"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		dims    []int64
		flags   int
		kind    process.FaultKind
		kernel  string
		message string
	}{
		{"an illegal address", []int64{actError, 700}, 0, process.FaultAddress, "error", "error number 700 (CUDA_ERROR_700)"},
		{"an address of another space", []int64{actError, 717}, 0, process.FaultAddress, "error", "717"},
		{"a misaligned address", []int64{actError, 716}, 0, FaultMisaligned, "error", "716"},
		{"an assert", []int64{actError, 710}, 0, FaultAssert, "error", "710"},
		{"a trap", []int64{actError, 719}, 0, FaultLaunch, "error", "719"},
		{"an illegal instruction", []int64{actError, 715}, 0, FaultLaunch, "error", "715"},
		{"one of two kernels", []int64{actTwoKernels, 4}, 0, process.FaultAddress, "", "700"},
		{"one of two kernels, placed", []int64{actTwoKernels, 4}, FlagPlace, process.FaultAddress, "error", "700"},
		{"a launch that did not happen", []int64{actRefuse, 701}, 0, process.FaultCUDA, "refuse",
			"the launch of refuse with grid (2,1,1), block (32,1,1) and 64 bytes of shared memory failed"},
		{"too many threads", []int64{actTooManyThreads, 4}, 0, process.FaultCUDA, "add", "block (2048,1,1)"},
		{"arguments of another kernel", []int64{actWrongArguments, 4}, 0, process.FaultLoad, "add", "passes 2 arguments, the kernel takes 4"},
		{"too much memory", []int64{actAllocate, 4}, 0, process.FaultMemory, "", "cudaMalloc of 1099511627776 bytes failed"},
		{"an exception", []int64{actThrow, 4}, 0, process.FaultAbort, "", "no luck today"},
		{"exit", []int64{actExit, 4}, 0, process.FaultExit, "", "solve called exit"},
		{"exit at once", []int64{actExitAtOnce, 4}, 0, process.FaultExit, "", "code 7"},
		{"abort", []int64{actAbort, 4}, 0, process.FaultAbort, "", "abort"},
		{"a null pointer", []int64{actNull, 4}, 0, process.FaultAddress, "", "null pointer"},
		{"a store to an input", []int64{actWriteInput, 4}, 0, process.FaultAddress, "", "host code used buffer a"},
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

// TestObjectWithItsOwnRuntime loads one as nvcc builds it: without a cubin.
func TestObjectWithItsOwnRuntime(t *testing.T) {
	t.Parallel()
	p := started(t)
	none(t)(p.Load(t.Context(), compile.DeviceArtifact{NVCC: true, Host: compile.Part{Path: fixtureOf(t).host}}, ample))
	set, _ := trio(t, 1, 2)
	none(t)(p.Map(t.Context(), set))
	result, fault, err := p.Call(t.Context(), Call{Flags: FlagKernels, Dims: []int64{actRuntimeError, 0}, Limit: ample})
	none(t)(fault, err)
	if len(result.Kernels) > 0 {
		t.Errorf("kernels %+v", result.Kernels)
	}
	_, fault, err = p.Call(t.Context(), Call{Dims: []int64{actRuntimeError, 9}, Limit: ample})
	if err != nil || fault == nil || fault.Kind != process.FaultCUDA || !strings.Contains(fault.Message, "invalid configuration") {
		t.Errorf("fault %+v, error %v", fault, err)
	}
}

// TestRefusesWhatCannotBeAsked is about requests that never reach the process.
func TestRefusesWhatCannotBeAsked(t *testing.T) {
	t.Parallel()
	p := loaded(t)
	for name, bad := range map[string]Timing{
		"no samples":       {Method: Warm, Limit: ample},
		"too many samples": {Method: Warm, Samples: MaxSamples + 1, Limit: ample},
		"no method":        {Samples: 1, Limit: ample},
		"another method":   {Method: "lukewarm", Samples: 1, Limit: ample},
		"cold, no cache":   {Method: Cold, Samples: 1, Limit: ample},
	} {
		if _, _, err := p.Time(t.Context(), bad); err == nil {
			t.Errorf("%s: timed", name)
		}
	}
	a := fixtureOf(t).artifact()
	a.Variables = []string{"one\ntwo"}
	if _, err := p.Load(t.Context(), a, ample); err == nil {
		t.Error("a name with a line break was sent")
	}
	set, out := trio(t, 1, 2)
	var many [][]Buffer
	for range MaxBuffers/len(set) + 1 {
		many = append(many, set)
	}
	if _, err := p.Map(t.Context(), many...); err == nil {
		t.Error("too many buffers were sent")
	}
	none(t)(p.Map(t.Context(), set)) // the process never knew
	_, fault, err := p.Call(t.Context(), Call{Dims: []int64{actAdd, 4}, Limit: ample})
	none(t)(fault, err)
	if out.value(3) != 3 {
		t.Errorf("the sum is %v", out.value(3))
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
	for code, kind := range map[int64]process.FaultKind{700: process.FaultAddress, 716: FaultMisaligned} {
		for _, method := range []Method{Cold, Warm, Sustained, Graph} {
			p := loaded(t)
			set, _ := trio(t, 1, 2)
			none(t)(p.Map(t.Context(), set))
			_, fault, err := p.Time(t.Context(), Timing{Method: method, Samples: 5, L2: 1 << 16, Dims: []int64{actError, code}, Limit: ample})
			if err != nil || fault == nil || fault.Kind != kind || fault.Kernel != "error" {
				t.Errorf("%s, code %d: fault %+v, error %v", method, code, fault, err)
			}
		}
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		request func(t *testing.T, p *Process) (*process.Fault, error)
		kind    process.FaultKind
		message string
	}{
		{"no such object", func(t *testing.T, p *Process) (*process.Fault, error) {
			a := fixtureOf(t).artifact()
			a.Host.Path = "/no/such/object.so"
			return p.Load(t.Context(), a, ample)
		}, process.FaultLoad, "/no/such/object.so"},
		{"a cubin that is none", func(t *testing.T, p *Process) (*process.Fault, error) {
			a := fixtureOf(t).artifact()
			a.Device.Path = a.Host.Path
			return p.Load(t.Context(), a, ample)
		}, process.FaultLoad, "the cubin cannot be loaded"},
		{"a kernel that the cubin lacks", func(t *testing.T, p *Process) (*process.Fault, error) {
			a := fixtureOf(t).artifact()
			a.Kernels = []compile.DeviceKernel{{Name: "k", Lowered: "absent", Variable: "k_add", Function: "add"}}
			return p.Load(t.Context(), a, ample)
		}, process.FaultLoad, "the module has no absent"},
		{"a kernel that the object lacks", func(t *testing.T, p *Process) (*process.Fault, error) {
			a := fixtureOf(t).artifact()
			a.Kernels = []compile.DeviceKernel{{Name: "k", Lowered: "k", Variable: "k_none", Function: "add"}}
			return p.Load(t.Context(), a, ample)
		}, process.FaultLoad, "the host part has no k_none"},
		{"a call before the load", func(t *testing.T, p *Process) (*process.Fault, error) {
			_, fault, err := p.Call(t.Context(), Call{Limit: ample})
			return fault, err
		}, FaultRequest, "no module has been loaded"},
		{"a set that was not mapped", func(t *testing.T, p *Process) (*process.Fault, error) {
			none(t)(p.Load(t.Context(), fixtureOf(t).artifact(), ample))
			_, fault, err := p.Call(t.Context(), Call{Limit: ample})
			return fault, err
		}, FaultRequest, "there is no set 0"},
		{"a second module", func(t *testing.T, p *Process) (*process.Fault, error) {
			none(t)(p.Load(t.Context(), fixtureOf(t).artifact(), ample))
			return p.Load(t.Context(), fixtureOf(t).artifact(), ample)
		}, FaultRequest, "one module"},
		{"a tensor outside of its memory", func(t *testing.T, p *Process) (*process.Fault, error) {
			set, _ := trio(t, 1, 2)
			set[1].Offset = set[1].Size
			return p.Map(t.Context(), set)
		}, FaultRequest, "buffer b: 16 bytes at 8192 lie outside of 8192"},
		{"a cache too large", func(t *testing.T, p *Process) (*process.Fault, error) {
			none(t)(p.Load(t.Context(), fixtureOf(t).artifact(), ample))
			set, _ := trio(t, 1, 2)
			none(t)(p.Map(t.Context(), set))
			_, fault, err := p.Time(t.Context(), Timing{Method: Cold, Samples: 1, L2: 1 << 40, Limit: ample})
			return fault, err
		}, FaultRequest, "out of range"},
		{"timing without buffers", func(t *testing.T, p *Process) (*process.Fault, error) {
			none(t)(p.Load(t.Context(), fixtureOf(t).artifact(), ample))
			_, fault, err := p.Time(t.Context(), Timing{Method: Warm, Samples: 1, Limit: ample})
			return fault, err
		}, FaultRequest, "no buffers"},
		{"timing from a set that was not mapped", func(t *testing.T, p *Process) (*process.Fault, error) {
			none(t)(p.Load(t.Context(), fixtureOf(t).artifact(), ample))
			set, _ := trio(t, 1, 2)
			none(t)(p.Map(t.Context(), set))
			_, fault, err := p.Time(t.Context(), Timing{Method: Warm, Samples: 1, First: 1, Limit: ample})
			return fault, err
		}, FaultRequest, "there is no set 1"},
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
