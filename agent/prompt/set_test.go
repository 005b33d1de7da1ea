package prompt

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// whole is a prompt that lacks nothing.
const whole = "{{.Task.Reference}}{{.Task.Declaration}}{{.Task.Shapes}}{{.Task.Device}}{{.Dropped}}" +
	"{{range .Turns}}{{.Hint}}{{.Kernel}}{{.Summary}}{{.Feedback}}{{end}}{{.Hint}}\n"

func folder(files map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

func TestLoadNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"nothing wrong", map[string]string{"cuda.tmpl": whole}, nil},
		{"other files are not looked at", map[string]string{"cuda.tmpl": whole, "README.md": "{{"}, nil},
		{"no dialect", map[string]string{"other.tmpl": "x"}, []string{"there is neither cuda.tmpl nor torch.tmpl: a prompt set needs one of them, or both"}},
		{"does not parse", map[string]string{"cuda.tmpl": "a\n{{if .First}}\n"}, []string{`cuda.tmpl:3: unexpected EOF`}},
		{"unknown function", map[string]string{"cuda.tmpl": "\n{{fenc .Hint}}"}, []string{`cuda.tmpl:2: function "fenc" not defined`}},
		{
			"unknown variables, in every branch and below ranges",
			map[string]string{"cuda.tmpl": whole + "{{if .Hint}}{{.Task.Referense}}{{else}}\n{{.Foo}}{{end}}\n{{range .Turns}}{{.Kernels}}{{$.Hints}}{{end}}"},
			[]string{
				`cuda.tmpl:2: unknown variable ".Task.Referense", did you mean ".Task.Reference"?`,
				`cuda.tmpl:3: unknown variable ".Foo": here are .Dropped, .First, .Hint, .Language, .Task, .Turns`,
				`cuda.tmpl:4: unknown variable ".Kernels", did you mean ".Kernel"?`,
				`cuda.tmpl:4: unknown variable "$.Hints", did you mean "$.Hint"?`,
			},
		},
		{
			"unknown in a shared template, once for both dialects",
			map[string]string{"cuda.tmpl": whole + `{{template "x" .Task}}`, "torch.tmpl": whole + `{{template "x" .Task}}`, "more.tmpl": "\n{{define \"x\"}}{{.Devise}}{{end}}"},
			[]string{`more.tmpl:2: unknown variable ".Devise", did you mean ".Device"?`},
		},
		{
			"a name behind a text",
			map[string]string{"cuda.tmpl": whole + "{{.Hint.Text}}{{with $h := .Hint}}{{$h.X}}{{end}}"},
			[]string{
				`cuda.tmpl:2: unknown variable .Hint.Text: .Hint is a string, which has no parts`,
				`cuda.tmpl:2: unknown variable $h.X: $h is a string, which has no parts`,
			},
		},
		{
			"unknown template",
			map[string]string{"cuda.tmpl": whole + `{{template "hints" .}}{{define "hint"}}{{end}}`},
			[]string{`cuda.tmpl:2: there is no template "hints", did you mean "hint"?`},
		},
		{
			"what only writing it out shows",
			map[string]string{"cuda.tmpl": whole + "{{if not .First}}{{index .Turns 7}}{{end}}"},
			[]string{`cuda.tmpl:2: <index .Turns 7>: error calling index: index out of range: 7`},
		},
		{
			"parts are missing",
			map[string]string{"cuda.tmpl": "{{.Task.Device}}{{.Task.Shapes}}{{range .Turns}}{{.Summary}}{{.Hint}}{{end}}{{.Dropped}}"},
			[]string{
				`cuda.tmpl: .Task.Reference is not shown on the first turn`,
				`cuda.tmpl: .Hint is not shown on the first turn`,
				`cuda.tmpl: .Task.Declaration is not shown on the first turn`,
				`cuda.tmpl: .Task.Reference is not shown on later turns`,
				`cuda.tmpl: .Hint is not shown on later turns`,
				`cuda.tmpl: .Task.Declaration is not shown on later turns`,
				`cuda.tmpl: .Kernel of an earlier attempt is not shown on later turns`,
				`cuda.tmpl: .Feedback of an earlier attempt is not shown on later turns`,
			},
		},
		{
			"warnings",
			map[string]string{"torch.tmpl": "{{model .Task.Reference}}{{range .Turns}}{{.Kernel}}{{.Feedback}}{{end}}{{.Hint}}"},
			[]string{
				`torch.tmpl: warning: .Task.Device is not shown on the first turn`,
				`torch.tmpl: warning: .Task.Device is not shown on later turns`,
				`torch.tmpl: warning: .Summary of an earlier attempt is not shown on later turns`,
				`torch.tmpl: warning: .Hint of an earlier attempt is not shown on later turns`,
				`torch.tmpl: warning: nothing tells the model that old attempts were left out: say so where .Dropped is not 0`,
			},
		},
		{
			"half a chat",
			map[string]string{"cuda.tmpl": whole + `{{define "assistant"}}{{.Turn.Kernel}}{{end}}`},
			[]string{`cuda.tmpl: "assistant" is defined and "result" is not: a chat needs both`},
		},
		{
			"too large",
			map[string]string{"cuda.tmpl": strings.Repeat("x", maxTemplate+1)},
			[]string{`cuda.tmpl: larger than 1024 KiB`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set, problems := Load(folder(tt.files), "mine")
			var got []string
			usable := true
			for _, p := range problems {
				got = append(got, p.String())
				usable = usable && p.Warning
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("problems\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(tt.want, "\n  "))
			}
			if usable != (set != nil) {
				t.Errorf("set %v beside %q", set, got)
			}
		})
	}
}

