package tasks

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"builtin/l1/softmax": "builtin/l1/softmax", // ID
		" softmax ":          "builtin/l1/softmax", // name
		"gelu":               "builtin/l1/gelu",    // name, though others contain it
		"1":                  c.All()[0].ID,        // number
		"l2/conv":            "builtin/l2/conv2d_relu",
		"Layer-Norm":         "builtin/l1/layer_norm",
		"prefix sum":         "builtin/l1/cumsum", // title
		"rms":                "builtin/l2/add_rms_norm",
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			got, err := c.Find(query)
			if err != nil || got.ID != want {
				t.Errorf("got %s, %v, want %s", got.ID, err, want)
			}
		})
	}
}

// numbered is a catalogue as KernelBench's files make it, behind other tasks.
func numbered() Catalog {
	var all []Task
	for _, t := range [][3]string{
		{"builtin/l1/relu", "relu", "ReLU"}, {"builtin/l1/gelu", "gelu", "GELU"}, {"builtin/l2/norm", "norm", "Norm"},
		{"kernelbench/level1/2", "2_ReLU", "ReLU"}, {"kernelbench/level1/20", "20_LeakyReLU", "LeakyReLU"},
		{"kernelbench/level2/2", "2_Conv2D_ReLU", "Conv2D ReLU"}, {"kernelbench/level2/21", "21_Swish", "Swish"},
	} {
		all = append(all, Task{ID: t[0], Name: t[1], Title: t[2]})
	}
	return NewCatalog(all)
}

func TestFindByNumber(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"level1/2":             "kernelbench/level1/2",
		"kernelbench/level2/2": "kernelbench/level2/2",
		"21":                   "kernelbench/level2/21", // of its source, since only one has it
		"3":                    "builtin/l2/norm",       // a place, since no source has it
		"2":                    "",                      // of two levels
		"2_relu":               "kernelbench/level1/2",
		"swish":                "kernelbench/level2/21",
		"conv2d relu":          "kernelbench/level2/2",
		"leaky":                "kernelbench/level1/20",
		"relu":                 "builtin/l1/relu", // a name comes before titles
		"level2":               "",
		"Swihs":                "?kernelbench/level2/21",
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			got, err := numbered().Find(query)
			var ambiguous *AmbiguousError
			var unknown *UnknownError
			switch {
			case want == "":
				if !errors.As(err, &ambiguous) {
					t.Errorf("got %s, %v, want several", got.ID, err)
				}
			case want[0] == '?':
				if !errors.As(err, &unknown) || !reflect.DeepEqual(unknown.Near, []string{want[1:]}) {
					t.Errorf("got %s, %v, want a guess of %s", got.ID, err, want[1:])
				}
			case err != nil || got.ID != want:
				t.Errorf("got %s, %v, want %s", got.ID, err, want)
			}
		})
	}
}

func TestAmbiguousErrorsAreShort(t *testing.T) {
	t.Parallel()
	err := &AmbiguousError{Query: "a", Candidates: strings.Split(strings.Repeat("name ", 99)+"name", " ")}
	if text := err.Error(); strings.Count(text, "name, ") != 19 || !strings.HasSuffix(text, "name and 80 more") {
		t.Errorf("got %s", text)
	}
}

func TestFindUnknown(t *testing.T) {
	t.Parallel()
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]string{
		"sofmtax":                {"builtin/l1/softmax"},
		"builtin/l1/sotfmax":     {"builtin/l1/softmax"},
		"matmul_bias_glue":       {"builtin/l2/matmul_bias_gelu"},
		"attention_with_dropout": nil,
		"":                       nil,
		"99":                     nil,
		"-1":                     nil,
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			_, err := c.Find(query)
			var unknown *UnknownError
			if !errors.As(err, &unknown) {
				t.Fatalf("got %v", err)
			}
			if unknown.Query != query || !reflect.DeepEqual(unknown.Near, want) {
				t.Errorf("got %+v, want %v", unknown, want)
			}
			if strings.Contains(err.Error(), "did you mean") != (want != nil) {
				t.Errorf("text: %v", err)
			}
		})
	}
}

func TestFindAmbiguous(t *testing.T) {
	t.Parallel()
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Find("norm")
	var ambiguous *AmbiguousError
	if !errors.As(err, &ambiguous) {
		t.Fatalf("got %v", err)
	}
	if want := []string{"builtin/l1/layer_norm", "builtin/l2/add_rms_norm"}; !reflect.DeepEqual(ambiguous.Candidates, want) {
		t.Errorf("got %v, want %v", ambiguous.Candidates, want)
	}
	if want := `"norm" names 2 tasks: builtin/l1/layer_norm, builtin/l2/add_rms_norm`; err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestFindFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "scale")
	if err := os.CopyFS(dir, mustSub(t, folder(goodManifest, goodReference, goodNative))); err != nil {
		t.Fatal(err)
	}
	got, err := Catalog{}.Find(dir)
	if err != nil || got.ID != "local/scale" || got.Path != dir {
		t.Errorf("got %s at %s, %v", got.ID, got.Path, err)
	}

	bad := strings.Replace(goodManifest, "level = 1", "level = 7", 1)
	if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Catalog{}.Find(dir)
	var problem Problem
	if !errors.As(err, &problem) || problem.Line != 2 {
		t.Errorf("got %v", err)
	}
}

func TestAllIsACopy(t *testing.T) {
	t.Parallel()
	c := mustLoad(t, folder(goodManifest, goodReference, goodNative))
	c.All()[0].ID = "changed"
	if got := c.All()[0].ID; got != "test/one" {
		t.Errorf("a caller changed the catalogue: %s", got)
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	task := mustLoad(t, folder(goodManifest, goodReference, goodNative)).All()[0]
	got := Shapes(task)
	for _, want := range []string{"input x: float32 [n, m-1]\n", "output y: float16 [n, 2]\n", "size small: n=3"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "tiny") || strings.HasSuffix(got, "\n") {
		t.Errorf("an acceptance size or a last newline in:\n%s", got)
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	first := mustLoad(t, folder(goodManifest, goodReference, goodNative))
	again := mustLoad(t, folder(replace(t, goodManifest, "Scale", "Other"), goodReference, goodNative))
	builtin := Catalog{tasks: builtins(t)}
	if got, want := len(builtin.With(first).All()), len(builtin.All())+1; got != want {
		t.Errorf("%d tasks, want %d", got, want)
	}
	if got := first.With(again).All(); len(got) != 1 || got[0].Title != "Scale" {
		t.Errorf("two tasks with one ID: %v", got)
	}
}
