package prompt

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func readDocs(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/prompts.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryVariableIsDocumented(t *testing.T) {
	t.Parallel()
	docs := readDocs(t)
	for prefix, of := range map[string]reflect.Type{
		"`.":      reflect.TypeFor[Values](),
		"`.Task.": reflect.TypeFor[Task](),
		"| `.":    reflect.TypeFor[Attempt](),
	} {
		for i := range of.NumField() {
			if name := prefix + of.Field(i).Name; !strings.Contains(docs, name) {
				t.Errorf("docs/prompts.md lacks %s", name)
			}
		}
	}
	for i := range reflect.TypeFor[TurnValues]().NumField() {
		_, section, _ := strings.Cut(docs, "In `assistant` and `result`:")
		if name := "`." + reflect.TypeFor[TurnValues]().Field(i).Name + "`"; !strings.Contains(section, name) {
			t.Errorf("docs/prompts.md lacks %s of a chat", name)
		}
	}
	for name := range functions() {
		if !strings.Contains(docs, "| `"+name+" ") {
			t.Errorf("docs/prompts.md lacks the function %s", name)
		}
	}
}

// The example of the documentation, loaded and written out.
func TestTheDocumentedExampleWorks(t *testing.T) {
	t.Parallel()
	_, example, _ := strings.Cut(readDocs(t), "## An example")
	_, example, _ = strings.Cut(example, "```\n")
	example, _, _ = strings.Cut(example, "\n```")
	set, problems := Load(folder(map[string]string{"torch.tmpl": example}), "docs")
	var got []string
	for _, p := range problems {
		got = append(got, p.String())
	}
	want := []string{
		"torch.tmpl: warning: .Task.Device is not shown on the first turn",
		"torch.tmpl: warning: .Task.Device is not shown on later turns",
		"torch.tmpl: warning: .Hint of an earlier attempt is not shown on later turns",
	}
	if set == nil || !slices.Equal(got, want) {
		t.Fatalf("problems %q, want %q", got, want)
	}
	p, err := Build(Input{Set: set, Task: torchTask(), Turns: torchTurns(), Hint: "Use float4."})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"class Model(nn.Module)", "Here are your previous attempts:", "class ModelNew:", "Speedup: 0.61", "> Use float4."} {
		if !strings.Contains(p.Messages[0].Content, part) {
			t.Errorf("the prompt lacks %q:\n%s", part, p.Messages[0].Content)
		}
	}
	if strings.Contains(p.Messages[0].Content, "THE EXAMPLE") {
		t.Error("the example is on a later turn")
	}
}
