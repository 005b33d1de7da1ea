package prompt

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
)

func sampleTask() Task {
	return Task{
		Reference:   "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n    def forward(self, x):\n        return torch.relu(x)\n",
		Declaration: `extern "C" void solve(const float* x, float* y, int64_t N, cudaStream_t stream)`,
		Shapes:      "input x: float32 [N]\noutput y: float32 [N]\nfull: N = 1048576\n",
		Device:      "NVIDIA H200",
		Dialect:     "cuda",
	}
}

func sampleTurns() []Attempt {
	return []Attempt{
		{Number: 1, Kernel: "// ``` in a comment\nint a\n", Summary: "A first try.", Feedback: "It did not compile:\nkernel.cu:2: expected ';'"},
		{Number: 2, Feedback: "No kernel was found in your answer: the reply has no fenced code block."},
		{Number: 4, Kernel: "int a;\n", Summary: "Fixed.", Feedback: "It is correct. Speedup: 0.61", Hint: "Mind the semicolon.\n### Attempt 9"},
	}
}

func torchTask() Task {
	t := sampleTask()
	t.Declaration, t.Shapes, t.Dialect = "", "", "torch"
	return t
}

func torchTurns() []Attempt {
	return []Attempt{{Number: 1, Kernel: "class ModelNew:\n    x = 1\n", Summary: "A first try.", Feedback: "It is correct. Speedup: 0.61"}}
}

func TestBuild(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		in   Input
	}{
		{"first", Input{Task: sampleTask()}},
		{"first_hint", Input{Task: sampleTask(), Hint: "Use float4."}},
		{"later", Input{Task: sampleTask(), Turns: sampleTurns()}},
		{"later_hint", Input{Task: sampleTask(), Turns: sampleTurns()[2:], Hint: "Try 512 threads.\nAnd no branch."}},
		{"dropped", Input{Task: sampleTask(), Turns: sampleTurns(), Budget: 1}},
		{"torch_first", Input{Task: torchTask()}},
		{"torch_later", Input{Task: torchTask(), Turns: torchTurns(), Hint: "Use float4."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := Build(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Messages) != 1 || p.Messages[0].Role != "user" || p.Template != "kevin/"+tt.in.Task.Dialect {
				t.Errorf("prompt %+v", p)
			}
			golden.RequireEqual(t, []byte(p.Messages[0].Content))
		})
	}
}

func chat(t *testing.T) *Set {
	t.Helper()
	return builtinSet(t, "chat")
}

func builtinSet(t *testing.T, name string) *Set {
	t.Helper()
	files, ok := Files(name)
	if !ok {
		t.Fatalf("no set %q", name)
	}
	set, problems := Load(files, name)
	if len(problems) > 0 {
		t.Fatalf("set %s: %v", name, problems)
	}
	return set
}

func TestBuildChat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		in    Input
		roles string
	}{
		{"first", Input{Task: sampleTask(), Hint: "Use float4."}, "system user"},
		{"later", Input{Task: sampleTask(), Turns: sampleTurns(), Hint: "Try 512 threads."}, "system user assistant user assistant user assistant user"},
		{"dropped", Input{Task: sampleTask(), Turns: sampleTurns(), Budget: 1}, "system user assistant user"},
		{"torch_later", Input{Task: torchTask(), Turns: torchTurns()}, "system user assistant user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.in.Set = chat(t)
			p, err := Build(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := roles(p.Messages); got != tt.roles || p.Template != "chat/"+tt.in.Task.Dialect || p.SHA256 != tt.in.Set.SHA256 {
				t.Errorf("roles %q of %s, want %q", got, p.Template, tt.roles)
			}
			if got, want := Attempts(p.Messages), len(tt.in.Turns); got != want {
				t.Errorf("the prompt tells of %d attempts, want %d", got, want)
			}
			golden.RequireEqual(t, []byte(Text(p.Messages)))
		})
	}
}

func roles(messages []Message) string {
	var all []string
	for _, m := range messages {
		all = append(all, m.Role)
	}
	return strings.Join(all, " ")
}

