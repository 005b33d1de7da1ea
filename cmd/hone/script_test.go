package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/judge"
	"example.com/hone/gpu/torch"
)

func TestMain(m *testing.M) {
	testscript.Main(cleaner{m}, map[string]func(){"hone": func() { os.Exit(run(os.Args[1:], systemStreams())) }})
}

// cleaner removes the binary that the tests built, if one did.
type cleaner struct{ *testing.M }

func (c cleaner) Run() int {
	code := c.M.Run()
	if builtIn != "" {
		os.RemoveAll(builtIn)
	}
	return code
}

// withoutDriver reports whether this machine has no NVIDIA driver at all.
func withoutDriver() bool {
	_, err := cuda.Open(cuda.Options{})
	u, ok := errors.AsType[*cuda.Unavailable](err)
	return ok && u.Cause == cuda.NoLibrary
}

// pythonWithTorch is the Python that the tests of references run, "" where there is none.
func pythonWithTorch(t *testing.T) string {
	found, err := torch.Find(t.Context(), []string{os.Getenv("HONE_PYTHON"), "python3", "/usr/bin/python3"})
	if err != nil {
		t.Logf("scripts that need torch are skipped: %v", err)
	}
	return found.Python
}

// TestScripts runs every verb as a person would type it, without a terminal.
func TestScripts(t *testing.T) {
	t.Parallel()
	checkout, err := filepath.Abs(filepath.Join("testdata", "checkout"))
	if err != nil {
		t.Fatal(err)
	}
	torchPython := sync.OnceValue(func() string { return pythonWithTorch(t) })
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Condition: func(name string) (bool, error) {
			switch name {
			case "nodriver":
				return withoutDriver(), nil
			case "torch":
				return torchPython() != "", nil
			}
			return false, fmt.Errorf("no condition %q", name)
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/config")
			env.Setenv("XDG_DATA_HOME", env.WorkDir+"/data")
			env.Setenv("XDG_CACHE_HOME", env.WorkDir+"/cache")
			env.Setenv("HONE_CACHE", sharedCache())
			env.Setenv("HONE_DEVICE", judge.DeviceEmulated)
			env.Setenv("KERNELS", kernelFolder())
			env.Setenv("CHECKOUT", checkout)
			env.Setenv("HONE_PYTHON", torchPython())
			if self, err := exec.LookPath("hone"); err == nil {
				env.Setenv("HONE", self)
			}
			return nil
		},
	})
}
