package extract

import (
	"slices"
	"strings"
	"testing"
)

const solve = `extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {` + "\n}\n"

func block(label, code string) string { return "```" + label + "\n" + code + "```\n" }

// replyCase is a reply and what it must come to.
type replyCase struct {
	name string
	in   Input
	want Result
}

func checkReplies(t *testing.T, cases []replyCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Reply(tt.in); !same(got, tt.want) {
				t.Errorf("Reply = %+v\nwant    %+v", got, tt.want)
			}
		})
	}
}

func TestReplyPartsThoughtKernelAndSummary(t *testing.T) {
	t.Parallel()
	checkReplies(t, []replyCase{
		{
			"block then summary",
			Input{Reasoning: "Okay, think.\n", Content: block("cuda", solve) + "\nOne thread per element.\n", FinishReason: "stop"},
			Result{Thought: "Okay, think.", Kernel: solve, Language: "cuda", Rule: "the only code block", Summary: "One thread per element.", Usable: true},
		},
		{
			"prose first",
			Input{Content: "Here is the kernel:\n\n" + block("c++", solve)},
			Result{Kernel: solve, Language: "c++", Rule: "the only code block", Summary: "Here is the kernel:", Usable: true},
		},
		{
			"first block after the thought, drafts in the thought ignored",
			Input{Content: "<think>Try\n" + block("", "void solve() {}\n") + "</think>\n\n" + block("CU", solve) + "Done."},
			Result{Thought: "Try\n```\nvoid solve() {}\n```", Kernel: solve, Language: "cu", Rule: "the only code block", Summary: "Done.", Usable: true},
		},
		{
			"closing tag only",
			Input{Content: "Okay, draft:\n" + block("", "int a;\n") + "hm\n</think>\n" + block("cuda", solve)},
			Result{Thought: "Okay, draft:\n```\nint a;\n```\nhm", Kernel: solve, Language: "cuda", Rule: "the only code block", Usable: true},
		},
		{
			"tags mean nothing once reasoning came apart",
			Input{Reasoning: "r", Content: block("cuda", solve) + "I left </think> out."},
			Result{Thought: "r", Kernel: solve, Language: "cuda", Rule: "the only code block", Summary: "I left </think> out.", Usable: true},
		},
	})
}

func TestReplyChoosesABlock(t *testing.T) {
	t.Parallel()
	checkReplies(t, []replyCase{
		{
			"of several blocks the one that defines solve",
			Input{Content: "First:\n" + block("cpp", "int x;\n") + "then\n" + block("cuda", solve) + "after\n" + block("sh", "nvcc\n") + "end"},
			Result{Kernel: solve, Language: "cuda", Rule: "block 2 of 3, the one that defines solve", Summary: "after\nend", Usable: true},
		},
		{
			"the first of two that define solve",
			Input{Content: block("", solve) + block("", solve+"// again\n")},
			Result{Kernel: solve, Rule: "block 1 of 2, the first of 2 that define solve", Usable: true, Problems: []string{"2 code blocks define solve"}},
		},
		{
			"none defines solve",
			Input{Content: block("cuda", "solve(x);\n") + block("", "int b;\n")},
			Result{Kernel: "solve(x);\n", Language: "cuda", Rule: "the first of 2 code blocks, as none defines solve", Usable: true, Problems: []string{"no code block defines solve"}},
		},
		{
			"none defines solve: a label decides",
			Input{Content: "Check it with\n" + block("python", "run()\n") + "and\n" + block("cpp", "int b;\n") + block("cuda", "__global__ void k() {}\n")},
			Result{Kernel: "__global__ void k() {}\n", Language: "cuda", Rule: "block 3 of 3, the first labelled cuda, as none defines solve",
				Summary: "Check it with\nand", Usable: true, Problems: []string{"no code block defines solve"}},
		},
		{
			"prose first, then C++ among other blocks",
			Input{Content: "Plan:\n" + block("text", "1. fuse\n") + block("cpp", solve) + "So fused."},
			Result{Kernel: solve, Language: "cpp", Rule: "block 2 of 2, the one that defines solve", Summary: "So fused.", Usable: true},
		},
		{
			"one block without solve",
			Input{Content: block("python", "import torch\n")},
			Result{Kernel: "import torch\n", Language: "python", Rule: "the only code block", Usable: true, Problems: []string{"the code block does not define solve"}},
		},
		{
			"no block",
			Input{Content: "I cannot."},
			Result{Rule: "no code block", Summary: "I cannot.", Problems: []string{"the reply has no fenced code block"}},
		},
		{
			"empty reply",
			Input{},
			Result{Rule: "no code block", Problems: []string{"the reply is empty"}},
		},
		{
			"empty block",
			Input{Content: "```cuda\n\n```\nSorry."},
			Result{Rule: "no code block", Summary: "Sorry.", Problems: []string{"the code block is empty"}},
		},
		{
			"an empty block before the real one",
			Input{Content: "```\n```\n" + block("cuda", solve)},
			Result{Kernel: solve, Language: "cuda", Rule: "the only code block", Usable: true},
		},
	})
}

