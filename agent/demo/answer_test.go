package demo

import (
	"fmt"
	"strings"
	"testing"

	"example.com/hone/agent/extract"
	"example.com/hone/agent/prompt"
	"example.com/hone/tasks"
)

// testModel knows two tasks and has a script for the first.
func testModel() *model {
	return &model{
		tasks: []tasks.Task{
			{Name: "scripted", Reference: "class Model: pass # scripted\n"},
			{
				Name: "bare", Reference: "class Model: pass # bare\n", Native: "template <typename real> void reference() {}\n",
				Signature: tasks.Signature{
					Inputs:  []tasks.Tensor{{Name: "i", DType: tasks.Int32}, {Name: "x", DType: tasks.Float16}},
					Outputs: []tasks.Tensor{{Name: "y", DType: tasks.Float16}}, Dims: []string{"n"},
				},
			},
		},
		scripts: map[string]script{"scripted": {turns: [][]answer{
			{{reply: "one"}}, {{reply: "two"}, {reply: "another two"}},
		}}},
		asked: map[[32]byte]int{},
	}
}

// built is the prompt for a task after some attempts.
func built(t *testing.T, reference string, attempts int) []prompt.Message {
	t.Helper()
	in := prompt.Input{Task: prompt.Task{Reference: reference, Dialect: "cuda"}}
	for n := range attempts {
		in.Turns = append(in.Turns, prompt.Attempt{Number: n + 1, Feedback: "wrong"})
	}
	p, err := prompt.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return p.Messages
}

func TestAnswersFollowTheScript(t *testing.T) {
	t.Parallel()
	const scripted = "class Model: pass # scripted\n"
	for _, tt := range []struct {
		name     string
		lane     int
		messages []prompt.Message
		want     []string // of the same prompt asked again and again
	}{
		{"first turn", 0, built(t, scripted, 0), []string{"one", "one"}},
		{"second turn, with a variation", 0, built(t, scripted, 1), []string{"two", "another two", "two"}},
		{"after the end", 0, built(t, scripted, 2), []string{"the last kernel again, unchanged"}},
		{"another lane begins later", 1, built(t, scripted, 0), []string{"two", "another two"}},
		{"and comes round", 1, built(t, scripted, 1), []string{"one"}},
		{"a lane far off", 7, built(t, scripted, 0), []string{"two"}},
		{"a lane ends as the script does", 1, built(t, scripted, 2), []string{"the last kernel again, unchanged"}},
		{
			"a chat", 0, []prompt.Message{{Role: "user", Content: "do\n" + scripted}, {Role: "assistant", Content: "a"}, {Role: "user", Content: "wrong"}},
			[]string{"two"},
		},
		{"no script", 0, built(t, "class Model: pass # bare\n", 0), []string{"without a script for bare"}},
		{"no such task", 0, built(t, "class Model: pass # other\n", 0), []string{"I have scripts for: scripted."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := testModel()
			for i, want := range tt.want {
				got, err := m.answer(tt.lane, tt.messages)
				if err != nil || !strings.Contains(got.reply, want) {
					t.Errorf("answer %d: %q, error %v, want %q", i+1, got.reply, err, want)
				}
			}
		})
	}
}

func TestPlainAnswerWrapsTheReference(t *testing.T) {
	t.Parallel()
	got := extract.Reply(extract.Input{Content: plain(testModel().tasks[1]).reply})
	want := "template <typename real> void reference() {}\n\n" +
		"extern \"C\" void solve(const int32_t* i, const __half* x, __half* y, int64_t n, cudaStream_t stream) {\n" +
		"    reference<__half>(i, x, y, n, stream);\n}\n"
	if got.Kernel != want || !got.Usable {
		t.Errorf("kernel %q, want %q", got.Kernel, want)
	}
}

func TestRememberedPromptsAreBounded(t *testing.T) {
	t.Parallel()
	m := testModel()
	for n := range maxRemembered + 5 {
		if _, err := m.again(0, []prompt.Message{{Content: fmt.Sprint(n)}}); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.asked) > maxRemembered {
		t.Errorf("%d prompts remembered", len(m.asked))
	}
}
