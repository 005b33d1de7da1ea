package kernelbench

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/hone/tasks"
)

const good = `import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.rand(3)]


def get_init_inputs():
    return []
`

// write puts files below a new folder called mine.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "mine")
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func load(t *testing.T, path string) ([]tasks.Task, []tasks.Problem) {
	t.Helper()
	c, problems, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return c.All(), problems
}

func ids(all []tasks.Task) []string {
	names := []string{}
	for _, t := range all {
		names = append(names, t.ID)
	}
	return names
}

func TestLoadNamesTasks(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		files map[string]string
		path  string // below the folder
		want  []string
	}{
		"a checkout": {map[string]string{
			"KernelBench/level1/10_B.py": good, "KernelBench/level1/9_A_.py": good, "KernelBench/level12/1_C.py": good,
			"KernelBench/level2/1_D.py": good, "KernelBench/changelog/notes.py": "", "src/eval.py": "import os\n",
		}, "", []string{"kernelbench/level1/9", "kernelbench/level1/10", "kernelbench/level2/1", "kernelbench/level12/1"}},
		"its inner folder":                {map[string]string{"level3/1_A.py": good, "level_4/2_B.py": good, "run.py": ""}, "", []string{"kernelbench/level3/1", "kernelbench/level4/2"}},
		"one of its levels":               {map[string]string{"level1/23_Softmax.py": good}, "level1", []string{"kernelbench/level1/23"}},
		"one of its files":                {map[string]string{"level1/23_Softmax.py": good}, "level1/23_Softmax.py", []string{"kernelbench/level1/23"}},
		"a level's file without a number": {map[string]string{"level1/mine.py": good}, "", []string{"kernelbench/level1/mine"}},
		"a folder": {map[string]string{
			"b.py": good, "a/c.py": good, "10.py": good, "9.py": good, ".venv/x.py": "", "__pycache__/x.py": "", "_x.py": "", "notes.md": "",
		}, "", []string{"mine/9", "mine/10", "mine/a/c", "mine/b"}},
		"a file": {map[string]string{"softmax.py": good}, "softmax.py", []string{"local/softmax"}},
		"tables in a folder": {map[string]string{
			"data/rows.jsonl": line(good, 1, 2, "2_A"), "x.py": good,
		}, "", []string{"kernelbench/level1/2", "mine/x"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, problems := load(t, filepath.Join(write(t, c.files), c.path))
			if !reflect.DeepEqual(ids(got), c.want) || len(problems) > 0 {
				t.Errorf("got %v, %v\nwant %v", ids(got), problems, c.want)
			}
		})
	}
}

func TestLoadReadsATask(t *testing.T) {
	t.Parallel()
	root := write(t, map[string]string{"level2/1_Square_matrix_multiplication_.py": "\uFEFF" + good})
	got, _ := load(t, root)
	if len(got) != 1 || len(got[0].SHA256) != 64 || !got[0].Torch() {
		t.Fatalf("got %+v", got)
	}
	got[0].SHA256 = ""
	want := tasks.Task{
		ID: "kernelbench/level2/1", Name: "1_Square_matrix_multiplication_", Title: "Square matrix multiplication", Level: 2,
		Reference: good, Path: filepath.Join(root, "level2", "1_Square_matrix_multiplication_.py"),
	}
	if !reflect.DeepEqual(got[0], want) {
		t.Errorf("got  %+v\nwant %+v", got[0], want)
	}
}

