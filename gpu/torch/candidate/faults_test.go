package candidate

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu/process"
)

const header = "import torch\nimport torch.nn as nn\n"

func TestFaultsOfLoading(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		kind   process.FaultKind
		want   string
		line   int
	}{
		"syntax":         {"x = = 1\n\nclass ModelNew:\n    pass\n", FaultImport, "SyntaxError: ", 1},
		"raises":         {"import torch\nraise ValueError('no luck')\n", FaultImport, "ValueError: no luck", 2},
		"no ModelNew":    {"class Model:\n    pass\n", FaultMissing, "defines no class ModelNew", 0},
		"cannot be made": {header + "class ModelNew(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n        self.w = n / 0\n", FaultInit, "ZeroDivisionError: division by zero", 6},
		"Triton":         {header + "import triton\nimport triton.language as tl\n", FaultUnsupported, "Triton needs a GPU", 3},
		"exits":          {"import os\nos._exit(0)\n", process.FaultExit, "the answer called os._exit(0)", 2},
		"exits from C":   {"import ctypes\nctypes.CDLL(None)._exit(7)\n", process.FaultExit, "exited with code 7", 0},
		"aborts":         {"import os\nos.abort()\n", process.FaultAbort, "called abort", 0},
		"null pointer":   {"import ctypes\nctypes.string_at(0)\n", process.FaultAddress, "null pointer", 0},
		"hangs":          {"while True:\n    pass\n", process.FaultTimeout, "did not end within 3s", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, config(t))
			limit := ample
			if c.kind == process.FaultTimeout {
				limit = 3 * time.Second
			}
			_, fault, err := p.Load(t.Context(), request(t, c.answer), noBuild, limit)
			expect(t, fault, err, c.kind, c.want, c.line)
			if p.Alive() {
				t.Error("the process is still there")
			}
		})
	}
}

func expect(t *testing.T, fault *process.Fault, err error, kind process.FaultKind, want string, line int) {
	t.Helper()
	if err != nil || fault == nil || fault.Kind != kind || !strings.Contains(fault.Message, want) || fault.Line != line {
		t.Errorf("fault %+v, error %v; want %s in line %d: %q", fault, err, kind, line, want)
	}
}

func TestFaultsOfForward(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body []string
		kind process.FaultKind
		want string
		line int // of the body
	}{
		"raises":              {[]string{"y = x + 1", "raise RuntimeError('no\\tluck\\nat all')"}, FaultRuntime, "RuntimeError: no luck at all", 2},
		"raises within torch": {[]string{"return x @ torch.ones(3, 3)"}, FaultRuntime, "RuntimeError: ", 1},
		"a view of its input": {[]string{"return x.view(2, 2).view(4)"}, FaultOutput, "out lies in the memory of input x", 0},
		"a subclass":          {[]string{"class Fake(torch.Tensor):", "    pass", "return (x * 2).as_subclass(Fake)"}, FaultOutput, "out is a value of type Fake", 0},
		"writes to its input": {[]string{"x.mul_(2)", "return x + 0"}, process.FaultAddress, "wrote to input x, which can only be read", 0},
		// One of these fits and leaves room for torch's threads: OpenMP exits where it cannot make them.
		"too much memory":           {[]string{"y = [torch.ones(3 << 26) for _ in range(8)]", "return x * 2"}, process.FaultMemory, "RuntimeError: ", 1},
		"too much memory in Python": {[]string{"y = bytearray(1 << 33)", "return x * 2"}, process.FaultMemory, "MemoryError", 1},
		"hangs":                     {[]string{"while True: pass"}, process.FaultTimeout, "did not end within 3s", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config(t)
			cfg.Memory = 1 << 30
			p := start(t, cfg)
			_, fault, err := p.Load(t.Context(), request(t, forward(c.body...)), noBuild, ample)
			none(t)(fault, err)
			none(t)(p.Map(t.Context(), set(t, 2)))
			limit := ample
			if c.kind == process.FaultTimeout {
				limit = 3 * time.Second
			}
			_, fault, err = p.Call(t.Context(), Call{Limit: limit})
			line := 0
			if c.line > 0 {
				line = forwardLine - 1 + c.line
			}
			expect(t, fault, err, c.kind, c.want, line)
		})
	}
}

// TestIsContained has an answer try what it must not: it either dies of it or is told
// that it may not.
func TestIsContained(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("nothing is contained on this system")
	}
	cfg := config(t)
	layers := start(t, cfg).Layers()
	secret := write(t, "secret.txt", "a secret")
	for name, c := range map[string]struct {
		layer string
		code  string
		kind  process.FaultKind
		want  string
	}{
		"reads elsewhere":  {"landlock", "open('" + secret + "').read()", FaultImport, "PermissionError"},
		"writes elsewhere": {"landlock", "open('" + secret + "', 'a').write('x')", FaultImport, "PermissionError"},
		"the network":      {"seccomp", "import socket; socket.socket()", process.FaultForbidden, "socket"},
		"forks":            {"seccomp", "import os; os.fork()", process.FaultForbidden, "clone"},
		"starts a program": {"seccomp", "import os; os.execv('/bin/true', ['true'])", process.FaultForbidden, "execve"},
		// Python may block signals around its fork: then the process dies without a word.
		"a subprocess":    {"seccomp", "import subprocess; subprocess.run(['/bin/true'])", process.FaultForbidden, "forbidden"},
		"kills its judge": {"seccomp", "import os; os.kill(os.getppid(), 0)", process.FaultForbidden, "kill"},
		"a huge file":     {"rlimits", "f = open('huge', 'wb')\nfor _ in range(99): f.write(bytes(1 << 20))", process.FaultForbidden, "a file grew beyond its limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if layers[c.layer] != "on" {
				t.Skipf("%s is %s", c.layer, layers[c.layer])
			}
			p := start(t, cfg)
			_, fault, err := p.Load(t.Context(), request(t, c.code+"\n"), noBuild, ample)
			line := 0
			if c.kind == FaultImport {
				line = 1
			}
			expect(t, fault, err, c.kind, c.want, line)
		})
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "a secret" {
		t.Errorf("the secret is now %q, %v", text, err)
	}
}

func TestWhatIsAllowed(t *testing.T) {
	t.Parallel()
	p := loaded(t, "import os, tempfile, threading, inspect, ctypes, random, math\n"+
		"with tempfile.TemporaryDirectory() as d:\n    open(os.path.join(d, 'f'), 'w').write('x')\n"+
		"t = threading.Thread(target=print, args=('from a thread',)); t.start(); t.join()\n"+
		"torch_threads = __import__('torch').ones(1 << 20).sum()\n"+
		"in_python = 2 * __import__('torch').randn(3, device='meta') + 1\n"+
		forward("return x * 2")+"print(inspect.getsource(ModelNew)[:14])\n")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if said := p.Output(); said != "from a thread\nclass ModelNew\n" {
		t.Errorf("it printed %q", said)
	}
}

func TestTriesToFillTheScreen(t *testing.T) {
	t.Parallel()
	p := loaded(t, "for _ in range(100): print('x' * (1 << 20))\n"+forward("return x * 2"))
	if n := len(p.Output()); n == 0 || n > 64<<10 {
		t.Errorf("%d bytes of what it printed were kept", n)
	}
}
