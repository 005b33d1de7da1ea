package demo

import (
	"io/fs"
	"strings"
	"testing"

	"example.com/hone/agent/extract"
)

func TestParseScript(t *testing.T) {
	t.Parallel()
	const turn = "=== turn\n--- thought\nhm\n--- reply\ntext\n"
	for _, tt := range []struct {
		name string
		text string
		want string // "turns:answers of each", or part of the error
	}{
		{"one turn", turn, "1:1"},
		{"CRLF, blank lines, unknown keys", strings.ReplaceAll("\n\n=== turn mood=good x=1\n--- thought\nhm\n--- reply\n\ntext\n\n", "\n", "\r\n"), "1:1"},
		{"two turns, the first with a variation", turn + strings.Replace(turn, "turn", "turn variation=1", 1) + turn, "2:21"},
		{"marks inside the text", "=== turn\n--- thought\n---\n--- a/file\n=== turns\n--- reply\n===\n", "1:1"},
		{"nothing", "", `demo script s.md: no "=== turn" line`},
		{"text first", "hello\n" + turn, "s.md:1: text before"},
		{"text before the thought", "=== turn\nhello\n--- thought\n", "s.md:2: text before"},
		{"section before a turn", "--- thought\n", `s.md:1: "--- thought" before "=== turn"`},
		{"two thoughts", "=== turn\n--- thought\n--- thought\n", `s.md:3: a second "--- thought"`},
		{"no reply", "=== turn\n--- thought\nx\n" + turn, `s.md:4: the turn that ends here lacks`},
		{"no thought at the end", "=== turn\n--- reply\nx\n", `s.md:3: the turn that ends here lacks`},
		{"empty reply", "=== turn\n--- thought\nx\n--- reply\n\n", "s.md:5: the turn that ends here has an empty reply"},
		{"a key alone", "=== turn variation\n", `s.md:1: "variation" is not key=value`},
		{"variation of nothing", "=== turn variation=1\n", "s.md:1: a variation of no turn"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := parseScript("s.md", tt.text)
			got := shape(s)
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// shape is the number of turns, and of answers in each.
func shape(s script) string {
	digits := func(n int) string { return string(rune('0' + n)) }
	text := digits(len(s.turns)) + ":"
	for _, answers := range s.turns {
		text += digits(len(answers))
	}
	return text
}

func FuzzParseScript(f *testing.F) {
	f.Add("=== turn\n--- thought\nhm\n--- reply\ntext\n")
	f.Add("=== turn variation=1 a\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseScript("s.md", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "demo script s.md:") {
				t.Errorf("error does not name the file: %v", err)
			}
			return
		}
		for _, answers := range s.turns {
			for _, a := range answers {
				if a.reply == "" {
					t.Error("an empty reply")
				}
			}
		}
	})
}

// Every script belongs to a built-in task, and each of its replies is one that a
// session takes a kernel from.
func TestBuiltInScripts(t *testing.T) {
	t.Parallel()
	m, err := newModel()
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(scripts, "scripts/*.md")
	if err != nil || len(files) == 0 || len(files) != len(m.scripts) {
		t.Fatalf("%d files, %d scripts, error %v", len(files), len(m.scripts), err)
	}
	names := map[string]bool{}
	for _, task := range m.tasks {
		names[task.Name] = true
	}
	for name, s := range m.scripts {
		if !names[name] {
			t.Errorf("%s.md: no such task", name)
		}
		for turn, answers := range s.turns {
			for _, a := range answers {
				r := extract.Reply(extract.Input{Reasoning: a.thought, Content: a.reply, FinishReason: "stop"})
				if !r.Usable || len(r.Problems) > 0 || r.Summary == "" || r.Thought == "" || r.Language != "cuda" {
					t.Errorf("%s.md, turn %d: %s, problems %q, language %q", name, turn+1, r.Rule, r.Problems, r.Language)
				}
			}
		}
	}
}
