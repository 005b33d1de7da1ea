//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fakeLibraries compiles libraries that hold no more than fake.c says, under the
// names of the real ones. Hidden functions are missing from them.
func fakeLibraries(t testing.TB, defines []string, hidden ...string) Options {
	t.Helper()
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to compile a fake driver with")
	}
	dir := t.TempDir()
	args := []string{"-shared", "-fPIC", "-w", "-o", filepath.Join(dir, "libcuda.so.1"), "testdata/default.c", "testdata/fake.c"}
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	if len(hidden) > 0 {
		script := filepath.Join(dir, "hidden.map")
		if err := os.WriteFile(script, []byte("{ local: "+strings.Join(hidden, "; ")+"; };\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "-Wl,--version-script="+script)
	}
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("compile the fake driver: %v\n%s", err, out)
	}
	for _, name := range []string{"libnvidia-ml.so.1", "libnvrtc.so.12"} {
		if err := os.Link(filepath.Join(dir, "libcuda.so.1"), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return Options{Drivers: []string{dir}}
}

func openFake(t testing.TB, defines ...string) *Driver {
	t.Helper()
	d, err := Open(fakeLibraries(t, defines))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// onFake runs a function on the device of a fake driver.
func onFake(t *testing.T, run func(*Context) error, defines ...string) {
	t.Helper()
	dev, err := openFake(t, defines...).Device(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := dev.Do(t.Context(), run); err != nil {
		t.Error(err)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenSaysWhyNot(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		defines []string
		hidden  []string
		cause   Cause
		reason  string // part of it
		remedy  string // part of it
	}{
		{"function missing", nil, []string{"cuMemMap"}, NoSymbol, "libcuda has no function cuMemMap", "too old"},
		{"old driver", []string{"VERSION=11040"}, nil, OldDriver, "supports CUDA 11.4, and hone needs 12.0", "driver 525"},
		{"no device", []string{"INIT=100"}, nil, NoDevice, "finds no device", "CUDA_VISIBLE_DEVICES"},
		{"sandbox", []string{"INIT=304"}, nil, NoPermission, "refused the NVIDIA driver", "/proc/self/task/*/comm"},
		{"broken driver", []string{"INIT=999"}, nil, Failed, "CUDA_ERROR_FAKE_999", "nvidia-uvm"},
		{"stub", []string{"INIT=34"}, nil, NoLibrary, "stub", "LD_LIBRARY_PATH"},
		{"busy", []string{"INIT=46"}, nil, InUse, "another process", "compute mode"},
		{"starting", []string{"INIT=802"}, nil, Failed, "not ready", "fabric manager"},
		{"mismatch", []string{"INIT=803"}, nil, OldDriver, "do not match", "restart"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := open(fakeLibraries(t, tt.defines, tt.hidden...), t.TempDir())
			u, ok := errors.AsType[*Unavailable](err)
			if !ok {
				t.Fatalf("error %v is no Unavailable", err)
			}
			if u.Cause != tt.cause || !strings.Contains(u.Reason, tt.reason) || !strings.Contains(u.Remedy, tt.remedy) {
				t.Errorf("%s: %s -> %s", u.Cause, u.Reason, u.Remedy)
			}
		})
	}
}

func TestOpenWithoutLibrary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "libnvidia-ml.so.1"), []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := load("NVML", "nvml", []string{"libnone.so.1", filepath.Join(dir, "libnvidia-ml.so.1")}); err == nil {
		t.Error("a text file was loaded")
	} else if u, ok := errors.AsType[*Unavailable](err); !ok || u.Cause != NoLibrary || !strings.Contains(u.Reason, "NVML cannot be loaded: "+dir) {
		t.Errorf("%v does not name the file that could not be loaded", err)
	}
	if _, err := load("NVML", "nvml", []string{"libnone.so.1", filepath.Join(dir, "none.so")}); err == nil || !strings.HasPrefix(err.Error(), "NVML was not found") {
		t.Errorf("error %v", err)
	}
}

func TestNoDeviceOrNoPermission(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root may open every file")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "nvidiactl"), nil, 0o000); err != nil {
		t.Fatal(err)
	}
	if cause, reason, _ := noDevice(dir); cause != NoPermission || !strings.Contains(reason, "nvidiactl") {
		t.Errorf("%s: %s", cause, reason)
	}
}

func TestFactsAreReadWhereTheyBelong(t *testing.T) {
	t.Parallel()
	f, err := openFake(t).Facts(0)
	if err != nil {
		t.Fatal(err)
	}
	want := Facts{
		Name: "Fake 0", ID: f.ID, CUDA: Version{13, 0}, Capability: Version{75000, 76000},
		L2: 38000, BusWidth: 37000, ECC: true, Clock: 13, MemoryClock: 36, SMs: 16000, WarpSize: 10000,
		MaxThreadsPerBlock: 1000, MaxThreadsPerSM: 39000, MaxBlocksPerSM: 106000, RegistersPerSM: 82000,
		SharedPerSM: 81000, SharedPerBlock: 8000, SharedPerBlockOptIn: 97000, ShareMemory: true,
	}
	if f != want {
		t.Errorf("facts\n%+v, want\n%+v", f, want)
	}
	if len(f.ID) != 16 || strings.Contains(f.ID, "0707") {
		t.Errorf("ID %q is no hash", f.ID)
	}
}

func TestDeviceThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, define string
		index        int
		cause        Cause
	}{
		{"none", "COUNT=0", 0, NoDevice},
		{"exclusive mode", "RETAIN=46", 0, InUse},
		{"memory full", "RETAIN=2", 0, InUse},
		{"beyond the last", "COUNT=1", 1, ""},
		{"negative", "COUNT=1", -1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := openFake(t, tt.define).Device(tt.index)
			if err == nil {
				t.Fatal("opened")
			}
			u, ok := errors.AsType[*Unavailable](err)
			if ok != (tt.cause != "") || ok && u.Cause != tt.cause {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestStickyErrorEndsTheDevice(t *testing.T) {
	t.Parallel()
	dev, err := openFake(t, "SYNCHRONIZE=700").Device(0)
	if err != nil {
		t.Fatal(err)
	}
	first := dev.Do(t.Context(), func(c *Context) error { return c.Synchronize() })
	if !Sticky(first) || codeOf(first) != 700 || !strings.Contains(first.Error(), "from a new process") {
		t.Errorf("error %v", first)
	}
	if later := dev.Do(t.Context(), func(*Context) error { t.Error("ran after a sticky error"); return nil }); !errors.Is(later, first) {
		t.Errorf("later error %v", later)
	}
	if err := dev.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestErrorNamesItsCall(t *testing.T) {
	t.Parallel()
	onFake(t, func(c *Context) error {
		const want = "cuEventQuery: words of the driver (CUDA_ERROR_FAKE_400, 400)"
		if _, err := c.Passed(400); err == nil || err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
		if passed, err := c.Passed(600); passed || err != nil {
			t.Errorf("an event not reached: %v, %v", passed, err)
		}
		if took, err := c.Elapsed(0, 0); took != 1500*time.Microsecond || err != nil {
			t.Errorf("elapsed %s, %v", took, err)
		}
		return nil
	})
}

func TestLaunchPassesEverything(t *testing.T) {
	t.Parallel()
	onFake(t, func(c *Context) error {
		l := Launch{Grid: Dim{1, 2, 3}, Block: Dim{4, 5, 6}, Shared: 7, Stream: 8}
		if err := c.Launch(9, l, Pointer(0x1122334455667788), int32(-1), float64(1)); err != nil {
			return err
		}
		got := make([]byte, 8+8+7*4+24)
		if err := c.Download(got, 1); err != nil {
			return err
		}
		want := []byte{9, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0}
		for i := range byte(7) {
			want = append(want, i+1, 0, 0, 0)
		}
		want = append(want, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f)
		if !bytes.Equal(got, want) {
			t.Errorf("the driver got\n%v, want\n%v", got, want)
		}
		return c.Launch(9, l)
	})
}

func TestParametersOfAKernel(t *testing.T) {
	t.Parallel()
	onFake(t, func(c *Context) error {
		p, err := c.Parameters(1)
		if !slices.Equal(p, []Parameter{{0, 4}, {8, 4}, {16, 4}}) {
			t.Errorf("parameters %v", p)
		}
		return err
	})
}

func TestDoObeys(t *testing.T) {
	t.Parallel()
	dev, err := openFake(t).Device(0)
	if err != nil {
		t.Fatal(err)
	}
	running, release := make(chan struct{}), make(chan struct{})
	go func() {
		_ = dev.Do(t.Context(), func(*Context) error { close(running); <-release; return nil })
	}()
	<-running
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := dev.Do(ctx, func(*Context) error { t.Error("ran"); return nil }); !errors.Is(err, ctx.Err()) {
		t.Errorf("error %v while the device is busy", err)
	}
	close(release)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
	if err := dev.Do(t.Context(), func(*Context) error { t.Error("ran"); return nil }); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("error %v after Close", err)
	}
	if err := dev.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func TestMonitorReads(t *testing.T) {
	t.Parallel()
	o := fakeLibraries(t, nil, "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetMigMode")
	m, err := OpenMonitor(o, "0000:01:00.0")
	if err != nil {
		t.Fatal(err)
	}
	r := m.Read()
	if m.DriverVersion() != "580.1" || *r.Clock != 1980 || *r.MemoryClock != 3201 || *r.Power != 120.5 || *r.Utilisation != 42 {
		t.Errorf("driver %s, reading %+v", m.DriverVersion(), r)
	}
	if r.Temperature != nil || r.MIG != nil {
		t.Errorf("temperature %v, MIG %v: not told, so nil", r.Temperature, r.MIG)
	}
	if !slices.Equal(r.Throttle, []string{"power limit", "too hot (hardware)"}) {
		t.Errorf("throttle %q", r.Throttle)
	}
	if len(r.Others) != 2 || r.Others[0].PID != 17 || *r.Others[0].Memory != 1<<20 || r.Others[1].Memory != nil {
		t.Errorf("others %+v", r.Others)
	}
}

func TestMonitorSaysWhyNot(t *testing.T) {
	t.Parallel()
	for define, cause := range map[string]Cause{"NVML=4": NoPermission, "NVML=9": NoDevice, "NVML=18": OldDriver, "NVML=999": Failed} {
		_, err := OpenMonitor(fakeLibraries(t, []string{define}), "")
		if u, ok := errors.AsType[*Unavailable](err); !ok || u.Cause != cause || u.Remedy == "" {
			t.Errorf("%s: error %v", define, err)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	d := openFake(b)
	for b.Loop() {
		if err := d.lib.call("cuMemsetD8Async", Pointer(1), byte(0), 1, Stream(0)); err != nil {
			b.Fatal(err)
		}
	}
}
