package oracle

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
)

// spell is a description in short: inputs, state, outputs.
func spell(d torch.Description) string {
	var parts []string
	for _, v := range d.Inputs {
		if v.Tensor == nil {
			parts = append(parts, v.Name+"="+v.Text)
			continue
		}
		parts = append(parts, spellTensor(*v.Tensor))
	}
	text := strings.Join(parts, " ") + " |"
	for _, t := range d.State {
		text += " " + spellTensor(t)
	}
	text += " | " + d.Structure
	for _, t := range d.Outputs {
		text += " " + spellTensor(t)
	}
	return text
}

func spellTensor(t torch.Tensor) string { return fmt.Sprintf("%s:%s%v", t.Name, t.DType, t.Shape) }

func TestLoadDescribesWhatAReferenceTakesAndGives(t *testing.T) {
	p := started(t, configured(t))
	forward := func(parameters, body, inputs string) string {
		return "class Model(nn.Module):\n    def forward(self, " + parameters + "):\n        " + body +
			"\ndef get_inputs():\n    return " + inputs + "\ndef get_init_inputs():\n    return []\n"
	}
	tests := []struct{ name, text, want string }{
		{"linear", linear, "x:float32[5 3] | linear.weight:float32[2 3] linear.bias:float32[2] | tensor out:float32[5 2]"},
		{"convolution", `
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 3)
    def forward(self, x):
        return torch.relu(self.conv(x))
def get_inputs(): return [torch.rand(1, 2, 8, 8)]
`, "x:float32[1 2 8 8] | conv.weight:float32[3 2 3 3] conv.bias:float32[3] | tensor out:float32[1 3 6 6]"},
		{"buffers", norm, "x:float32[8 3] | norm.weight:float32[3] norm.bias:float32[3] norm.running_mean:float32[3] " +
			"norm.running_var:float32[3] norm.num_batches_tracked:int64[] | tensor out:float32[8 3]"},
		{"tuple", forward("x", "return x + 1, (x > 0).sum()", "[torch.rand(4)]"),
			"x:float32[4] | | tuple(2) out[0]:float32[4] out[1]:int64[]"},
		{"dict", forward("x", "return {'a': x, 'b': x > 0}", "[torch.rand(4)]"),
			"x:float32[4] | | dict(a,b) out['a']:float32[4] out['b']:bool[4]"},
		{"list input", forward("xs, k", "return xs[0] + xs[1]", "[[torch.rand(4), torch.rand(1)], 'plain']"),
			"xs[0]:float32[4] xs[1]:float32[1] k='plain' | | tensor out:float32[4]"},
		{"scalar input", forward("x, s", "return x * s", "[torch.rand(4), 3.5]"), "x:float32[4] s=3.5 | | tensor out:float32[4]"},
		{"indices", forward("x, i", "return x[i]", "[torch.rand(4), torch.randint(0, 4, (2, 2))]"),
			"x:float32[4] i:int64[2 2] | | tensor out:float32[2 2]"},
		{"mask", forward("x, m", "return x * m", "[torch.rand(4), torch.rand(4) > 0.5]"),
			"x:float32[4] m:bool[4] | | tensor out:float32[4]"},
		{"bfloat16", forward("x", "return x + x", "[torch.rand(4).bfloat16()]"), "x:bfloat16[4] | | tensor out:bfloat16[4]"},
		{"named arguments", forward("x, *, scale", "return x * scale", "[[torch.rand(4)], {'scale': torch.rand(1)}]"),
			"x:float32[4] scale:float32[1] | | tensor out:float32[4]"},
		{"a list and a dict that are arguments", forward("xs, options", "return xs[0] * options['k']", "[[torch.rand(4)], {'k': 2}]"),
			"xs[0]:float32[4] options={'k': 2} | | tensor out:float32[4]"},
		{"named init inputs", strings.Replace(linear, "[3, 2]", "[[], {'wide': 3, 'deep': 4}]", 1),
			"x:float32[5 3] | linear.weight:float32[4 3] linear.bias:float32[4] | tensor out:float32[5 4]"},
		{"one tensor alone", forward("x", "return x", "torch.rand(2)"), "x:float32[2] | | tensor out:float32[2]"},
		{"no elements", forward("x", "return x", "[torch.rand(0, 3)]"), "x:float32[0 3] | | tensor out:float32[0 3]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := loaded(t, p, test.text)
			if got := spell(d); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if d.Seed != 42 || !d.Deterministic || !d.Exact {
				t.Errorf("seed %d, deterministic %t, exact %t: %s", d.Seed, d.Deterministic, d.Exact, d.ExactWhy)
			}
		})
	}
}

