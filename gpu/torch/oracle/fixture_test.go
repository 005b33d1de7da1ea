package oracle

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
)

const loadLimit = 60 * time.Second

// configured is what a process of this machine's torch needs, or skips the test with
// the reason.
func configured(t *testing.T) Config {
	t.Helper()
	found, err := torch.Find(context.Background(), []string{os.Getenv("HONE_PYTHON"), "python3", "/usr/bin/python3"})
	if err != nil {
		t.Skip(err)
	}
	folder, err := torch.Prepare(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	device := CPU
	if text := os.Getenv("HONE_TEST_DEVICE"); text != "" {
		if device, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	return Config{Installation: found, Folder: folder, Device: device, Scratch: t.TempDir()}
}

func started(t *testing.T, cfg Config) *Process {
	t.Helper()
	p, err := Start(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the process printed:\n%s", p.Output())
		}
		_ = p.Close()
	})
	return p
}

// source writes a reference: the imports that all have, and a text.
func source(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "reference.py")
	if err := os.WriteFile(path, []byte("import torch\nimport torch.nn as nn\n"+text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func loaded(t *testing.T, p *Process, text string) torch.Description {
	t.Helper()
	d, fault, err := p.Load(context.Background(), source(t, text), loadLimit)
	must(t, fault, err)
	return d
}

func must(t *testing.T, fault *process.Fault, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if fault != nil {
		t.Fatalf("fault %s: %s", fault.Kind, fault.Sentence())
	}
}

// guard is what lies around the data of each buffer.
const guard = 64

// memory is one tensor's memory, which a file stands for.
type memory struct {
	torch.Buffer
	t *testing.T
}

func newMemory(t *testing.T, tensor torch.Tensor) memory {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "buffer")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	size := tensor.Bytes() + 2*guard
	if err := file.Truncate(size); err != nil {
		t.Fatal(err)
	}
	return memory{torch.Buffer{
		Name: tensor.Name, Bytes: tensor.Bytes(), Writable: true, Size: size, Offset: guard, File: file, Host: true,
	}, t}
}

func (m memory) read() []byte {
	m.t.Helper()
	data := make([]byte, m.Bytes)
	if _, err := m.File.ReadAt(data, m.Offset); err != nil {
		m.t.Fatal(err)
	}
	return data
}

func (m memory) write(data []byte) {
	m.t.Helper()
	if _, err := m.File.WriteAt(data, m.Offset); err != nil {
		m.t.Fatal(err)
	}
}

func (m memory) floats() []float32 {
	m.t.Helper()
	data := m.read()
	all := make([]float32, len(data)/4)
	for i := range all {
		all[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return all
}

func (m memory) doubles() []float64 {
	m.t.Helper()
	data := m.read()
	all := make([]float64, len(data)/8)
	for i := range all {
		all[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return all
}

func (m memory) longs() []int64 {
	m.t.Helper()
	data := m.read()
	all := make([]int64, len(data)/8)
	for i := range all {
		all[i] = int64(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return all
}

// trial is a set with the memory behind it.
type trial struct {
	inputs, state, native, exact []memory
}

func newTrial(t *testing.T, d torch.Description) trial {
	t.Helper()
	var s trial
	for _, in := range d.Tensors() {
		s.inputs = append(s.inputs, newMemory(t, in))
	}
	for _, state := range d.State {
		s.state = append(s.state, newMemory(t, state))
	}
	for _, out := range d.Outputs {
		s.native = append(s.native, newMemory(t, out))
		if d.Exact {
			s.exact = append(s.exact, newMemory(t, out.Exact()))
		}
	}
	return s
}

func (s trial) set() Set {
	of := func(all []memory) []torch.Buffer {
		var buffers []torch.Buffer
		for _, m := range all {
			buffers = append(buffers, m.Buffer)
		}
		return buffers
	}
	return Set{Inputs: of(s.inputs), State: of(s.state), Native: of(s.native), Exact: of(s.exact)}
}

// mapped gives the process so many sets.
func mapped(t *testing.T, p *Process, d torch.Description, count int) []trial {
	t.Helper()
	trials, sets := make([]trial, count), make([]Set, count)
	for i := range trials {
		trials[i] = newTrial(t, d)
		sets[i] = trials[i].set()
	}
	fault, err := p.Map(context.Background(), sets...)
	must(t, fault, err)
	return trials
}

func drawn(t *testing.T, p *Process, set int, d Draw) Drawn {
	t.Helper()
	result, fault, err := p.Draw(context.Background(), set, d)
	must(t, fault, err)
	return result
}

func expected(t *testing.T, p *Process, set int) Expected {
	t.Helper()
	result, fault, err := p.Expect(context.Background(), set)
	must(t, fault, err)
	return result
}
