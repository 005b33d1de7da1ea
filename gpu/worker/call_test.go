package worker

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

func config(t *testing.T) Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{Emulator: self, Scratch: t.TempDir(), Memory: 1 << 40}
}

// load starts a fake that behaves as object says.
func load(t *testing.T, object string) *Process {
	t.Helper()
	p, err := Start(t.Context(), config(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
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

func TestStartSaysEverythingOfTheConfig(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config Config
		want   string
	}{
		"a limit of memory": {Config{Memory: 5, FileSize: 7}, "file=7 memory=5"},
		"no limit":          {Config{}, "file=0"},
	} {
		if got := strings.Join(c.config.program().Arguments, " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
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
		"reported":              {"fault out_of_bounds", FaultOutOfBounds, "read x[4096] of 4096 (kernel k, line 12, block (3,0,0), thread (31,0,0))"},
		"unsupported":           {"fault unsupported", FaultUnsupported, "x[4096]"},
		"a divergence":          {"fault barrier_divergence", FaultDivergence, "x[4096]"},
		"a deadlock":            {"fault deadlock", FaultDeadlock, "x[4096]"},
		"of a device":           {"fault misaligned", FaultProtocol, "no known kind"},
		"an answer of no lines": {"verdict", FaultProtocol, `unknown line "correct"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := load(t, c.object)
			_, fault, err := p.Call(t.Context(), Call{Repeat: 1, Limit: time.Minute})
			if err != nil || fault == nil || fault.Kind != c.kind || !strings.Contains(fault.Sentence(), c.want) {
				t.Errorf("fault = %+v, error %v; want %s: %q", fault, err, c.kind, c.want)
			}
			if p.Alive() {
				t.Error("the process is still there after its fault")
			}
		})
	}
}

func TestLoadRefusesAPathOfTwoFields(t *testing.T) {
	t.Parallel()
	p := load(t, "negate")
	for _, path := range []string{"a\tb", "a\nb"} {
		if fault, err := p.Load(t.Context(), path, time.Minute); err == nil || fault != nil {
			t.Errorf("%q: %v, %v", path, fault, err)
		}
	}
	if !p.Alive() {
		t.Error("a request that was never sent ended the process")
	}
}

func TestPoolGivesWorkers(t *testing.T) {
	t.Parallel()
	pool := NewPool(config(t), 1)
	defer pool.Close()
	p, err := pool.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if layers := p.Layers(); layers["seccomp"] != "off: a test" {
		t.Errorf("layers %v", layers)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
