package torch

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestMemo(t *testing.T) {
	t.Parallel()
	flops := int64(12)
	d := Description{Inputs: []Value{input("x", "float32", 2)}, Outputs: []Tensor{{"y", "float32", []int64{2}}}, Flops: &flops, Structure: "tensor"}
	m := Memo{Folder: filepath.Join(t.TempDir(), "made"), Torch: "2.11", Device: "cpu"}
	if _, known, err := m.Recall("class Model"); known || err != nil {
		t.Fatalf("an empty folder: %v, %v", known, err)
	}
	if err := m.Keep("class Model", d); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		memo      Memo
		reference string
		known     bool
	}{
		"the same":       {m, "class Model", true},
		"another text":   {m, "class Model:", false},
		"another torch":  {Memo{m.Folder, "2.12", "cpu"}, "class Model", false},
		"another device": {Memo{m.Folder, "2.11", "NVIDIA H200"}, "class Model", false},
	} {
		got, known, err := c.memo.Recall(c.reference)
		if err != nil || known != c.known || known && !reflect.DeepEqual(got, d) {
			t.Errorf("%s: %+v, %v, %v; want %v", name, got, known, err, c.known)
		}
	}
}

func TestMemoForgetsWhatIsDamaged(t *testing.T) {
	t.Parallel()
	m := Memo{Folder: t.TempDir()}
	path, err := m.path("class Model")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{", "{}"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, known, err := m.Recall("class Model"); known || err != nil {
			t.Errorf("%q: %v, %v; want none", text, known, err)
		}
	}
}