func TestReplyTrustsNothingTruncated(t *testing.T) {
	t.Parallel()
	checkReplies(t, []replyCase{
		{
			"unclosed block",
			Input{Content: "```cuda\n" + solve},
			Result{Kernel: solve, Language: "cuda", Rule: "the only code block", Truncated: true,
				Problems: []string{"the code block never closes, so the kernel is not complete; ask again or raise max_tokens"}},
		},
		{
			"a later block is unclosed",
			Input{Content: block("cuda", solve) + "```\nint x;"},
			Result{Kernel: solve, Language: "cuda", Rule: "block 1 of 2, the one that defines solve", Usable: true,
				Problems: []string{"a later code block never closes; the one taken does"}},
		},
		{
			"length limit, although the block closes",
			Input{Content: block("cuda", solve), FinishReason: "length"},
			Result{Kernel: solve, Language: "cuda", Rule: "the only code block", Truncated: true, Problems: []string{"the reply hit its length limit; raise max_tokens"}},
		},
		{
			"length limit within the thought",
			Input{Content: "<think>" + block("cuda", solve), FinishReason: "length"},
			Result{Thought: "```cuda\n" + solve + "```", Rule: "no code block", Truncated: true, Problems: []string{
				"the reply ends inside its reasoning, before any answer; ask again or raise max_tokens", "the reply hit its length limit; raise max_tokens"}},
		},
		{
			"cut stream",
			Input{Content: block("cuda", solve), Cut: true},
			Result{Kernel: solve, Language: "cuda", Rule: "the only code block", Truncated: true, Problems: []string{"the reply was cut off"}},
		},
		{
			"length limit in another server's words",
			Input{Content: block("cuda", solve), FinishReason: "MAX_TOKENS"},
			Result{Kernel: solve, Language: "cuda", Rule: "the only code block", Truncated: true, Problems: []string{"the reply hit its length limit; raise max_tokens"}},
		},
		{
			"length limit, fences inside lines",
			Input{Content: "Code: ```cuda\nvoid solve() {}``` so", FinishReason: "length"},
			Result{Rule: "no code block", Summary: "Code: ```cuda\nvoid solve() {}``` so", Truncated: true,
				Problems: []string{"the reply has no fenced code block", "the reply hit its length limit; raise max_tokens"}},
		},
		{
			"content filter",
			Input{Content: block("cuda", solve), FinishReason: "content_filter"},
			Result{Kernel: solve, Language: "cuda", Rule: "the only code block", Truncated: true, Problems: []string{"the server's content filter cut the reply off; ask again"}},
		},
		{
			"thought without its end",
			Input{Content: "<think>Okay, a draft:\n" + block("cuda", solve), FinishReason: "stop"},
			Result{Thought: "Okay, a draft:\n```cuda\n" + solve + "```", Rule: "no code block", Truncated: true,
				Problems: []string{"the reply ends inside its reasoning, before any answer; ask again or raise max_tokens"}},
		},
		{
			"reasoning and nothing else",
			Input{Reasoning: "Okay, a draft:\n" + block("cuda", solve), FinishReason: "stop"},
			Result{Thought: "Okay, a draft:\n```cuda\n" + solve + "```", Rule: "no code block",
				Problems: []string{"the reply ends with its reasoning and gives no answer; ask again or raise max_tokens"}},
		},
		{
			"another finish reason",
			Input{Content: block("cuda", solve), FinishReason: "tool_calls"},
			Result{Kernel: solve, Language: "cuda", Rule: "the only code block", Usable: true, Problems: []string{`the reply ended with "tool_calls"`}},
		},
	})
}

