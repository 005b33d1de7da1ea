package candidate

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tritonAnswer has Triton make all that it makes before a first launch, for the GPU
// that a CPU stands for: the bridge to the driver, by a C compiler, a kernel, by a
// program of its own, and the kernel's launcher, by C again.
const tritonAnswer = `
import os
import sys

sys.meta_path.pop(0)  # on a CPU it refuses Triton

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_pointer, out_pointer, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_pointer + at, tl.load(x_pointer + at, mask=at < size) * 2, mask=at < size)


driver = triton.runtime.driver.active
driver.get_current_stream = lambda device: 0  # nothing stands for torch's own
compiled = double_kernel.warmup(torch.float32, torch.float32, 1024, BLOCK=1024, grid=(1,))
print("cubin", compiled.asm["cubin"][:4])
print("launcher", callable(driver.launcher_cls(compiled.src, compiled.metadata)))
print("driver", os.path.relpath(os.environ["TRITON_LIBCUDA_PATH"]))


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()

    def forward(self, x, k):
        return x * 2
`

// noDriver writes a libcuda that does nothing, with the functions that Triton links
// its C with, and returns its folder.
const noDriver = `
import os, re, sys
from triton.backends import nvidia
folder = os.path.dirname(nvidia.__file__)
text = "".join(open(os.path.join(folder, name)).read() for name in ("driver.c", "driver.py"))
for name in sorted(set(re.findall(r"\bcu[A-Z]\w+(?=\()", text))):
    print(f"int {name}() {{ return 0; }}")
`

func fakeDriver(t *testing.T, python string) string {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), python, "-c", noDriver).Output()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "gcc", "-x", "c", "-", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1",
		"-o", filepath.Join(folder, "libcuda.so.1"))
	cmd.Stdin = strings.NewReader(string(text))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder
}

func TestTritonCompilesContained(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	if !cfg.Installation.Triton {
		t.Skipf("%s has no Triton", cfg.Installation.Python)
	}
	if _, err := os.Stat(filepath.Join(cfg.Installation.PythonInclude, "Python.h")); err != nil {
		t.Skipf("no Python.h: %v", err)
	}
	driver := fakeDriver(t, cfg.Installation.Python)
	cfg.Read = append(cfg.Read, driver)
	cfg.Environment = append(cfg.Environment, "LD_PRELOAD="+filepath.Join(driver, "libcuda.so.1"))
	cfg.Memory = 4 << 30
	p := start(t, cfg)
	l := request(t, tritonAnswer)
	l.Programs = true
	began := time.Now()
	_, fault, err := p.Load(t.Context(), l, noBuild, ample)
	none(t)(fault, err)
	t.Logf("Triton was ready after %s", time.Since(began))
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if want := "cubin b'\\x7fELF'\nlauncher True\ndriver driver\n"; p.Output() != want {
		t.Errorf("it printed %q, want %q", p.Output(), want)
	}
}
