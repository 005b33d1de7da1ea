package oracle

import (
	"bytes"
	"context"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu/torch"
)

func TestExpectComputesInBothPrecisions(t *testing.T) {
	p := started(t, configured(t))
	d := loaded(t, p, linear)
	if d.Flops != nil && *d.Flops != 2*5*3*2 { // torch before 2.1 counts none
		t.Errorf("%d operations", *d.Flops)
	}
	s := mapped(t, p, d, 1)[0]
	drawn(t, p, 0, Draw{Seed: 7, Kind: Fresh})
	before := s.inputs[0].read()
	if e := expected(t, p, 0); !e.Exact || e.Why != "" {
		t.Fatalf("expected: %+v", e)
	}
	x, weight, bias := s.inputs[0].floats(), s.state[0].floats(), s.state[1].floats()
	for row := range 5 {
		for column := range 2 {
			want := float64(bias[column])
			for k := range 3 {
				want += float64(x[3*row+k]) * float64(weight[3*column+k])
			}
			at := 2*row + column
			if got := s.exact[0].doubles()[at]; math.Abs(got-want) > 1e-12 {
				t.Errorf("exact[%d] is %v, not %v", at, got, want)
			}
			if got := float64(s.native[0].floats()[at]); math.Abs(got-want) > 1e-5 {
				t.Errorf("native[%d] is %v, not %v", at, got, want)
			}
		}
	}
	if !bytes.Equal(before, s.inputs[0].read()) {
		t.Error("the inputs changed")
	}
}

func TestExpectLeavesNoTraceOfARunInTheNext(t *testing.T) {
	hidden := `
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.zeros(4)
    def forward(self, x):
        self.hidden += 1
        return x.add_(self.hidden)
def get_inputs(): return [torch.randn(4)]
`
	replaced := `
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.ones(4))
        self.register_buffer("wide", torch.ones(1).expand(4))
    def forward(self, x):
        self.mean = self.mean * 0.5 + x
        return self.mean + self.wide
def get_inputs(): return [torch.randn(4)]
`
	texts := map[string]string{
		"batch norm": norm, "kept tensor, in place": hidden, "dropout": dropout, "buffer replaced": replaced,
	}
	p := started(t, configured(t))
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			s := mapped(t, p, loaded(t, p, text), 1)[0]
			drawn(t, p, 0, Draw{Seed: 3, Kind: Fresh})
			input := s.inputs[0].read()
			expected(t, p, 0)
			first := s.native[0].read()
			s.native[0].write(make([]byte, s.native[0].Bytes))
			expected(t, p, 0)
			if !bytes.Equal(first, s.native[0].read()) {
				t.Error("the second run gave other outputs")
			}
			if !bytes.Equal(input, s.inputs[0].read()) {
				t.Error("the input changed")
			}
		})
	}
}

func TestDrawIsTheSeeds(t *testing.T) {
	p := started(t, configured(t))
	s := mapped(t, p, loaded(t, p, relu), 2)
	for _, seed := range []uint64{0, 5, 1<<63 + 9, math.MaxUint64} {
		drawn(t, p, 0, Draw{Seed: seed, Kind: Fresh})
		drawn(t, p, 1, Draw{Seed: seed, Kind: Fresh})
		if !bytes.Equal(s[0].inputs[0].read(), s[1].inputs[0].read()) {
			t.Errorf("seed %d drew two different inputs", seed)
		}
		drawn(t, p, 1, Draw{Seed: seed ^ 1, Kind: Fresh})
		if bytes.Equal(s[0].inputs[0].read(), s[1].inputs[0].read()) {
			t.Errorf("seeds %d and %d drew the same", seed, seed^1)
		}
	}
}

