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
			p, err := Build(Input{Task: sampleTask(), Turns: turns, Budget: tt.budget})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(p.Dropped, tt.want) {
				t.Errorf("dropped %v, want %v", p.Dropped, tt.want)
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

func TestTokens(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		text string
		want int
	}{
		{"empty", "", 0},
		{"one letter", "a", 1},
		{"seven letters", "abcdefg", 2},
		{"other scripts count each", "äöü", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Tokens(tt.text); got != tt.want {
				t.Errorf("Tokens(%q) = %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}