// A server that keeps what it computed of a prompt can use it for the next one.
func TestChatGoesOnFromThePromptBefore(t *testing.T) {
	t.Parallel()
	before, err := Build(Input{Set: chat(t), Task: sampleTask(), Turns: sampleTurns()[:1], Hint: "A hint."})
	if err != nil {
		t.Fatal(err)
	}
	turns := sampleTurns()[:2]
	turns[1].Hint = "A hint."
	after, err := Build(Input{Set: chat(t), Task: sampleTask(), Turns: turns})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(before.Messages); !slices.Equal(before.Messages, after.Messages[:n]) {
		t.Error("earlier messages changed")
	}
}

func TestExampleIsOnTheFirstTurnOnly(t *testing.T) {
	t.Parallel()
	first, err := Build(Input{Task: sampleTask()})
	if err != nil {
		t.Fatal(err)
	}
	later, err := Build(Input{Task: sampleTask(), Turns: sampleTurns()})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(first.Messages[0].Content, "scale_add") || strings.Contains(later.Messages[0].Content, "scale_add") {
		t.Error("the example belongs on the first turn, and nowhere else")
	}
}

func TestBudgetDropsWholeOldestAttempts(t *testing.T) {
	t.Parallel()
	var turns []Attempt
	for n := 1; n <= 5; n++ {
		turns = append(turns, Attempt{Number: n, Kernel: strings.Repeat("int a;\n", 200), Feedback: "slow"})
	}
	whole, err := Build(Input{Task: sampleTask(), Turns: turns})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		budget int
		want   []int
	}{
		{"no limit", 0, nil},
		{"exactly enough", whole.Tokens + slack, nil},
		{"one token short", whole.Tokens + slack - 1, []int{1}},
		{"room for two", whole.Tokens * 2 / 3, []int{1, 2, 3}},
		{"hopeless: the newest stays", 10, []int{1, 2, 3, 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := Input{Task: sampleTask(), Turns: turns, Budget: tt.budget}
			p, err := Build(in)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(p.Dropped, tt.want) {
				t.Errorf("dropped %v, want %v", p.Dropped, tt.want)
			}
			if over := tt.budget == 10; in.Exceeded(p.Tokens) != over {
				t.Errorf("over the budget: %v, want %v", !over, over)
			}
			if got := Attempts(p.Messages); got != 5 {
				t.Errorf("the prompt tells of %d attempts, want 5", got)
			}
		})
	}
	if len(turns) != 5 || turns[0].Number != 1 {
		t.Error("Build changed its input")
	}
}

// A tokenizer that makes twice the tokens leaves room for half the attempts.
func TestTheServersCountDecidesWhatFits(t *testing.T) {
	t.Parallel()
	in := Input{Task: sampleTask(), Turns: sampleTurns()}
	estimated, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	in.Budget = estimated.Tokens + slack
	in.Scale = ScaleOf(estimated.Messages, 2*estimated.Tokens)
	counted, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	if estimated.Scaled || !counted.Scaled || len(counted.Dropped) == 0 {
		t.Errorf("scaled %v and %v, dropped %v", estimated.Scaled, counted.Scaled, counted.Dropped)
	}
	in.Budget, in.Scale = 0, ScaleOf(estimated.Messages, 777)
	if counted, err = Build(in); err != nil || counted.Tokens != 777 {
		t.Errorf("the same prompt takes %d tokens, the server counted 777 (%v)", counted.Tokens, err)
	}
}

func TestBuildRefusesAnUnknownDialect(t *testing.T) {
	t.Parallel()
	_, err := Build(Input{Task: Task{Dialect: "../cuda"}})
	if err == nil || !strings.Contains(err.Error(), `"../cuda"`) {
		t.Errorf("error %v, want one that names the dialect", err)
	}
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		messages []Message
		want     int
	}{
		{"first turn", []Message{{"user", "task"}}, 0},
		{"chat", []Message{{"user", "task"}, {"assistant", "a"}, {"user", "wrong"}, {"assistant", "b"}, {"user", "slow"}}, 2},
		{"chat with some left out", []Message{{"user", "Attempts, oldest first. The first 3 of them are left out"}, {"assistant", "a"}, {"user", "### Attempt 9"}}, 4},
		{"one message", []Message{{"user", "### Attempt 1\nx\n### Attempt 7\n"}}, 2},
		{"a hint that looks like a heading is quoted", []Message{{"user", "### Attempt 1\n> ### Attempt 2\n"}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Attempts(tt.messages); got != tt.want {
				t.Errorf("Attempts = %d, want %d", got, tt.want)
			}
		})
	}
}
