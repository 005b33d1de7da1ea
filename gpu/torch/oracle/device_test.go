package oracle

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/torch"
)

// shared is one tensor's memory on a GPU, shared with the oracle.
type shared struct {
	torch.Buffer
	memory cuda.Shared
}

// device is the first GPU, with a torch that can use it; without, the test ends with
// the reason.
func device(t *testing.T) (*cuda.Device, Config) {
	t.Helper()
	driver, err := cuda.Open(cuda.Options{})
	if u, ok := errors.AsType[*cuda.Unavailable](err); ok {
		t.Skipf("no device: %v", u)
	}
	if err != nil {
		t.Fatal(err)
	}
	dev, err := driver.Device(0)
	if u, ok := errors.AsType[*cuda.Unavailable](err); ok {
		t.Skipf("no device: %v", u)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	cfg := configured(t)
	if cfg.Installation.Devices == 0 {
		t.Skipf("torch %s at %s can use no GPU", cfg.Installation.Torch, cfg.Installation.Folder)
	}
	cfg.Device = 0
	return dev, cfg
}

func share(t *testing.T, dev *cuda.Device, tensor torch.Tensor) shared {
	t.Helper()
	s := shared{Buffer: torch.Buffer{Name: tensor.Name, Bytes: tensor.Bytes(), Writable: true, Offset: 512}}
	err := dev.Do(t.Context(), func(c *cuda.Context) (err error) {
		if s.memory, err = c.AllocShared(uint64(tensor.Bytes() + 1024)); err != nil {
			return err
		}
		s.Size = int64(s.memory.Size)
		if err := c.Fill8(s.memory.Address, 0xC3, s.memory.Size, 0); err != nil {
			return err
		}
		s.File, err = c.Export(s.memory)
		return errors.Join(err, c.Synchronize())
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.File.Close()
		_ = dev.Do(context.Background(), func(c *cuda.Context) error { return c.FreeShared(s.memory) })
	})
	return s
}

// all is the whole allocation's bytes.
func (s shared) all(t *testing.T, dev *cuda.Device) []byte {
	t.Helper()
	data := make([]byte, s.Size)
	err := dev.Do(t.Context(), func(c *cuda.Context) error { return c.Download(data, s.memory.Address) })
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestOnAGPUTheJudgesMemoryIsWritten(t *testing.T) {
	dev, cfg := device(t)
	p := started(t, cfg)
	d := loaded(t, p, `
class Model(nn.Module):
    def forward(self, a, b):
        return a @ b
def get_inputs(): return [torch.rand(256, 512), torch.randn(512, 128)]
`)
	t.Logf("flags %+v, defaults %+v, notes %q, flops %v", d.Flags, d.Defaults, d.Notes, d.Flops)
	if !d.Exact || d.Flags.MatmulTF32 || d.Flags.CuDNNTF32 {
		t.Fatalf("exact %t (%s), flags %+v", d.Exact, d.ExactWhy, d.Flags)
	}
	a, b := share(t, dev, *d.Inputs[0].Tensor), share(t, dev, *d.Inputs[1].Tensor)
	native, exact := share(t, dev, d.Outputs[0]), share(t, dev, d.Outputs[0].Exact())
	fault, err := p.Map(t.Context(), Set{
		Inputs: []torch.Buffer{a.Buffer, b.Buffer}, Native: []torch.Buffer{native.Buffer}, Exact: []torch.Buffer{exact.Buffer},
	})
	must(t, fault, err)
	drawn(t, p, 0, Draw{Seed: 9, Kind: Fresh})
	if e := expected(t, p, 0); !e.Exact {
		t.Fatalf("expected %+v", e)
	}
	x, y := a.all(t, dev), b.all(t, dev)
	got, truth := native.all(t, dev), exact.all(t, dev)
	single := func(data []byte, i int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data[512+4*i:])))
	}
	for i := range 256 * 128 {
		want := 0.0
		for k := range 512 {
			want += single(x, i/128*512+k) * single(y, k*128+i%128)
		}
		wide := math.Float64frombits(binary.LittleEndian.Uint64(truth[512+8*i:]))
		if math.Abs(wide-want) > 1e-9 || math.Abs(single(got, i)-want) > 1e-3 {
			t.Fatalf("element %d: native %v, exact %v, not %v", i, single(got, i), wide, want)
		}
	}
	for _, s := range []shared{a, b, native, exact} {
		data := s.all(t, dev)
		if data[511] != 0xC3 || data[512+s.Bytes] != 0xC3 {
			t.Errorf("%s was written outside of its bytes", s.Name)
		}
	}
	timeOnAGPU(t, p, dev)
}

func timeOnAGPU(t *testing.T, p *Process, dev *cuda.Device) {
	t.Helper()
	for _, what := range []string{Eager, Compile} {
		timed, fault, err := p.Time(t.Context(), Timing{What: what, Samples: 50, L2: int64(dev.Facts().L2), Limit: loadLimit})
		must(t, fault, err)
		if len(timed.Samples) == 0 && timed.Refused == "" {
			t.Errorf("%s gave nothing", what)
		}
		t.Logf("%s: %v, setup %v, wall %v, empty %v, null %v, refused %q", what, timed.Samples, timed.Setup, timed.Wall,
			timed.Empty, timed.Null, timed.Refused)
	}
	report, fault, err := p.Lint(t.Context(), Linting{
		Tolerance: Tolerance{Abs: 1e-4, Rel: 1e-4, HalfAbs: 1e-2, HalfRel: 1e-2}, L2: int64(dev.Facts().L2), Limit: loadLimit,
	})
	must(t, fault, err)
	for _, f := range report.Findings {
		t.Logf("%s: %s", f.Check, f.Text)
	}
}