func TestDrawScalesAndPerturbs(t *testing.T) {
	integers := `
class Model(nn.Module):
    def forward(self, i):
        return torch.arange(10.0, device=i.device)[i]
def get_inputs(): return [torch.randint(0, 10, (16,))]
`
	uniform := strings.Replace(relu, "torch.randn", "torch.rand", 1)
	tests := []struct {
		name, text string
		factor     float32 // by which a scaled draw differs from a fresh one
	}{
		{"normal", relu, -8},
		{"without negative numbers", uniform, 8},
		{"of a limited range", uniform + "# binary_cross_entropy\n", 1},
	}
	p := started(t, configured(t))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := mapped(t, p, loaded(t, p, test.text), 2)
			drawn(t, p, 0, Draw{Seed: 11, Kind: Fresh})
			what := drawn(t, p, 1, Draw{Seed: 11, Kind: Scaled})
			if (what.Kind == Fresh) != (test.factor == 1) {
				t.Errorf("it says that it drew %q", what.Kind)
			}
			fresh, scaled := s[0].inputs[0].floats(), s[1].inputs[0].floats()
			for i := range fresh {
				if scaled[i] != test.factor*fresh[i] {
					t.Fatalf("element %d is %v instead of %v times %v", i, scaled[i], test.factor, fresh[i])
				}
			}
			what = drawn(t, p, 1, Draw{Seed: 11, Kind: Perturbed})
			changed := s[1].inputs[0].floats()
			for i := range fresh {
				if (changed[i] != fresh[i]) != (int64(i) == what.Element) {
					t.Errorf("element %d: %v was %v; element %d should differ", i, changed[i], fresh[i], what.Element)
				}
			}
			if what.Changed != "x" {
				t.Errorf("the input changed is %q", what.Changed)
			}
		})
	}
	t.Run("integers", func(t *testing.T) {
		s := mapped(t, p, loaded(t, p, integers), 2)
		drawn(t, p, 0, Draw{Seed: 11, Kind: Fresh})
		what := drawn(t, p, 1, Draw{Seed: 11, Kind: Perturbed})
		fresh, changed := s[0].inputs[0].longs(), s[1].inputs[0].longs()
		for i := range fresh {
			if (changed[i] != fresh[i]) != (int64(i) == what.Element) || changed[i] < 0 || changed[i] > 9 {
				t.Errorf("element %d: %d was %d", i, changed[i], fresh[i])
			}
		}
	})
}

func TestMapRefusesBuffersThatDoNotFit(t *testing.T) {
	p := started(t, configured(t))
	d := loaded(t, p, linear)
	tests := []struct {
		name   string
		change func(*Set)
		says   string
	}{
		{"one input too many", func(s *Set) { s.Inputs = append(s.Inputs, s.Inputs[0]) }, "2 buffers for 1 tensors"},
		{"wrong size", func(s *Set) { s.Native[0].Bytes-- }, "native output out of 40 bytes"},
		{"read only", func(s *Set) { s.Inputs[0].Writable = false }, "writable: false"},
		{"outside", func(s *Set) { s.State[0].Offset = s.State[0].Size }, "lie outside"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set := newTrial(t, d).set()
			test.change(&set)
			fault, err := p.Map(context.Background(), set)
			if err == nil || fault != nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("fault %v, error %v", fault, err)
			}
		})
	}
	if !p.Alive() {
		t.Error("a request that could not be sent ended the process")
	}
}

func TestBuffersMayShareAnAllocation(t *testing.T) {
	p := started(t, configured(t))
	d := loaded(t, p, linear)
	s := newTrial(t, d)
	whole := newMemory(t, torch.Tensor{Name: "state", DType: "uint8", Shape: []int64{1024}})
	set := s.set()
	for i := range set.State {
		set.State[i].File, set.State[i].Size, set.State[i].Offset = whole.File, whole.Size, int64(256*(i+1))
	}
	fault, err := p.Map(context.Background(), set)
	must(t, fault, err)
	data := whole.read()
	if bytes.Count(data, []byte{0}) == len(data) {
		t.Fatal("no state was written")
	}
	at := 256 - guard
	if !bytes.Equal(data[:at], make([]byte, at)) || !bytes.Equal(data[at+24:at+256], make([]byte, 232)) {
		t.Error("state was written outside of its buffers")
	}
}