func TestLoadKeepsTheGoodFiles(t *testing.T) {
	t.Parallel()
	bad := map[string]struct{ text, want string }{
		"bracket.py":     {strings.Replace(good, "[torch.rand(3)]", "[torch.rand(3]", 1), `bracket.py:11: "]" does not close "(" of line 11`},
		"no_model.py":    {strings.Replace(good, "class Model(", "class Net(", 1), "no_model.py: no class Model at the top level"},
		"nothing.py":     {"", "nothing.py: no class Model, no def get_inputs, no def get_init_inputs at the top level"},
		"latin1.py":      {strings.Replace(good, "\n\n", "\n# gr\xfc\xdfe\n\n", 1), "latin1.py:3: is no text in UTF-8"},
		"binary.py":      {"\x00\x01", "binary.py:1: is no text in UTF-8"},
		"long.py":        {good + strings.Repeat("#", tasks.MaxFile), "long.py: is 1048577 bytes long, want at most 1048576"},
		"esc\x1b[2J.py":  {good, `esc\x1b[2J.py": has a name that cannot be printed`},
		"level1.jsonl":   {"{}\n", "level1.jsonl:1: the row has no code"},
		"level1.parquet": {"PAR1 and no more", "level1.parquet: is no Parquet file"},
		"empty.parquet":  {"", "empty.parquet: is no Parquet file"},
	}
	files := map[string]string{"good.py": good}
	for name, b := range bad {
		files[name] = b.text
	}
	got, problems := load(t, write(t, files))
	if !reflect.DeepEqual(ids(got), []string{"mine/good"}) {
		t.Errorf("tasks: %v", ids(got))
	}
	for name, b := range bad {
		if !slices.ContainsFunc(problems, func(p tasks.Problem) bool { return strings.Contains(p.Error(), b.want) }) {
			t.Errorf("%q: no problem with %s in\n%v", name, b.want, problems)
		}
	}
	if len(problems) != len(bad) {
		t.Errorf("%d problems, want %d: %v", len(problems), len(bad), problems)
	}
}

func TestLoadReportsTwoOfOneNumber(t *testing.T) {
	t.Parallel()
	root := write(t, map[string]string{"level1/2_A.py": good, "level1/2_B.py": good})
	got, problems := load(t, root)
	if len(got) != 1 || got[0].Name != "2_A" || len(problems) != 1 {
		t.Fatalf("got %v, %v", ids(got), problems)
	}
	level := filepath.Join(root, "level1")
	want := filepath.Join(level, "2_B.py") + ": is a second kernelbench/level1/2: the first is " + filepath.Join(level, "2_A.py")
	if problems[0].Error() != want {
		t.Errorf("got  %v\nwant %s", problems[0], want)
	}
}

func TestLoadRefusesWhatIsNoSource(t *testing.T) {
	t.Parallel()
	root := write(t, map[string]string{"kernel.cu": "", "empty/x.txt": ""})
	for path, want := range map[string]string{
		"nowhere": "no such file", "kernel.cu": "neither a folder nor a .py, .jsonl or .parquet file",
	} {
		if _, _, err := Load(filepath.Join(root, path)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if got, problems := load(t, filepath.Join(root, "empty")); len(got) > 0 || len(problems) != 1 || !strings.Contains(problems[0].Text, "no task here") {
		t.Errorf("got %v, %v", got, problems)
	}
}

func TestLoadFollowsLinksAndWaitsForNothing(t *testing.T) {
	t.Parallel()
	root := write(t, map[string]string{"blobs/8c1f": good, "tasks/level1/keep.txt": ""})
	level := filepath.Join(root, "tasks", "level1")
	for name, target := range map[string]string{"3_Linked.py": filepath.Join(root, "blobs", "8c1f"), "4_Gone.py": "nowhere", "5_Folder.py": root} {
		if err := os.Symlink(target, filepath.Join(level, name)); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Join(root, "tasks"), link); err != nil {
		t.Fatal(err)
	}
	got, problems := load(t, link)
	if !reflect.DeepEqual(ids(got), []string{"kernelbench/level1/3"}) || len(problems) != 2 {
		t.Errorf("got %v, %v", ids(got), problems)
	}
}

func TestLoadStopsAtTooManyProblems(t *testing.T) {
	t.Parallel()
	got, problems := load(t, filepath.Join(write(t, map[string]string{
		"rows.jsonl": strings.Repeat("no row\n", 3*maxProblems) + line(good, 1, 1, "1_A"),
	}), "rows.jsonl"))
	if len(got) > 0 || len(problems) != maxProblems+1 || !strings.Contains(problems[maxProblems].Text, "the rest is not read") {
		t.Errorf("%d tasks, %d problems, the last %v", len(got), len(problems), problems[len(problems)-1])
	}
}

func TestCompareNatural(t *testing.T) {
	t.Parallel()
	sorted := []string{"", "9", "10", "a", "a/b", "level1/9", "level1/10", "level1/10a", "level1/010b", "level2/1", "level10/1"}
	for i, x := range sorted {
		for j, y := range sorted {
			if got := compareNatural(x, y); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%q and %q: %d", x, y, got)
			}
		}
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"23_Softmax": "Softmax", "1_Square_matrix_multiplication_": "Square matrix multiplication", "7": "7", "7_": "7_",
		"softmax": "softmax", "conv_2d": "conv 2d", "": "",
	} {
		if got := title(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
