package device

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/process"
)

// What hone_entry of testdata/host.cpp does, by dims[0].
const (
	actAdd = iota
	actError
	actRefuse
	actRefuseAndAsk
	actTooManyThreads
	actWrongArguments
	actHang
	actThrow
	actExit
	actExitAtOnce
	actAbort
	actNull
	actFork
	actSocket
	actFiles
	actAllocate
	actFresh
	actWriteInput
	actTellAddress
	actTwoKernels
	actSymbol
	actEnvironment
	actRuntimeError
	actWaitFirst  // and by dims[2] ends as one of the ways below where that is an error
	actOwnStream  // where no capture sees it
	actCountCalls // in element 0 of the output, for each set by itself
)

// What solve does about an error that it meets.
const (
	carriesOn = iota
	forgets
	throws
	exits
	aborts
)

// built holds what all tests share, made once.
type built struct {
	program, driver, host, cubin string
}

// shelf is this run's folder for what the tests share.
var shelf = filepath.Join(os.TempDir(), fmt.Sprintf("hone-device-test-%d", os.Getpid()))

var fixture = sync.OnceValues(func() (built, error) {
	b := built{driver: filepath.Join(shelf, "libcuda.so.1"), host: filepath.Join(shelf, "host.so"), cubin: filepath.Join(shelf, "kernel.cubin")}
	var err error
	if b.program, err = Prepare(context.Background(), shelf); err != nil {
		return b, err
	}
	return b, errors.Join(shared("libcuda.cpp", b.driver), shared("host.cpp", b.host),
		os.WriteFile(b.cubin, []byte("FAKE"), 0o600))
})

// shared builds a shared object of testdata.
func shared(unit, path string, flags ...string) error {
	args := append([]string{"-std=c++17", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", "-I", "../compile/device",
		"-o", path, filepath.Join("testdata", unit)}, flags...)
	if out, err := exec.Command("g++", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("g++ %s: %w: %s", unit, err, out)
	}
	return nil
}

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(shelf)
	os.Exit(code)
}

func fixtureOf(t testing.TB) built {
	t.Helper()
	b, err := fixture()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b built) config(t testing.TB) Config {
	return Config{Program: b.program, Driver: b.driver, Scratch: t.TempDir(), FileSize: 1 << 20}
}

func (b built) artifact() compile.DeviceArtifact {
	a := compile.DeviceArtifact{Device: compile.Part{Path: b.cubin}, Host: compile.Part{Path: b.host}, Variables: []string{"variable"}}
	for name, sizes := range map[string][]int{"add": {8, 8, 8, 8}, "error": {4}, "refuse": {4}, "hang": nil} {
		a.Kernels = append(a.Kernels, compile.DeviceKernel{
			Name: name, Lowered: name, Variable: "k_" + name, Function: "add", Parameters: sizes})
	}
	return a
}

// started is a process on the fake device.
func started(t testing.TB) *Process {
	t.Helper()
	p, err := Start(t.Context(), fixtureOf(t).config(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// loaded has also loaded the host object.
func loaded(t testing.TB) *Process {
	t.Helper()
	p := started(t)
	none(t)(p.Load(t.Context(), fixtureOf(t).artifact(), 10*time.Second))
	return p
}

// none ends a test on a fault or an error.
func none(t testing.TB) func(*process.Fault, error) {
	return func(fault *process.Fault, err error) {
		t.Helper()
		if err != nil || fault != nil {
			t.Fatalf("fault %+v, error %v", fault, err)
		}
	}
}

// memory is a tensor of float32 in a file, as the fake device shares it.
type memory struct {
	Buffer
	mapped []byte
}

func newMemory(t testing.TB, name string, writable bool, values ...float32) memory {
	t.Helper()
	size, offset := int64(4096*(2+len(values)/1024)), int64(256)
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), name)
	t.Cleanup(func() { _ = file.Close() })
	if err := file.Truncate(size); err != nil {
		t.Fatal(err)
	}
	mapped, err := unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(mapped) })
	m := memory{Buffer{Name: name, Bytes: int64(4 * len(values)), Writable: writable, Size: size, Offset: offset, File: file}, mapped}
	for i, v := range values {
		binary.LittleEndian.PutUint32(mapped[int(offset)+4*i:], math.Float32bits(v))
	}
	return m
}

func (m memory) word(i int) uint32 {
	return binary.LittleEndian.Uint32(m.mapped[int(m.Offset)+4*i:])
}

func (m memory) value(i int) float32 { return math.Float32frombits(m.word(i)) }

// trio is the buffers of an addition.
func trio(t testing.TB, a, b float32) (set []Buffer, out memory) {
	t.Helper()
	x, y := newMemory(t, "a", false, a, a, a, a), newMemory(t, "b", false, b, b, b, b)
	out = newMemory(t, "c", true, 0, 0, 0, 0)
	return []Buffer{x.Buffer, y.Buffer, out.Buffer}, out
}
