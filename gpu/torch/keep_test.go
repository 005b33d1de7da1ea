package torch

import (
	"os"
	"path/filepath"
	"testing"
)

func TestKept(t *testing.T) {
	t.Parallel()
	write := func(path, text string) string {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		python string // its file's first bytes
		found  Installation
		change func(python, folder string) []string // candidates asked for next, nil for the same
		held   bool
	}{
		"as it was":              {"\x7fELF", Installation{Torch: "2.11"}, nil, true},
		"another torch":          {"\x7fELF", Installation{}, func(_, folder string) []string { write(filepath.Join(folder, "version.py"), "2.12"); return nil }, false},
		"another Python":         {"\x7fELF", Installation{}, func(python, _ string) []string { write(python, "\x7fELF3.13"); return nil }, false},
		"no Python any more":     {"\x7fELF", Installation{}, func(python, _ string) []string { _ = os.Remove(python); return nil }, false},
		"another candidate":      {"\x7fELF", Installation{}, func(python, _ string) []string { return []string{write(python+"2", "\x7fELF"), python} }, false},
		"a script that chooses":  {"#!/bin/sh", Installation{}, nil, false},
		"a GPU was not seen":     {"\x7fELF", Installation{CUDA: "13.0"}, nil, false},
		"another package":        {"\x7fELF", Installation{}, func(_, folder string) []string { write(filepath.Join(folder, "..", "triton", "x.py"), ""); return nil }, false},
		"packages of the person": {"\x7fELF", Installation{}, func(python, _ string) []string { write(filepath.Join(python+"-user", "x.py"), ""); return nil }, false},
		"torch for an earlier candidate": {"\x7fELF", Installation{}, func(python, _ string) []string {
			write(filepath.Join(python+"-earlier", "torch", "x.py"), "")
			return nil
		}, false},
		"a GPU was seen": {"\x7fELF", Installation{CUDA: "13.0", Devices: 1}, nil, true},
	} {
		dir := t.TempDir()
		python, folder := write(filepath.Join(dir, "bin", "python3"), c.python), filepath.Join(dir, "packages", "torch")
		write(filepath.Join(folder, "version.py"), "2.11.0")
		c.found.Python, c.found.Folder = python, folder
		file, candidates := filepath.Join(dir, "kept", "torch.json"), []string{"", python}
		c.found.Packages = []string{python + "-user"}
		write(filepath.Join(python+"-earlier", "pip.py"), "")
		keep(file, candidates, c.found, []string{python + "-earlier"})
		if c.change != nil {
			if next := c.change(python, folder); next != nil {
				candidates = next
			}
		}
		got, held := recall(file, candidates)
		if held != c.held || held && (got.Python != python || got.Torch != c.found.Torch) {
			t.Errorf("%s: held %v, %+v", name, held, got)
		}
	}
}

func TestRecallOfNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "torch.json")
	for name, text := range map[string]string{"no JSON": "{", "empty": "{}", "of another kind": `{"Places":3}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, held := recall(file, nil); held {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