func TestReplyReadsFences(t *testing.T) {
	t.Parallel()
	checkReplies(t, []replyCase{
		{
			"CRLF",
			Input{Content: "```cuda\r\n" + strings.ReplaceAll(solve, "\n", "\r\n") + "```\r\nDone.\r\n"},
			Result{Kernel: solve, Language: "cuda", Rule: "the only code block", Summary: "Done.", Usable: true},
		},
		{
			"longer fence around a shorter one",
			Input{Content: "````cuda\n" + solve + "// ```\n```\n````\n"},
			Result{Kernel: solve + "// ```\n```\n", Language: "cuda", Rule: "the only code block", Usable: true},
		},
		{
			"tildes, and backticks inside them",
			Input{Content: "~~~ cuda\n" + solve + "```\n~~~~\n"},
			Result{Kernel: solve + "```\n", Language: "cuda", Rule: "the only code block", Usable: true},
		},
		{
			"indented as in a list",
			Input{Content: "1. Code:\n   ```{.cuda}\n   void solve() {\n     f();\n   }\n   ```\n"},
			Result{Kernel: "void solve() {\n  f();\n}\n", Language: "cuda", Rule: "the only code block", Summary: "1. Code:", Usable: true},
		},
		{
			"last fence without a newline",
			Input{Content: "```\n" + solve + "```"},
			Result{Kernel: solve, Rule: "the only code block", Usable: true},
		},
		{
			"code spans and short runs are prose",
			Input{Content: "```solve()``` and ``x``\n``\n"},
			Result{Rule: "no code block", Summary: "```solve()``` and ``x``\n``", Problems: []string{"the reply has no fenced code block"}},
		},
	})
}

func TestReplyLooksTwiceForFences(t *testing.T) {
	t.Parallel()
	const inside, odd = "a code block inside a line", "the fences of the code block do not stand on lines of their own"
	checkReplies(t, []replyCase{
		{
			"a fence behind prose",
			Input{Content: "Here it is: ```cuda\n" + solve + "```\nDone."},
			Result{Kernel: solve, Language: "cuda", Rule: inside, Summary: "Done.", Usable: true, Problems: []string{odd}},
		},
		{
			"a fence behind the last line of code",
			Input{Reasoning: "r", Content: "First.\n```cpp\nvoid solve() {}```"},
			Result{Thought: "r", Kernel: "void solve() {}\n", Language: "cpp", Rule: inside, Summary: "First.", Usable: true, Problems: []string{odd}},
		},
		{
			"the one that defines solve",
			Input{Content: "Run ```sh\nnvcc``` on ```\n" + solve + "``` now"},
			Result{Kernel: solve, Rule: inside, Summary: "now", Usable: true, Problems: []string{odd}},
		},
		{
			"none defines solve",
			Input{Content: "<think>t</think>a ```\nint a;``` b"},
			Result{Thought: "t", Kernel: "int a;\n", Rule: inside, Summary: "b", Usable: true, Problems: []string{odd, "the code block does not define solve"}},
		},
		{
			"a closed block on lines of its own goes first",
			Input{Content: "x ```\nvoid solve() {}``` y\n" + block("", "int b;\n")},
			Result{Kernel: "int b;\n", Rule: "the only code block", Summary: "x ```\nvoid solve() {}``` y", Usable: true, Problems: []string{"the code block does not define solve"}},
		},
	})
}

