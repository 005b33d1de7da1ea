package tasks

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

func TestLoadReadsATask(t *testing.T) {
	t.Parallel()
	got := mustLoad(t, folder(goodManifest, goodReference, goodNative)).All()[0]
	if len(got.SHA256) != 64 {
		t.Errorf("SHA256 = %q", got.SHA256)
	}
	got.SHA256 = ""
	want := Task{
		ID: "test/one", Name: "one", Title: "Scale", Level: 1, Flops: "n", Path: "set/one",
		Reference: goodReference, Native: goodNative,
		Signature: Signature{
			Inputs:  []Tensor{{Name: "x", DType: Float32, Shape: []string{"n", "m-1"}, Fill: Fill{"normal", 0, 1}}},
			Outputs: []Tensor{{Name: "y", DType: Float16, Shape: []string{"n", "2"}}},
			Dims:    []string{"n", "m"},
		},
		Sizes: []SizeSet{
			{"small", map[string]int64{"n": 3, "m": 5}},
			{"full", map[string]int64{"n": 30, "m": 50}},
			{"tiny", map[string]int64{"n": 1, "m": 2}},
		},
		Tolerance: Tolerance{Abs: 1e-5, Rel: 1e-4},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestLoadKeepsTheGoodTasks(t *testing.T) {
	t.Parallel()
	files := folder(goodManifest, goodReference, goodNative)
	files["set/two/task.toml"] = &fstest.MapFile{Data: []byte("title = 3\n")}
	files["set/deep/three/reference.py"] = &fstest.MapFile{Data: []byte(goodReference)}
	c, problems := Load(files, "set", "test")
	if got := ids(c.All()); !reflect.DeepEqual(got, []string{"test/one"}) {
		t.Errorf("tasks: %v", got)
	}
	var paths []string
	for _, p := range problems {
		paths = append(paths, p.Path)
	}
	want := []string{
		"set/deep/three/task.toml", "set/two/task.toml", "set/two/reference.py", "set/two/reference.cu",
	}
	if !reflect.DeepEqual(paths, want) {
		t.Errorf("problems at %v, want %v", paths, want)
	}
}

func TestLoadNamesTasksAfterTheirFolders(t *testing.T) {
	t.Parallel()
	files := folder(goodManifest, goodReference, goodNative)
	for root, want := range map[string]string{".": "test/set/one", "set": "test/one", "set/one": "test/one"} {
		c, problems := Load(files, root, "test")
		if len(problems) > 0 || c.All()[0].ID != want {
			t.Errorf("root %s: %v %v, want %s", root, ids(c.All()), problems, want)
		}
	}
}

func TestLoadReportsMissingFolders(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"no such folder": {fstest.MapFS{}, "set: open set: file does not exist"},
		"no task in it":  {fstest.MapFS{"set/readme": {}}, "set: no task here: want folders that hold task.toml"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := Load(c.files, "set", "test")
			if len(problems) != 1 || problems[0].Error() != c.want {
				t.Errorf("got %v, want %s", problems, c.want)
			}
		})
	}
}

func TestLoadBoundsFiles(t *testing.T) {
	t.Parallel()
	_, problems := Load(folder(goodManifest, goodReference, strings.Repeat("/", MaxFile+1)), "set", "test")
	if len(problems) != 1 || !strings.Contains(problems[0].Text, "want at most 1048576") {
		t.Errorf("got %v", problems)
	}
}

func TestHashCoversWhatDecides(t *testing.T) {
	t.Parallel()
	hash := func(manifest, reference, native string) string {
		return mustLoad(t, folder(manifest, reference, native)).All()[0].SHA256
	}
	base := hash(goodManifest, goodReference, goodNative)
	changed := map[string]string{
		"reference": hash(goodManifest, goodReference+"\n", goodNative),
		"native":    hash(goodManifest, goodReference, goodNative+"\n"),
		"size":      hash(replace(t, goodManifest, "n = 3,", "n = 4,"), goodReference, goodNative),
		"tolerance": hash(replace(t, goodManifest, "abs = 1e-5", "abs = 1e-6"), goodReference, goodNative),
		"fill":      hash(replace(t, goodManifest, "normal(0, 1)", "normal(0, 2)"), goodReference, goodNative),
	}
	for what, h := range changed {
		if h == base {
			t.Errorf("a changed %s leaves the hash as it was", what)
		}
	}
	if hash(replace(t, goodManifest, "Scale", "Scales"), goodReference, goodNative) != base {
		t.Error("a changed title changes the hash")
	}
}

