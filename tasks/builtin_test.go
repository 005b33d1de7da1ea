package tasks

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func builtins(t *testing.T) []Task {
	t.Helper()
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return c.All()
}

func TestBuiltinTasks(t *testing.T) {
	t.Parallel()
	all := builtins(t)
	if len(all) < 10 {
		t.Fatalf("%d tasks", len(all))
	}
	for _, task := range all {
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			if want := fmt.Sprintf("builtin/l%d/%s", task.Level, task.Name); task.ID != want {
				t.Errorf("ID %s, want %s", task.ID, want)
			}
			if len(task.Sizes) < 4 || task.Sizes[0].Name != "small" || task.Sizes[1].Name != "full" {
				t.Errorf("sizes: %+v", task.Sizes)
			}
			if small := bytes(t, task, "small"); small > 2<<20 {
				t.Errorf("small needs %d bytes: too many for emulation", small)
			}
			if full := bytes(t, task, "full"); full < 30<<20 || full > 256<<20 {
				t.Errorf("full needs %d bytes: want tens of megabytes", full)
			}
		})
	}
}

// A last tile that is not whole must occur, or kernels that forget it pass.
func TestBuiltinSizesAreRagged(t *testing.T) {
	t.Parallel()
	for _, task := range builtins(t) {
		ragged := 0
		for _, s := range task.Sizes {
			for _, d := range s.Values {
				if d%32 != 0 {
					ragged++
					break
				}
			}
		}
		if small := task.Sizes[0]; ragged < 2 || allMultiples(small) {
			t.Errorf("%s: only %d sizes are not multiples of 32, small: %v", task.ID, ragged, small.Values)
		}
	}
}

func allMultiples(s SizeSet) bool {
	for _, d := range s.Values {
		if d%32 != 0 {
			return false
		}
	}
	return true
}

func bytes(t *testing.T, task Task, size string) int64 {
	t.Helper()
	s, err := task.Size(size)
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, tensor := range task.Signature.Tensors() {
		n, err := s.Elements(tensor)
		if err != nil {
			t.Fatal(err)
		}
		total += n * tensor.DType.Bytes()
	}
	return total
}

// inspect prints the shapes and types of a reference's inputs and outputs at one
// size. The constants are set after the file has run: get_inputs reads them late.
const inspect = `
import json, sys
import torch
file, values = sys.argv[1], json.loads(sys.argv[2])
scope = {}
exec(compile(open(file).read(), file, "exec"), scope)
scope.update(values)
inputs = scope["get_inputs"]()
outputs = scope["Model"](*scope["get_init_inputs"]()).forward(*inputs)
if not isinstance(outputs, tuple):
    outputs = (outputs,)
print(json.dumps([[str(t.dtype).removeprefix("torch."), list(t.shape)] for t in (*inputs, *outputs)]))
`

func TestBuiltinReferencesRun(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("python3", "-c", "import torch").CombinedOutput(); err != nil {
		t.Skipf("python3 with torch is needed to run the references: %v: %s", err, lastLine(out))
	}
	for _, task := range builtins(t) {
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), referenceFile)
			if err := os.WriteFile(file, []byte(task.Reference), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, s := range task.Sizes {
				if s.Name != "full" { // needs minutes on a CPU
					compareShapes(t, task, s, file)
				}
			}
		})
	}
}

func compareShapes(t *testing.T, task Task, s SizeSet, file string) {
	t.Helper()
	values, err := json.Marshal(s.Values)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("python3", "-c", inspect, file, string(values)).CombinedOutput()
	if err != nil {
		t.Fatalf("size %s: %v: %s", s.Name, err, lastLine(out))
	}
	var got [][2]any
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("size %s: %v: %s", s.Name, err, out)
	}
	var want [][2]any
	for _, tensor := range task.Signature.Tensors() {
		shape, err := s.Shape(tensor)
		if err != nil {
			t.Fatal(err)
		}
		axes := make([]any, len(shape))
		for i, n := range shape {
			axes[i] = float64(n)
		}
		want = append(want, [2]any{string(tensor.DType), axes})
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("size %s: reference.py has %v, task.toml %v", s.Name, got, want)
	}
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
