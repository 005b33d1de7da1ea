package tensor

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/emulate"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/gpu/worker"
	"example.com/hone/tasks"
)

// The kernels as testdata/entry.cu numbers them.
const (
	runDraw = iota
	runConvert
	runDiffering
	runDamage
	runCompare
	runCompareIntegers
)

// emulation runs the kernels on a CPU.
type emulation struct {
	process *worker.Process
	flags   int
}

func TestEmulated(t *testing.T) {
	t.Parallel()
	artifact, emulator := build(t)
	t.Run("plain", func(t *testing.T) {
		e := startEmulation(t, emulator, artifact.Plain, 0)
		testKernels(t, e)
		t.Run("damage", e.testDamage)
	})
	t.Run("checked", func(t *testing.T) {
		e := startEmulation(t, emulator, artifact.Checked, worker.FlagChecked)
		t.Run("slack", func(t *testing.T) { testSlack(t, e) })
		t.Run("differing", func(t *testing.T) { testDiffering(t, e) })
		t.Run("draw", func(t *testing.T) { testDraw(t, e) })
	})
}

// build compiles the kernels for the emulation.
func build(t *testing.T) (compile.Artifact, string) {
	t.Helper()
	folder := t.TempDir()
	prepared, err := emulate.Prepare(t.Context(), folder)
	must(t, err)
	tools := compile.Toolchain{GXX: prepared.GXX, Include: prepared.Include, Version: prepared.Version, Emulator: prepared.Emulator}
	compiler, err := compile.New(t.Context(), tools, t.TempDir(), 0)
	must(t, err)
	entry, err := os.ReadFile("testdata/entry.cu")
	must(t, err)
	a, err := compiler.Build(t.Context(), compile.Source{
		Name: "tensor.cu", Text: source + string(entry), Limit: time.Minute,
		Unit: compile.Unit{Entry: `extern "C" void hone_entry(void* const* buffers, const int64_t* dims) { run(buffers, dims); }`},
	})
	must(t, err)
	if !a.OK() {
		t.Fatalf("the kernels do not compile: %+v\n%s", a.Diagnostics, a.Log)
	}
	return a, prepared.Emulator
}

func startEmulation(t *testing.T, emulator, object string, flags int) *emulation {
	t.Helper()
	p, err := worker.Start(t.Context(), worker.Config{Emulator: emulator, Scratch: t.TempDir(), FileSize: 1 << 20})
	must(t, err)
	t.Cleanup(func() { must(t, p.Close()) })
	fault, err := p.Load(t.Context(), object, 10*time.Second)
	must(t, err)
	if fault != nil {
		t.Fatalf("load: %+v", fault)
	}
	return &emulation{p, flags}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a kernel with what it takes behind its addresses, and returns what the
// buffers then hold.
func (e *emulation) run(t *testing.T, kernel int, args []any, contents ...[]byte) [][]byte {
	t.Helper()
	buffers := make([]*worker.Buffer, len(contents))
	for i, bytes := range contents {
		b, err := worker.NewBuffer("tensor", int64(len(bytes)), true)
		must(t, err)
		defer func() { must(t, b.Close()) }()
		copy(b.Data(), bytes)
		buffers[i] = b
	}
	fault, err := e.process.Map(t.Context(), buffers)
	must(t, err)
	if fault != nil {
		t.Fatalf("map: %+v", fault)
	}
	result, fault, err := e.process.Call(t.Context(), worker.Call{
		Flags: e.flags, Schedule: worker.ScheduleSeeded, Seed: 1, Repeat: 1, Poison: 0xff, Limit: time.Minute,
		Dims: append([]int64{int64(kernel)}, words(args)...),
	})
	must(t, err)
	if fault != nil || len(result.Findings) > 0 {
		t.Fatalf("fault %+v, findings %+v", fault, result.Findings)
	}
	after := make([][]byte, len(buffers))
	for i, b := range buffers {
		if before, behind := b.Damage(); before+behind > 0 {
			t.Fatalf("%d bytes written before a buffer, %d behind", before, behind)
		}
		after[i] = bytes.Clone(b.Data())
	}
	return after
}

// words are arguments as testdata/entry.cu takes them.
func words(args []any) []int64 {
	var list []int64
	for _, arg := range args {
		switch v := arg.(type) {
		case int32:
			list = append(list, int64(v))
		case int64:
			list = append(list, v)
		case uint64:
			list = append(list, int64(v))
		case uint8:
			list = append(list, int64(v))
		case float64:
			list = append(list, int64(math.Float64bits(v)))
		}
	}
	return list
}

// count runs a kernel that adds up figures.
func (e *emulation) count(t *testing.T, kernel int, args []any, contents ...[]byte) (totals [maxFigures]uint64) {
	t.Helper()
	after := e.run(t, kernel, args, append(contents, make([]byte, 8*maxFigures))...)
	for i := range totals {
		totals[i] = binary.LittleEndian.Uint64(after[len(contents)][8*i:])
	}
	return totals
}

func (e *emulation) draw(t *testing.T, like check.Values, fill tasks.Fill, seed, stream uint64, factor float64) check.Values {
	t.Helper()
	args, err := drawArguments(like.DType, int64(like.Len()), fill, seed, stream, factor)
	must(t, err)
	like.Bytes = e.run(t, runDraw, args, like.Bytes)[0]
	return like
}

func (e *emulation) convert(t *testing.T, v check.Values, to tasks.DType) check.Values {
	t.Helper()
	result := zeros(to, v.Len())
	args := []any{typeCode(to), typeCode(v.DType), int64(v.Len())}
	result.Bytes = e.run(t, runConvert, args, v.Bytes, result.Bytes)[1]
	return result
}

func (e *emulation) compare(t *testing.T, o check.Output, tol tasks.Tolerance) Comparison {
	t.Helper()
	kernel, args := runCompare, compareArguments(o.Got.DType, o.Truth.DType, o.Baseline.DType, int64(o.Got.Len()), tol)
	if !o.Got.DType.Floating() {
		kernel = runCompareIntegers
	}
	totals := e.count(t, kernel, args, o.Got.Bytes, o.Truth.Bytes, o.Baseline.Bytes)
	return conclude(o.Got.DType, int64(o.Got.Len()), totals)
}

func (e *emulation) differing(t *testing.T, a, b check.Values) int64 {
	t.Helper()
	return int64(e.count(t, runDiffering, []any{int64(len(a.Bytes))}, a.Bytes, b.Bytes)[0])
}

func (e *emulation) testDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for name, c := range map[string]struct {
		layout layout
		bytes  int64
	}{
		"at the end":  {mappedLayout(999, 8192), 999},
		"no room":     {mappedLayout(1024, 8192), 1024},
		"both sides":  {mirroredLayout(70_001), 70_001},
		"one element": {mirroredLayout(2), 2},
	} {
		allocation := bytes.Repeat([]byte{guardByte}, int(c.layout.size))
		var before, after uint64
		for range 200 {
			i := rng.Int64N(c.layout.size)
			switch fresh := allocation[i] == guardByte; {
			case fresh && i < c.layout.offset:
				before++
			case fresh && i >= c.layout.offset+c.bytes:
				after++
			}
			allocation[i] = byte(i) & 0x7f
		}
		totals := e.count(t, runDamage, []any{c.layout.size, c.layout.offset, c.bytes, uint8(guardByte)}, allocation)
		if totals[0] != before || totals[1] != after {
			t.Errorf("%s: damage %d and %d, want %d and %d", name, totals[0], totals[1], before, after)
		}
	}
}