func same(a, b Result) bool {
	problems := slices.Equal(a.Problems, b.Problems)
	a.Problems, b.Problems = nil, nil
	return problems && a.Thought == b.Thought && a.Kernel == b.Kernel && a.Language == b.Language && a.Rule == b.Rule &&
		a.Summary == b.Summary && a.Usable == b.Usable && a.Truncated == b.Truncated
}

func TestDefinesSolve(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		code string
		want bool
	}{
		{"definition", "void solve(int a) {", true},
		{"brace on the next line", "void solve\n(int (*f)(int))\n{", true},
		{"declaration, then definition", "void solve(int);\nvoid solve(int) {}", true},
		{"call", "solve(a, b);", false},
		{"declaration", "void solve(int a);", false},
		{"part of another name", "void resolve() {} void solve_all() {}", false},
		{"nothing after it", "solve", false},
		{"open list", "solve(a", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := definesSolve(tt.code); got != tt.want {
				t.Errorf("definesSolve(%q) = %v", tt.code, got)
			}
		})
	}
}

// Replies of 10 MB, made to be slow: anything worse than linear runs for hours.
func TestReplyIsBounded(t *testing.T) {
	t.Parallel()
	const size = 10 << 20
	for _, tt := range []struct {
		name  string
		reply string
		odd   string // part of a problem
	}{
		{"prose", strings.Repeat("word ", size/5), "no fenced code block"},
		{"one line of backticks", strings.Repeat("`", size), "no fenced code block"},
		{"fence lines", strings.Repeat("```\n", size/4), "the code block is empty"},
		{"blocks", strings.Repeat("```\nx\n```\n", size/10), "more than 1000 code blocks"},
		{"kernel", block("cuda", strings.Repeat("a line of code\n", size/15)), "larger than 1024 KiB"},
		{"calls of solve", block("cuda", strings.Repeat("solve(", size/6)), "larger than 1024 KiB"},
		{"closing tags, almost", strings.Repeat("</think", size/7), "no fenced code block"},
		{"carriage returns", strings.Repeat("\r", size), "no fenced code block"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Reply(Input{Content: tt.reply})
			if len(got.Kernel) > maxKernel || len(got.Summary) > maxSummary+3 {
				t.Errorf("kernel of %d bytes, summary of %d", len(got.Kernel), len(got.Summary))
			}
			if !strings.Contains(strings.Join(got.Problems, "\n"), tt.odd) {
				t.Errorf("problems %q, want one with %q", got.Problems, tt.odd)
			}
		})
	}
}

func TestPythonAnswers(t *testing.T) {
	t.Parallel()
	model := "import torch\n\nclass ModelNew(torch.nn.Module):\n    x = 1\n"
	for name, c := range map[string]struct {
		content, kernel string
		problems        int
	}{
		"the only block":   {"```python\n" + model + "```\nDone.", model, 0},
		"behind a snippet": {"```python\nx = 1\n```\nThen\n```\n" + model + "```", model, 0},
		"in a comment":     {"```python\n# class ModelNew:\n```", "# class ModelNew:\n", 1},
		"a longer name":    {"```python\nclass ModelNewer:\n    pass\n```", "class ModelNewer:\n    pass\n", 1},
		"none":             {"no code", "", 1},
	} {
		got := Reply(Input{Content: c.content, FinishReason: "stop", Torch: true})
		if got.Kernel != c.kernel || len(got.Problems) != c.problems {
			t.Errorf("%s: kernel %q, problems %q; want %q and %d", name, got.Kernel, got.Problems, c.kernel, c.problems)
		}
	}
}
