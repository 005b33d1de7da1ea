package tasks

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// The files of a sound task; the tests break them one at a time.
const (
	goodManifest = `title = "Scale"
level = 1
flops = "n"
dims = ["n", "m"]

[tolerance]
abs = 1e-5
rel = 1e-4

[sizes]
small = { n = 3, m = 5 }
full = { n = 30, m = 50 }
tiny = { n = 1, m = 2 }

[[input]]
name = "x"
dtype = "float32"
shape = ["n", "m-1"]
fill = "normal(0, 1)"

[[output]]
name = "y"
dtype = "float16"
shape = ["n", "2"]
`
	goodReference = `import torch.nn as nn

n = 30
m = 50


class Model(nn.Module):
    def forward(self, x):
        return x[:, :2]


def get_inputs():
    return []


def get_init_inputs():
    return []
`
	goodNative = `template <typename real>
void reference(const real* x, real* y, int64_t n, int64_t m, cudaStream_t stream)
{
}
`
)

// folder holds one task below "set/one".
func folder(manifest, reference, native string) fstest.MapFS {
	return fstest.MapFS{
		"set/one/task.toml":    {Data: []byte(manifest)},
		"set/one/reference.py": {Data: []byte(reference)},
		"set/one/reference.cu": {Data: []byte(native)},
	}
}

// replace changes one text that must be there.
func replace(t *testing.T, text, old, with string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("%q is not in the text", old)
	}
	return strings.Replace(text, old, with, 1)
}

func mustLoad(t *testing.T, files fstest.MapFS) Catalog {
	t.Helper()
	c, problems := Load(files, "set", "test")
	for _, p := range problems {
		t.Fatalf("unexpected problem: %v", p)
	}
	return c
}

// mustSub is the folder of the task itself.
func mustSub(t *testing.T, files fstest.MapFS) fs.FS {
	t.Helper()
	sub, err := fs.Sub(files, "set/one")
	if err != nil {
		t.Fatal(err)
	}
	return sub
}