func TestSetsThatAreBuiltInLackNothing(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		if got := builtinSet(t, name).Dialects(); !slices.Equal(got, dialects()) {
			t.Errorf("%s has %v", name, got)
		}
	}
	if _, ok := Files("../kevin"); ok {
		t.Error("a path is no name of a set")
	}
}

func TestAFoldersSet(t *testing.T) {
	t.Parallel()
	set, problems := Load(folder(map[string]string{
		"torch.tmpl":  "PROGRAM\n{{model .Task.Reference}}\n{{template \"rest\" .}}",
		"common.tmpl": `{{define "rest"}}{{range .Turns}}{{fence $.Language .Kernel}} {{.Feedback}}{{end}}{{with .Hint}}{{quote .}}{{end}}{{end}}`,
	}), "mine")
	if set == nil {
		t.Fatal(problems)
	}
	in := Input{Set: set, Task: torchTask(), Turns: []Attempt{{Number: 1, Kernel: "k", Feedback: "slow"}}, Hint: "h"}
	in.Task.Reference += "\ndef get_inputs():\n    return []\n"
	p, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	want := "PROGRAM\n" + torchTask().Reference + "\n```python\nk\n``` slow> h"
	if p.Template != "mine/torch" || len(p.Messages) != 1 || p.Messages[0].Content != want {
		t.Errorf("%s: %q, want %q", p.Template, p.Messages, want)
	}
	in.Task.Dialect = "cuda"
	want = `prompt set mine has no prompt for dialect "cuda": it has torch; add cuda.tmpl to it, or use another set or dialect`
	if err := in.Set.Fits("cuda"); err == nil || err.Error() != want {
		t.Errorf("fits: %v", err)
	}
	if err := in.Set.Fits("torch"); err != nil {
		t.Errorf("fits: %v", err)
	}
	if _, err := Build(in); err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	a := map[string]string{"cuda.tmpl": "x", "y.tmpl": "z"}
	for _, tt := range []struct {
		name  string
		other map[string]string
		same  bool
	}{
		{"the same", map[string]string{"y.tmpl": "z", "cuda.tmpl": "x"}, true},
		{"another text", map[string]string{"cuda.tmpl": "X", "y.tmpl": "z"}, false},
		{"another name", map[string]string{"cuda.tmpl": "x", "w.tmpl": "z"}, false},
		{"text moved between files", map[string]string{"cuda.tmpl": "xz", "y.tmpl": ""}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := hash(a) == hash(tt.other); got != tt.same {
				t.Errorf("same hash: %v, want %v", got, tt.same)
			}
		})
	}
}

func TestModel(t *testing.T) {
	t.Parallel()
	head := "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
	for _, tt := range []struct{ name, reference, want string }{
		{"what follows the class is cut", head + "\n\nN = 4\n\ndef get_inputs():\n    return []\n", head},
		{"nothing follows", head, head},
		{"comments and long calls stay", head + "# note\n    y = f(\n)\nN = 1\n", head + "# note\n    y = f(\n)\n"},
		{"a documentation string at the margin", "class Model:\n    \"\"\"\nText.\n    \"\"\"\n    x = 1\ny = 2\n", "class Model:\n    \"\"\"\nText.\n    \"\"\"\n    x = 1\n"},
		{"no such class", "class ModelNew:\n    x = 1\ny = 2\n", "class ModelNew:\n    x = 1\ny = 2\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := model(tt.reference); got != tt.want {
				t.Errorf("model = %q, want %q", got, tt.want)
			}
		})
	}
}

// FuzzInspect holds that no template, whatever it says, stops the program, and
// that every problem has its line.
func FuzzInspect(f *testing.F) {
	f.Add(whole)
	f.Add(`{{define "result"}}{{.Turn.Nope}}{{end}}{{range $i, $t := .Turns}}{{$t.Kernel}}{{$i}}{{else}}{{.First}}{{end}}`)
	f.Add(`{{with $x := .Task}}{{$x.Device | printf "%s" | quote}}{{else with .Hint}}{{.}}{{end}}{{(index .Turns 0).Kernel}}`)
	f.Add(`{{range .Turns}}{{break}}{{end}}{{- /* c */ -}}{{block "b" .}}{{.Hint}}{{template "b" .Task}}{{end}}`)
	f.Fuzz(func(t *testing.T, text string) {
		w, problems := dialectOf("mine", "cuda", map[string]string{"cuda.tmpl": text})
		if len(problems) == 0 {
			problems = w.inspect()
		}
		for _, p := range problems {
			if p.File == "cuda.tmpl" && p.Line < 1 || p.Text == "" {
				t.Errorf("problem %+v", p)
			}
		}
	})
}
