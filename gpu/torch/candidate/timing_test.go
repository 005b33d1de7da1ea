package candidate

import (
	"strings"
	"testing"

	"example.com/hone/gpu/device"
)

func TestTimesForward(t *testing.T) {
	t.Parallel()
	p := loaded(t, "count = 0\n"+forward("global count", "count += 1", "return x * 0 + count"))
	first, second := set(t, 2), set(t, 2)
	none(t)(p.Map(t.Context(), first, second))
	result, fault, err := p.Time(t.Context(), Timing{Method: device.Cold, Samples: 3, Warmup: 1, First: 0, Limit: ample})
	none(t)(fault, err)
	if len(result.Samples) != 3 || result.Wall <= 0 || result.Samples[0] <= 0 || result.Method != device.Cold {
		t.Errorf("result %+v", result)
	}
	// The warm-up was call 1 on the second set; samples 2, 3 and 4 took the sets in turn.
	if a, b := floats(t, first.Outputs[0])[0], floats(t, second.Outputs[0])[0]; a != 4 || b != 3 {
		t.Errorf("the outputs are those of calls %v and %v", a, b)
	}
}

func TestTimedOutputsAreChecked(t *testing.T) {
	t.Parallel()
	p := loaded(t, "count = 0\n"+forward("global count", "count += 1", "return x * 2 if count < 3 else x"))
	none(t)(p.Map(t.Context(), set(t, 2)))
	_, fault, err := p.Time(t.Context(), Timing{Method: device.Warm, Samples: 5, Limit: ample})
	expect(t, fault, err, FaultOutput, "out lies in the memory of input x", 0)
}

func TestStateIsTheReferences(t *testing.T) {
	t.Parallel()
	p := start(t, config(t))
	answer := "import torch\nimport torch.nn as nn\n\nclass ModelNew(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n" +
		"        self.register_buffer('weight', torch.zeros(1))\n\n    def forward(self, x, k):\n        self.weight += 1\n        return x * self.weight\n"
	l := request(t, answer)
	l.Description.State = append(l.Description.State, vector("bias", 1))
	result, fault, err := p.Load(t.Context(), l, noBuild, ample)
	none(t)(fault, err)
	if len(result.Unmatched) != 1 || result.Unmatched[0] != "bias" {
		t.Errorf("unmatched %v", result.Unmatched)
	}
	first, second := set(t, 5), set(t, 0)
	first.State = append(first.State, memory(t, "bias", false, 1))
	second.State = nil
	none(t)(p.Map(t.Context(), first, second))
	for i, s := range []Set{first, second, first} {
		_, fault, err := p.Call(t.Context(), Call{Set: i % 2, Limit: ample})
		none(t)(fault, err)
		if got := floats(t, s.Outputs[0])[0]; got != 6 {
			t.Errorf("call %d: %v: the state is not as it was", i, got)
		}
	}
}

func TestWritableInputsMayBeReturned(t *testing.T) {
	t.Parallel()
	p := loaded(t, forward("return x.mul_(2)"))
	chosen := set(t, 2)
	chosen.Inputs[0].Writable = true
	none(t)(p.Map(t.Context(), chosen))
	_, fault, err := p.Call(t.Context(), Call{Limit: ample})
	none(t)(fault, err)
	if got := floats(t, chosen.Outputs[0])[3]; got != 8 {
		t.Errorf("got %v", got)
	}
}

func TestRequestsThatCannotBe(t *testing.T) {
	t.Parallel()
	p := loaded(t, forward("return x * 2"))
	for name, c := range map[string]Timing{
		"no samples":  {Method: device.Cold},
		"many":        {Method: device.Cold, Samples: device.MaxSamples + 1},
		"by a graph":  {Method: device.Graph, Samples: 1},
		"negative L2": {Method: device.Cold, Samples: 1, L2: -1},
	} {
		if _, fault, err := p.Time(t.Context(), c); fault != nil || err == nil {
			t.Errorf("%s: fault %+v, error %v", name, fault, err)
		}
	}
	_, fault, err := p.Call(t.Context(), Call{Set: 3, Limit: ample})
	expect(t, fault, err, FaultRequest, "there is no set 3", 0)
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	two := Timing{Method: device.Cold, Samples: 2}
	for name, c := range map[string]struct{ text, want string }{
		"good":          {`{"wall_ns":9,"empty_ns":0,"null_ns":1,"samples":[3,4]}`, ""},
		"fewer samples": {`{"wall_ns":9,"empty_ns":0,"null_ns":1,"samples":[3]}`, "1 samples instead of 2"},
		"below zero":    {`{"wall_ns":9,"empty_ns":0,"null_ns":1,"samples":[3,-4]}`, "less than no time"},
		"negative wall": {`{"wall_ns":-9,"empty_ns":0,"null_ns":1,"samples":[3,4]}`, "impossible times"},
		"a fraction":    {`{"wall_ns":9,"empty_ns":0,"null_ns":1,"samples":[3,4.5]}`, "bad JSON"},
		"too large":     {`{"wall_ns":9,"empty_ns":0,"null_ns":1,"samples":[3,99999999999999999999]}`, "bad JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parseTime([][]string{{"json", c.text}}, two)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestPoolKeepsProcessesReady(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	pool := NewPool(cfg, 1)
	defer pool.Close()
	p, err := pool.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, fault, err := p.Load(t.Context(), request(t, forward("return x * 2")), noBuild, ample)
	none(t)(fault, err)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestNoDevice(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	if cfg.Installation.Devices > 0 {
		t.Skip("there is a device")
	}
	cfg.Device = 0
	_, err := Start(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), "start candidate") {
		t.Errorf("Start: %v", err)
	}
}