func TestTimeTakesSamplesInTurn(t *testing.T) {
	p := started(t, configured(t))
	mapped(t, p, loaded(t, p, linear), 2)
	drawn(t, p, 0, Draw{Seed: 1, Kind: Fresh})
	drawn(t, p, 1, Draw{Seed: 2, Kind: Fresh})
	timed, fault, err := p.Time(context.Background(), Timing{What: Eager, Samples: 20, Set: 1, L2: 1 << 20, Limit: loadLimit})
	must(t, fault, err)
	if len(timed.Samples) != 20 || timed.Samples[0] <= 0 || timed.Wall < timed.Samples[0] || timed.Refused != "" {
		t.Errorf("got %+v", timed)
	}
	if timed.Flags.Deterministic {
		t.Errorf("flags %+v", timed.Flags)
	}
}

func TestTimeEndsWithItsBudget(t *testing.T) {
	slow := strings.Replace(relu, "return torch.relu(x)", "import time; time.sleep(0.15); return x", 1)
	p := started(t, configured(t))
	mapped(t, p, loaded(t, p, slow), 1)
	drawn(t, p, 0, Draw{Seed: 1, Kind: Fresh})
	timed, fault, err := p.Time(context.Background(), Timing{What: Eager, Samples: 1000, Limit: 3 * time.Second})
	must(t, fault, err)
	if n := len(timed.Samples); n < 1 || n > 20 {
		t.Errorf("%d samples in two seconds", n)
	}
}

func TestTimeOfCompileIsTakenOrRefused(t *testing.T) {
	cfg := configured(t)
	p := started(t, cfg)
	mapped(t, p, loaded(t, p, relu), 1)
	drawn(t, p, 0, Draw{Seed: 1, Kind: Fresh})
	timed, fault, err := p.Time(context.Background(), Timing{What: Compile, Samples: 3, Limit: 2 * time.Minute})
	must(t, fault, err)
	t.Logf("%d samples, refused for %q", len(timed.Samples), timed.Refused)
	if (timed.Refused == "") != (len(timed.Samples) == 3) {
		t.Errorf("got %+v", timed)
	}
	if !cfg.Installation.Compile && !strings.Contains(timed.Refused, "has no torch.compile") {
		t.Errorf("refused for %q", timed.Refused)
	}
}

func TestAModelMayHaveManyParameters(t *testing.T) {
	const count = 1200
	p := started(t, configured(t))
	d := loaded(t, p, `
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.parameters_with_a_name_that_is_long_enough_for_the_answer = nn.ParameterList(
            [nn.Parameter(torch.full((2,), float(i))) for i in range(1200)])
    def forward(self, x):
        return x + self.parameters_with_a_name_that_is_long_enough_for_the_answer[7]
def get_inputs(): return [torch.rand(2)]
`)
	if len(d.State) != count || d.Parameters != count {
		t.Fatalf("%d tensors of state, %d of them parameters", len(d.State), d.Parameters)
	}
	s := newTrial(t, torch.Description{Inputs: d.Inputs, Outputs: d.Outputs, Exact: true})
	whole := newMemory(t, torch.Tensor{Name: "state", DType: "float32", Shape: []int64{2 * count}})
	set := s.set()
	for i := range count {
		set.State = append(set.State, torch.Buffer{
			Name: strconv.Itoa(i), Bytes: 8, Writable: true, Size: whole.Size, Offset: guard + 8*int64(i), File: whole.File, Host: true,
		})
	}
	fault, err := p.Map(context.Background(), set)
	must(t, fault, err)
	for i, value := range whole.floats() {
		if value != float32(i/2) {
			t.Fatalf("element %d of the state is %v", i, value)
		}
	}
}