func TestLoadNotesWhatAPersonShouldKnow(t *testing.T) {
	p := started(t, configured(t))
	body := func(forward string) string {
		return "class Model(nn.Module):\n    def forward(self, x):\n" + forward + "\ndef get_inputs():\n    return [torch.rand(4, 2)]\n"
	}
	tests := []struct {
		name, text, says string
		exact            bool
	}{
		{"dropout", dropout, "dropout is live: p = 0.5", false},
		{"random numbers", body("        return x + torch.rand(4, 2)"), "draws random numbers", false},
		{"writes to its input", body("        return x.mul_(2)"), "writes to its input x", true},
		{"refuses other magnitudes", body("        return nn.functional.binary_cross_entropy(x, x)"), "other magnitudes are not tried", true},
		{"raises for other magnitudes", body("        assert x.max() <= 1\n        return x"), "other magnitudes are not tried", true},
		{"not contiguous", strings.Replace(body("        return x"), "rand(4, 2)", "rand(2, 4).T", 1), "input x is not contiguous", true},
		{"varying argument", strings.Replace(body("        return x"), "[torch.rand(4, 2)]", "[torch.rand(4, 2), torch.rand(1).item()]", 1),
			"", true},
		{"keeps a tensor", `
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.zeros(2)
    def forward(self, x):
        self.hidden = self.hidden + x
        return self.hidden
def get_inputs(): return [torch.ones(2)]
`, "neither parameter nor buffer: hidden", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := test.text
			if test.name == "varying argument" {
				text = strings.Replace(text, "self, x", "self, x, s", 1)
				test.says = "argument s differs from draw to draw"
			}
			d := loaded(t, p, text)
			if notes := strings.Join(d.Notes, "\n"); !strings.Contains(notes, test.says) {
				t.Errorf("no note says %q: %q", test.says, notes)
			}
			if d.Exact != test.exact || d.Exact != (d.ExactWhy == "") {
				t.Errorf("exact %t: %q", d.Exact, d.ExactWhy)
			}
		})
	}
}

func TestLoadSaysWhyThereIsNoDoublePrecision(t *testing.T) {
	cfg := configured(t)
	single := "class Model(nn.Module):\n    def forward(self, x):\n        return %s\ndef get_inputs():\n    return [torch.rand(%s)]\n"
	tests := []struct {
		name, forward, shape string
		memory               int64
		says                 string
	}{
		{"memory", "x", "1024, 1024", 32 << 20, "double precision takes about 48 MiB, and 32 MiB are free"},
		{"single in double", "x.float()", "4", 0, "float32 in double precision as well"},
		{"refuses double", "nn.functional.linear(x, torch.eye(4, dtype=torch.float32))", "4", 0, "does not run in double precision: RuntimeError"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg.Memory = test.memory
			p := started(t, cfg)
			d := loaded(t, p, fmt.Sprintf(single, test.forward, test.shape))
			if d.Exact || !strings.Contains(d.ExactWhy, test.says) {
				t.Fatalf("exact %t: %q does not say %q", d.Exact, d.ExactWhy, test.says)
			}
			mapped(t, p, d, 1)
			drawn(t, p, 0, Draw{Seed: 1, Kind: Fresh})
			if e := expected(t, p, 0); e.Exact || e.Why != d.ExactWhy {
				t.Errorf("expected: %+v", e)
			}
		})
	}
}