// Every kind of mistake in a task.toml, with the line and words it is reported in.
func TestManifestProblems(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ old, with, want string }{
		"syntax":            {`level = 1`, `level = = 1`, `:2: `},
		"wrong kind":        {`level = 1`, `level = "one"`, `:2: `},
		"unknown key":       {`fill = "normal(0, 1)"`, `fil = "normal(0, 1)"`, `:19: unknown key "fil", did you mean "fill"?`},
		"unknown, no guess": {`title =`, "colour = 1\ntitle =", `:1: unknown key "colour"`},
		"empty title":       {`"Scale"`, `" "`, `:1: title is " ": want one line`},
		"escape in title":   {`"Scale"`, `"\u001b[2J"`, `:1: title is "\x1b[2J": want one line`},
		"level":             {`level = 1`, `level = 9`, `:2: level is 9: want 1 to 4`},
		"tolerance":         {`abs = 1e-5`, `abs = -1.0`, `:6: tolerance is abs -1, rel 0.0001: want numbers from 0 to 1`},
		"tolerance nan":     {`abs = 1e-5`, `abs = nan`, `:6: tolerance is abs NaN`},
		"unknown dtype":     {`"float32"`, `"float23"`, `:17: unknown dtype "float23", did you mean "float32"?`},
		"fill form":         {`normal(0, 1)`, `normal`, `:19: fill "normal": want a form such as`},
		"fill kind":         {`normal(0, 1)`, `norml(0, 1)`, `:19: unknown fill "norml", did you mean "normal"?`},
		"fill numbers":      {`normal(0, 1)`, `normal(0, one)`, `:19: fill "normal(0, one)": want two numbers`},
		"fill range":        {`normal(0, 1)`, `uniform(1, 1)`, `:19: fill "uniform(1, 1)": the range is empty`},
		"fill of floats":    {`normal(0, 1)`, `integers(0, 9)`, `:19: input x is float32, which a fill of kind integers does not suit`},
		"fill missing":      {`fill = "normal(0, 1)"`, ``, `:15: input x has no fill`},
		"fill of an output": {`shape = ["n", "2"]`, "shape = [\"n\", \"2\"]\nfill = \"normal(0, 1)\"", `:25: output y has a fill`},
		"no identifier":     {`name = "x"`, `name = "x-y"`, `:16: "x-y" is no C identifier`},
		"reserved word":     {`name = "x"`, `name = "float"`, `:16: "float" is a reserved word of CUDA C++`},
		"reserved stream":   {`name = "x"`, `name = "stream"`, `:16: "stream" is a reserved word`},
		"name twice":        {`name = "y"`, `name = "x"`, `:22: "x" is used twice`},
		"name of a dim":     {`name = "y"`, `name = "n"`, `:4: "n" is used twice`},
		"no input":          {"[[input]]", "[[output]]", `no [[input]]`},
		"unknown dimension": {`"m-1"`, `"k-1"`, `:18: size small: tensor x, axis 1: expression "k-1": unknown dimension "k"`},
		"empty tensor":      {`"m-1"`, `"m-5"`, `:18: size small: tensor x, axis 1: m-5 is 0 at size small`},
		"expression":        {`"m-1"`, `"m % 2"`, `:18: size small: tensor x, axis 1: expression "m % 2"`},
		"no shape":          {`["n", "2"]`, `[]`, `:24: tensor y has no shape`},
		"too large":         {`n = 30,`, `n = 10_000_000_000,`, `:18: size full: tensor x has more than`},
		"size not positive": {`n = 30,`, `n = 0,`, `:12: size full: n is 0, want 1 to`},
		"size incomplete":   {`n = 30, `, ``, `:12: size full gives dimension n no value`},
		"size misspelt":     {`n = 30, m = 50`, `n = 30, m = 50, nn = 1`, `:12: size full has unknown dimension "nn", did you mean "n"?`},
		"no full size":      {`full =`, `fulll =`, `:10: no size "full"`},
		"flops":             {`flops = "n"`, `flops = "n*q"`, `:3: flops at size small: expression "n*q": unknown dimension "q"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manifest := replace(t, goodManifest, c.old, c.with)
			catalog, problems := Load(folder(manifest, goodReference, goodNative), "set", "test")
			if len(problems) == 0 || len(catalog.All()) > 0 {
				t.Fatalf("loaded")
			}
			if got := problems[0].Error(); !strings.Contains(got, c.want) || !strings.HasPrefix(got, "set/one/task.toml:") {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestDefaultTolerance(t *testing.T) {
	t.Parallel()
	manifest := replace(t, goodManifest, "[tolerance]\nabs = 1e-5\nrel = 1e-4\n", "")
	got := mustLoad(t, folder(manifest, goodReference, goodNative)).All()[0].Tolerance
	if got != (Tolerance{Abs: 1e-2, Rel: 1e-2}) {
		t.Errorf("with a float16 output: %+v", got)
	}
	manifest = replace(t, manifest, "float16", "float32")
	got = mustLoad(t, folder(manifest, goodReference, goodNative)).All()[0].Tolerance
	if got != (Tolerance{Abs: 1e-4, Rel: 1e-4}) {
		t.Errorf("with a float32 output: %+v", got)
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(goodManifest)
	f.Add("[sizes]\nsmall = {n = 1}\n[[input]]\n[[output]]\n")
	f.Add("dims = ['n']\nsizes.small.n = 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		var task Task
		if len(task.applyManifest(text)) > 0 {
			return
		}
		for _, s := range task.Sizes {
			for _, tensor := range task.Signature.Tensors() {
				if n, err := s.Elements(tensor); err != nil || n < 1 || n > maxElements {
					t.Errorf("accepted, but size %s of %s is %d: %v", s.Name, tensor.Name, n, err)
				}
			}
		}
	})
}
