package cuda

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// openDevice is the first device, or the end of the test where there is none.
func openDevice(t testing.TB) *Device {
	t.Helper()
	driver, err := Open(Options{})
	if u, ok := errors.AsType[*Unavailable](err); ok {
		t.Skipf("no device: %v", u)
	}
	if err != nil {
		t.Fatal(err)
	}
	dev, err := driver.Device(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return dev
}

// stopped ends a function on the device's goroutine, where FailNow must not be
// called.
type stopped struct{}

// onDevice runs a test's function with the first device.
func onDevice(t *testing.T, run func(*testing.T, *Context)) {
	t.Helper()
	t.Parallel()
	err := openDevice(t).Do(t.Context(), func(c *Context) error {
		defer func() {
			if r := recover(); r != nil && r != any(stopped{}) {
				panic(r)
			}
		}()
		run(t, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// must ends the function of onDevice on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
		panic(stopped{})
	}
}

// try is a result, or the end of the function of onDevice on an error.
func try[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// kernel compiles a program for the device and finds one kernel of it.
func kernel(t testing.TB, c *Context, source, expression string) Function {
	t.Helper()
	compiler, err := OpenCompiler(Options{Packages: testOptions().Packages, Major: c.device.facts.CUDA.Major})
	must(t, err)
	o, err := compiler.Compile(Program{Name: "test.cu", Source: source, Expressions: []string{expression},
		Options: []string{"--gpu-architecture=" + c.device.facts.SM()}})
	must(t, err)
	if o.Cubin == nil {
		must(t, fmt.Errorf("does not compile: %s", o.Log))
	}
	m := try[Module](t)(c.Load(o.Cubin))
	return try[Function](t)(c.Function(m, o.Lowered[expression]))
}

func TestDeviceFacts(t *testing.T) {
	t.Parallel()
	f := openDevice(t).Facts()
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", text)
	if f.Name == "" || f.Capability.Major < 5 || f.SMs < 1 || f.WarpSize != 32 || f.Memory < 1<<30 || f.L2 < 1<<17 {
		t.Errorf("not to be believed: %+v", f)
	}
}

func TestDeviceComputes(t *testing.T) {
	onDevice(t, func(t *testing.T, c *Context) {
		const n = 1_000_003
		f := kernel(t, c, scaleSource, "scale<float>")
		host := make([]byte, 4*(n+1))
		for i := range n + 1 {
			binary.LittleEndian.PutUint32(host[4*i:], math.Float32bits(float32(i)))
		}
		x := try[Pointer](t)(c.Alloc(uint64(len(host))))
		must(t, c.Upload(x, host))
		s := try[Stream](t)(c.NewStream())
		must(t, c.Launch(f, Launch{Grid: Dim{(n + 255) / 256, 1, 1}, Block: Dim{256, 1, 1}, Stream: s}, x, float32(3), int64(n)))
		must(t, c.SynchronizeStream(s))
		must(t, c.Download(host, x))
		wrong := 0
		for i := range n + 1 {
			want := float32(i) * 3
			if i == n {
				want = n // beyond the end
			}
			if math.Float32frombits(binary.LittleEndian.Uint32(host[4*i:])) != want {
				wrong++
			}
		}
		if wrong > 0 {
			t.Errorf("%d of %d elements are wrong", wrong, n+1)
		}
		must(t, c.CloseStream(s))
		must(t, c.Free(x))
	})
}

func TestDeviceMemory(t *testing.T) {
	onDevice(t, func(t *testing.T, c *Context) {
		free, total, err := c.MemoryInfo()
		must(t, err)
		if free == 0 || free > total {
			t.Errorf("%d of %d bytes free", free, total)
		}
		a, b := try[Pointer](t)(c.Alloc(64)), try[Pointer](t)(c.Alloc(64))
		must(t, c.Fill32(a, 0x04030201, 16, 0))
		must(t, c.Fill8(a+4, 0xee, 2, 0))
		must(t, c.Copy(b, a, 64, 0))
		pinned := try[HostMemory](t)(c.AllocHost(64))
		must(t, c.DownloadTo(pinned, b, 64, 0))
		must(t, c.Synchronize())
		if got := pinned.Bytes()[:9]; !bytes.Equal(got, []byte{1, 2, 3, 4, 0xee, 0xee, 3, 4, 1}) {
			t.Errorf("the device holds % x", got)
		}
		copy(pinned.Bytes(), "hone")
		must(t, c.UploadFrom(a, pinned, 4, 0))
		back := make([]byte, 5)
		must(t, c.Download(back, a))
		if string(back) != "hone\xee" {
			t.Errorf("the device holds %q", back)
		}
		if err := c.UploadFrom(a, pinned, 65, 0); err == nil {
			t.Error("copied beyond the end of pinned memory")
		}
		must(t, errors.Join(c.Free(a), c.Free(b), c.FreeHost(pinned)))
	})
}

func TestDeviceRunsOutOfMemory(t *testing.T) {
	onDevice(t, func(t *testing.T, c *Context) {
		if _, err := c.Alloc(1 << 46); codeOf(err) != 2 || Sticky(err) {
			t.Errorf("error %v", err)
		}
		must(t, c.Free(try[Pointer](t)(c.Alloc(1))))
	})
}

const sharedSource = `
template <typename T>
__global__ void reverse(T* x) {
    extern __shared__ char bytes[];
    T* block = reinterpret_cast<T*>(bytes);
    block[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = block[blockDim.x - 1 - threadIdx.x];
}
`

func TestDeviceKernelResources(t *testing.T) {
	onDevice(t, func(t *testing.T, c *Context) {
		const shared = 64 << 10
		f := kernel(t, c, sharedSource, "reverse<int>")
		x := try[Pointer](t)(c.Alloc(4096))
		l := Launch{Grid: Dim{1, 1, 1}, Block: Dim{256, 1, 1}, Shared: shared}
		if err := c.Launch(f, l, x); codeOf(err) != 1 {
			t.Errorf("launched with %d bytes of shared memory without asking: %v", shared, err)
		}
		must(t, c.AllowDynamicShared(f, shared))
		must(t, c.Launch(f, l, x))
		must(t, c.Synchronize())
		r := try[Resources](t)(c.Resources(f))
		if r.Registers < 1 || r.MaxThreadsPerBlock != 1024 || r.Shared != 0 || r.MaxDynamicShared != shared {
			t.Errorf("resources %+v", r)
		}
		want := c.device.facts.SharedPerSM / (shared + 1024) // each block has 1 KiB of the system's
		if got := try[int](t)(c.Occupancy(f, 256, shared)); got != want {
			t.Errorf("%d blocks per multiprocessor, want %d", got, want)
		}
		if p := try[[]Parameter](t)(c.Parameters(f)); p != nil && !slices.Equal(p, []Parameter{{0, 8}}) {
			t.Errorf("parameters %v", p)
		}
		must(t, c.Free(x))
	})
}

func TestDeviceRefusesBadModules(t *testing.T) {
	onDevice(t, func(t *testing.T, c *Context) {
		if _, err := c.Load([]byte("no cubin")); err == nil || Sticky(err) {
			t.Errorf("error %v", err)
		}
		if _, err := c.Load(nil); err == nil {
			t.Error("loaded nothing")
		}
		m := try[Module](t)(c.Load([]byte(".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k() { ret; }\n")))
		if _, err := c.Function(m, "absent"); codeOf(err) != 500 || !strings.Contains(err.Error(), "absent") {
			t.Errorf("error %v", err)
		}
		try[Function](t)(c.Function(m, "k"))
		must(t, c.Unload(m))
	})
}

func TestDeviceTimesAnEmptyKernel(t *testing.T) {
	onDevice(t, func(t *testing.T, c *Context) {
		m := try[Module](t)(c.Load([]byte(".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k() { ret; }\n")))
		f := try[Function](t)(c.Function(m, "k"))
		from, to := try[Event](t)(c.NewEvent()), try[Event](t)(c.NewEvent())
		s := try[Stream](t)(c.NewStream())
		var times []time.Duration
		for range 201 {
			must(t, c.Record(from, s))
			must(t, c.Launch(f, Launch{Grid: Dim{1, 1, 1}, Block: Dim{1, 1, 1}, Stream: s}))
			must(t, c.Record(to, s))
			must(t, c.SynchronizeEvent(to))
			times = append(times, try[time.Duration](t)(c.Elapsed(from, to)))
		}
		if passed, err := c.Passed(to); !passed || err != nil {
			t.Errorf("an event after its end: %t, %v", passed, err)
		}
		slices.Sort(times)
		t.Logf("an empty kernel between two events: median %s, least %s, most %s", times[100], times[0], times[200])
		if times[100] <= 0 || times[100] > time.Millisecond {
			t.Errorf("median %s", times[100])
		}
		must(t, errors.Join(c.CloseEvent(from), c.CloseEvent(to), c.CloseStream(s), c.Unload(m)))
	})
}

func TestDeviceMonitor(t *testing.T) {
	t.Parallel()
	dev := openDevice(t)
	m, err := OpenMonitor(Options{}, dev.Facts().BusID)
	if u, ok := errors.AsType[*Unavailable](err); ok {
		t.Skipf("no NVML: %v", u)
	}
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	r := m.Read()
	took := time.Since(start)
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("driver %s, read in %s: %s", m.DriverVersion(), took.Round(10*time.Microsecond), text)
	if m.DriverVersion() == "" || r.Clock == nil || *r.Clock < 1 || r.Temperature == nil || *r.Temperature < 1 || r.Throttle == nil {
		t.Error("a device tells at least its clock, temperature and throttle reasons")
	}
}

func BenchmarkDeviceLaunch(b *testing.B) {
	dev := openDevice(b)
	err := dev.Do(b.Context(), func(c *Context) error {
		f := kernel(b, c, scaleSource, "scale<float>")
		l := Launch{Grid: Dim{1, 1, 1}, Block: Dim{32, 1, 1}}
		for b.Loop() {
			if err := c.Launch(f, l, Pointer(0), float32(1), int64(0)); err != nil {
				return err
			}
		}
		return c.Synchronize()
	})
	if err != nil {
		b.Fatal(err)
	}
}

func BenchmarkDeviceDo(b *testing.B) {
	dev := openDevice(b)
	for b.Loop() {
		if err := dev.Do(b.Context(), func(*Context) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
