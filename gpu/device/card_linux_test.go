package device

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/cuda"
	"example.com/hone/tasks"
)

// card is the device of a test, on the judge's side.
type card struct {
	t        *testing.T
	device   *cuda.Device
	facts    cuda.Facts
	compiler *compile.Compiler
	nvrtc    nvrtc
	target   compile.DeviceTarget
}

// nvrtc is package cuda's compiler as package compile asks for it.
type nvrtc struct{ *cuda.Compiler }

func (n nvrtc) Version() string { return n.Compiler.Version().String() }

func (n nvrtc) Compile(_ context.Context, source, name string, options, expressions []string) (
	[]byte, map[string]string, string, error) {
	o, err := n.Compiler.Compile(cuda.Program{Name: name, Source: source, Options: options, Expressions: expressions})
	return o.Cubin, o.Lowered, o.Log, err
}

// newCard is the first device, or the end of the test where there is none.
func newCard(t *testing.T) *card {
	t.Helper()
	c := &card{t: t}
	driver, err := cuda.Open(cuda.Options{})
	if u, ok := errors.AsType[*cuda.Unavailable](err); ok {
		t.Skipf("no device: %v", u)
	}
	c.must(err)
	c.device, err = driver.Device(0)
	c.must(err)
	t.Cleanup(func() { c.must(c.device.Close()) })
	c.facts = c.device.Facts()
	c.nvrtc.Compiler, err = cuda.OpenCompiler(cuda.Options{Toolkit: "/usr/local/cuda", Major: c.facts.CUDA.Major})
	if u, ok := errors.AsType[*cuda.Unavailable](err); ok {
		t.Skipf("no NVRTC: %v", u)
	}
	c.must(err)
	include := filepath.Join(filepath.Dir(filepath.Dir(c.nvrtc.Path())), "include")
	c.target = compile.DeviceTarget{Arch: c.facts.SM(), Includes: []string{include, filepath.Join(include, "cccl")}}
	c.compiler, err = compile.New(t.Context(), compile.Toolchain{GXX: "g++"}, t.TempDir(), 0)
	c.must(err)
	return c
}

func (c *card) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// do runs an operation on the device.
func (c *card) do(run func(*cuda.Context) error) {
	c.t.Helper()
	c.must(c.device.Do(context.Background(), run))
}

// signatures of the tasks whose kernels the tests use.
func signature(inputs, dims []string) tasks.Signature {
	s := tasks.Signature{Outputs: []tasks.Tensor{{Name: "out", DType: tasks.Float32}}, Dims: dims}
	for _, name := range inputs {
		s.Inputs = append(s.Inputs, tasks.Tensor{Name: name, DType: tasks.Float32})
	}
	return s
}

func addSignature() tasks.Signature     { return signature([]string{"a", "b"}, []string{"n"}) }
func softmaxSignature() tasks.Signature { return signature([]string{"x"}, []string{"rows", "cols"}) }
func copySignature() tasks.Signature    { return signature([]string{"x"}, []string{"n"}) }

// build compiles a text in two parts.
func (c *card) build(text string, sig tasks.Signature) compile.DeviceArtifact {
	c.t.Helper()
	a, err := c.compiler.BuildDevice(c.t.Context(), compile.Source{Name: "kernel.cu", Text: text, Unit: compile.StreamUnit(sig)},
		c.target, c.nvrtc)
	c.must(err)
	if !a.OK() {
		c.t.Fatalf("does not compile: needs %+v, %+v", a.Needs, a.Diagnostics)
	}
	return a
}

// corpus is a kernel of the repository.
func (c *card) corpus(name string, sig tasks.Signature) compile.DeviceArtifact {
	c.t.Helper()
	text, err := os.ReadFile("../testdata/kernels/" + name + ".cu")
	c.must(err)
	return c.build(string(text), sig)
}

// start is a worker on the device that has loaded an artefact.
func (c *card) start(a compile.DeviceArtifact) *Process {
	c.t.Helper()
	p, err := Start(c.t.Context(), Config{Program: fixtureOf(c.t).program, Scratch: c.t.TempDir(), Memory: 4 << 30, FileSize: 1 << 20})
	c.must(err)
	c.t.Cleanup(func() { c.must(p.Kill()) })
	none(c.t)(p.Load(c.t.Context(), a, 10*time.Second))
	return p
}

// tensor is device memory of the judge that holds float32, at the very end.
type tensor struct {
	Buffer
	shared cuda.Shared
}

func (c *card) tensor(name string, writable bool, values []float32) tensor {
	c.t.Helper()
	raw := make([]byte, 4*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(v))
	}
	t := tensor{Buffer: Buffer{Name: name, Bytes: int64(len(raw)), Writable: writable}}
	c.do(func(d *cuda.Context) error {
		var err error
		if t.shared, err = d.AllocShared(uint64(len(raw))); err != nil {
			return err
		}
		t.Size = int64(t.shared.Size)
		t.Offset = (t.Size - t.Bytes) / 256 * 256
		if err := d.Fill8(t.shared.Address, 0xc3, t.shared.Size, 0); err != nil {
			return err
		}
		if err := d.Upload(t.shared.Address+cuda.Pointer(t.Offset), raw); err != nil {
			return err
		}
		if err := d.Synchronize(); err != nil {
			return err
		}
		t.File, err = d.Export(t.shared)
		return err
	})
	c.t.Cleanup(func() {
		_ = t.File.Close()
		c.do(func(d *cuda.Context) error { return d.FreeShared(t.shared) })
	})
	return t
}

// read is what a tensor holds, and whether the bytes before it are as they were.
func (c *card) read(t tensor) (values []float32, intact bool) {
	c.t.Helper()
	raw := make([]byte, t.Size)
	c.do(func(d *cuda.Context) error { return d.Download(raw, t.shared.Address) })
	intact = true
	for _, b := range raw[:t.Offset] {
		intact = intact && b == 0xc3
	}
	values = make([]float32, t.Bytes/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[int(t.Offset)+4*i:]))
	}
	return values, intact
}
