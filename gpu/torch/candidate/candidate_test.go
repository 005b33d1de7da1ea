package candidate

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/hone/gpu/native"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
	"example.com/hone/gpu/torch/inline"
)

const ample = 2 * time.Minute

// fixture is what all processes of these tests are started with.
type fixture struct {
	cfg  Config
	skip string // why there is none
}

var prepared = sync.OnceValues(func() (fixture, error) {
	dir, err := os.MkdirTemp("", "hone-candidate-")
	if err != nil {
		return fixture{}, err
	}
	folder = dir
	ctx := context.Background()
	installation, err := torch.Find(ctx, []string{os.Getenv("HONE_PYTHON"), "python3", "/usr/bin/python3"})
	if err != nil {
		return fixture{skip: err.Error()}, nil
	}
	cfg := Config{Installation: installation, Device: CPU, FileSize: 64 << 20}
	if cfg.Folder, err = torch.Prepare(ctx, dir); err != nil {
		return fixture{}, err
	}
	cfg.Containment, err = Prepare(ctx, dir, native.DefaultCompiler)
	return fixture{cfg: cfg}, err
})

var folder string // of the fixture, removed at the end

func TestMain(m *testing.M) {
	code := m.Run()
	if folder != "" {
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

func config(t *testing.T) Config {
	t.Helper()
	f, err := prepared()
	if err != nil {
		t.Fatal(err)
	}
	if f.skip != "" {
		t.Skip(f.skip)
	}
	cfg := f.cfg
	cfg.Scratch = t.TempDir()
	return cfg
}

func start(t *testing.T, cfg Config) *Process {
	t.Helper()
	p, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

// double is a task: twice the input, with a weight of one number.
const double = `
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.full((1,), 2.0))

    def forward(self, x, k):
        return x * self.weight * k

def get_inputs():
    return [torch.rand(N), 1.0]

def get_init_inputs():
    return [N]

N = 4
`

func vector(name string, n int64) torch.Tensor {
	return torch.Tensor{Name: name, DType: "float32", Shape: []int64{n}}
}

func doubleTask() torch.Description {
	x := vector("x", 4)
	return torch.Description{
		Inputs: []torch.Value{{Name: "x", Kind: torch.KindTensor, Tensor: &x}, {Name: "k", Kind: torch.KindText, Text: "1.0"}},
		State:  []torch.Tensor{vector("weight", 1)}, Outputs: []torch.Tensor{vector("out", 4)}, Structure: "tensor",
	}
}

// forward is an answer that has only this body of forward.
func forward(lines ...string) string {
	return "import torch\nimport torch.nn as nn\n\nclass ModelNew(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n" +
		"        self.weight = nn.Parameter(torch.zeros(1))\n\n    def forward(self, x, k):\n        " + strings.Join(lines, "\n        ") + "\n"
}

const forwardLine = 10 // of the first line of such a body

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func noBuild(context.Context, inline.Request) (inline.Built, error) {
	return inline.Built{}, fmt.Errorf("nothing should be built")
}

func request(t *testing.T, answer string) Load {
	t.Helper()
	return Load{Answer: write(t, "answer.py", answer), Reference: write(t, "reference.py", double), Description: doubleTask()}
}

// loaded is a process with an answer to the task double.
func loaded(t *testing.T, answer string) *Process {
	t.Helper()
	p := start(t, config(t))
	_, fault, err := p.Load(t.Context(), request(t, answer), noBuild, ample)
	none(t)(fault, err)
	return p
}

func none(t *testing.T) func(*process.Fault, error) {
	t.Helper()
	return func(fault *process.Fault, err error) {
		t.Helper()
		if fault != nil || err != nil {
			t.Fatalf("fault %+v, error %v", fault, err)
		}
	}
}

// memory is a buffer of floats with something around it.
func memory(t *testing.T, name string, writable bool, values ...float32) torch.Buffer {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "buffer")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	const offset = 256
	b := torch.Buffer{Name: name, Bytes: int64(4 * len(values)), Writable: writable, Size: 4096, Offset: offset, Host: true, File: file}
	if err := file.Truncate(b.Size); err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		var word [4]byte
		binary.LittleEndian.PutUint32(word[:], math.Float32bits(v))
		if _, err := file.WriteAt(word[:], offset+int64(4*i)); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func floats(t *testing.T, b torch.Buffer) []float32 {
	t.Helper()
	values := make([]float32, b.Bytes/4)
	for i := range values {
		var word [4]byte
		if _, err := b.File.ReadAt(word[:], b.Offset+int64(4*i)); err != nil {
			t.Fatal(err)
		}
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(word[:]))
	}
	return values
}

// set is the buffers of one call of the task double, whose weight is this one.
func set(t *testing.T, weight float32) Set {
	t.Helper()
	return Set{
		Inputs: []torch.Buffer{memory(t, "x", false, 1, 2, 3, 4)}, State: []torch.Buffer{memory(t, "weight", false, weight)},
		Outputs: []torch.Buffer{memory(t, "out", true, -1, -1, -1, -1)},
	}
}

func TestRunsAnAnswer(t *testing.T) {
	t.Parallel()
	p := loaded(t, forward("return x.cuda() * self.weight * k"))
	first, second := set(t, 2), set(t, 3)
	none(t)(p.Map(t.Context(), first, second))
	for i, want := range []float32{2, 3} {
		result, fault, err := p.Call(t.Context(), Call{Set: i, Limit: ample})
		none(t)(fault, err)
		got := floats(t, []Set{first, second}[i].Outputs[0])
		if result.Wall <= 0 || got[0] != want || got[3] != 4*want {
			t.Errorf("set %d: %v in %s", i, got, result.Wall)
		}
	}
	if runtime.GOOS == "linux" && p.Layers()["seccomp"] == "" {
		t.Errorf("layers %v", p.Layers())
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