func TestAReferenceTooLargeForACPUIsRefused(t *testing.T) {
	cfg := configured(t)
	if cfg.Device != CPU {
		t.Skip("a GPU's memory is not divided beforehand")
	}
	const text = "class Model(nn.Module):\n    def forward(self, x):\n        return x.expand(1 << 40)\ndef get_inputs(): return [torch.rand(1)]\n"
	cfg.Copies = 2
	_, fault, err := started(t, cfg).Load(context.Background(), source(t, text), loadLimit)
	if err != nil || fault == nil || fault.Kind != process.FaultMemory {
		t.Fatalf("fault %v, error %v", fault, err)
	}
	if want := "its inputs and outputs take 4096.0 GiB, of which 2 more sets are needed"; !strings.Contains(fault.Message, want) {
		t.Errorf("got %q, want %q", fault.Message, want)
	}
}

func TestAReferenceThatFailsIsAFaultWithItsLine(t *testing.T) {
	cfg := configured(t)
	tests := []struct {
		name, text string // the imports are lines 1 and 2
		kind       process.FaultKind
		line       int
		says       string
	}{
		{"syntax", "\ndef get_inputs(:\n    pass\n", FaultSyntax, 4, "invalid syntax"},
		{"import", "import hone_knows_no_such_module\n", FaultReference, 3, "No module named"},
		{"no model", "def get_inputs(): return []\n", FaultMissing, 0, "defines no Model"},
		{"no inputs", "class Model(nn.Module): pass\n", FaultMissing, 0, "defines no get_inputs"},
		{"constructor raises", "class Model(nn.Module):\n    def __init__(self):\n        raise ValueError('odd width')\ndef get_inputs(): return []\n",
			FaultReference, 5, "Model: ValueError: odd width"},
		{"forward raises", "class Model(nn.Module):\n    def forward(self, x):\n        return x @ x\ndef get_inputs(): return [torch.rand(2, 3)]\n",
			FaultReference, 5, "forward: RuntimeError: mat1 and mat2"},
		{"returns text", "class Model(nn.Module):\n    def forward(self, x):\n        return x, 'text'\ndef get_inputs(): return [torch.rand(2)]\n",
			FaultUnsupported, 0, "forward returns str in out[1]"},
		{"complex", "class Model(nn.Module):\n    def forward(self, x):\n        return torch.fft.fft(x)\ndef get_inputs(): return [torch.rand(2)]\n",
			FaultUnsupported, 0, "torch.complex64"},
		{"varying shapes", "import random\nclass Model(nn.Module):\n    def forward(self, x):\n        return x\ndef get_inputs(): return [torch.rand(random.randint(1, 1000))]\n",
			FaultUnsupported, 0, "another shape in each draw"},
		{"too large", "class Model(nn.Module):\n    def forward(self, x):\n        return x\ndef get_inputs(): return [torch.rand(1 << 45)]\n",
			process.FaultMemory, 6, "get_inputs: takes more memory than is free, judge it where there is more (RuntimeError"},
		{"exits", "import sys\nsys.exit(3)\n", FaultReference, 4, "SystemExit: 3"},
		{"endless", "class Model(nn.Module): pass\ndef get_inputs():\n    while True:\n        pass\n", process.FaultTimeout, 0, "did not end within"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := started(t, cfg)
			limit := loadLimit
			if test.kind == process.FaultTimeout {
				limit = time.Second
			}
			_, fault, err := p.Load(context.Background(), source(t, test.text), limit)
			if err != nil || fault == nil {
				t.Fatalf("fault %v, error %v", fault, err)
			}
			if fault.Kind != test.kind || fault.Line != test.line || !strings.Contains(fault.Message, test.says) {
				t.Errorf("got %s at line %d: %q", fault.Kind, fault.Line, fault.Message)
			}
			if p.Alive() {
				t.Error("the process lives on")
			}
		})
	}
}
