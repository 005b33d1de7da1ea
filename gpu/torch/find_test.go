package torch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// found is the torch that tests use, or skips the test with the reason.
func found(t *testing.T) Installation {
	t.Helper()
	i, err := Find(context.Background(), []string{os.Getenv("HONE_PYTHON"), "python3", "/usr/bin/python3"})
	if err != nil {
		t.Skip(err)
	}
	return i
}

func TestFindDescribesATorch(t *testing.T) {
	i := found(t)
	if i.Torch == "" || i.PythonVersion == "" || !filepath.IsAbs(i.Python) || !filepath.IsAbs(i.Folder) {
		t.Errorf("incomplete: %+v", i)
	}
	if _, err := os.Stat(i.Libraries[0]); err != nil {
		t.Errorf("its libraries: %v", err)
	}
	t.Logf("%+v", i)
}

func TestFindSaysWhatEachPythonLacks(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	none := script("none", `echo '{"python_version":"3.9.1","missing":"ModuleNotFoundError: No module named torch"}'`)
	tests := []struct{ name, python, says string }{
		{"no such program", filepath.Join(dir, "absent"), "no such file"},
		{"a name that is nowhere", "hone-has-no-such-python", "not found"},
		{"no torch", script("wrap", "echo "+none), "No module named torch"},
		{"fails", script("fails", "echo broken libc >&2; exit 3"), "exit status 3 broken libc"},
		{"no JSON", script("chatty", "echo /bin/echo"), "instead of JSON"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Find(context.Background(), []string{"", test.python})
			var missing *MissingError
			if !errors.As(err, &missing) || len(missing.Tried) != 1 {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "pip install torch") {
				t.Errorf("%q does not say %q and what to do", err, test.says)
			}
		})
	}
}

// TestWhatWasPassedOver holds that a Python that is there and did not answer may the next
// time, so that what was found instead is not kept.
func TestWhatWasPassedOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	answers := func(name, json string) string { // as a Python does: first its place, then what the program prints
		return script(name, `[ "$1" = -c ] && echo "$0" || echo '`+json+`'`)
	}
	good := answers("good", `{"torch":"2.11.0","packages":["/p"]}`)
	for name, c := range map[string]struct {
		before string
		unsure bool
	}{
		"nothing before it": {"", false},
		"absent":            {filepath.Join(dir, "absent"), false},
		"nowhere on PATH":   {"hone-has-no-such-python", false},
		"without torch":     {answers("without", `{"missing":"no torch","packages":["/q"]}`), false},
		"it crashed":        {script("crashed", "kill -SEGV $$"), true},
		"it said nothing":   {answers("silent", ""), true},
	} {
		found, passed, err := find(t.Context(), []string{c.before, good})
		if err != nil || found.Torch != "2.11.0" {
			t.Fatalf("%s: %+v, %v", name, found, err)
		}
		if passed.unsure != c.unsure {
			t.Errorf("%s: unsure %v, want %v", name, passed.unsure, c.unsure)
		}
	}
}

func TestFindEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Find(ctx, []string{"python3"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestPrepareUnpacksOnce(t *testing.T) {
	dir := t.TempDir()
	first, err := Prepare(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("python/hone_torch/wire.py")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(first, "hone_torch", "wire.py"))
	if err != nil || string(got) != string(want) {
		t.Errorf("wire.py is not there as it is embedded: %v", err)
	}
	if _, err := os.Stat(filepath.Join(first, "hone_torch", "facts", "__init__.py")); err != nil {
		t.Errorf("a package within is not there: %v", err)
	}
	marker := filepath.Join(first, "marker")
	if err := os.WriteFile(marker, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	second, err := Prepare(context.Background(), dir)
	if err != nil || second != first {
		t.Fatalf("the second time: %s, %v", second, err)
	}
	if _, err := os.Stat(marker); err != nil {
		t.Error("it was unpacked a second time")
	}
}
