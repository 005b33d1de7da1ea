package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/hone/agent"
)

const plantedKey = "sk-planted-0123456789abcdef"

// endpoint is a fake server that answers every chat request in one way.
func endpoint(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// chunk writes one piece of a streamed answer.
func chunk(w http.ResponseWriter, text string) {
	piece, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", piece)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// finish ends a streamed answer as it should end.
func finish(w http.ResponseWriter) {
	fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

// TestModelsThatMisbehave refines one turn against servers that go wrong. Each
// time there is one line with the cause and what to do, the right exit code,
// a complete record, and no key anywhere.
func TestModelsThatMisbehave(t *testing.T) {
	t.Parallel()
	reply := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { chunk(w, text); finish(w) }
	}
	tests := []struct {
		name    string
		answer  http.HandlerFunc
		code    int
		outcome string
		says    string // in the printed lines
	}{
		{"wrong key", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s"}}`, plantedKey)
		}, exitModel, agent.OutcomeModelError, "key"},
		{"no such model", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"object":"error","message":"The model does not exist.","code":404}`)
		}, exitModel, agent.OutcomeModelError, "model"},
		{"cut half way", func(w http.ResponseWriter, _ *http.Request) {
			chunk(w, "Here it is:\n```cuda\n__global__ void k() {")
			panic(http.ErrAbortHandler)
		}, exitModel, agent.OutcomeModelError, "cut"},
		{"no code", reply("I would rather not."), exitNoCorrect, "parse_error", "code block"},
		{"unclosed block", reply("```cuda\nextern \"C\" void solve("), exitNoCorrect, "truncated", ""},
		{"two blocks", reply("```python\nx = 1\n```\nand\n```cuda\nextern \"C\" void solve() {}\n```\n"), exitNoCorrect, "compile_error", "solve"},
		{"escape codes", reply("\x1b]52;c;aGk=\x07\x1b[2J\n```cuda\n// \x1b[31mred\nextern \"C\" void solve(int) {}\n```\n"), exitNoCorrect, "compile_error", "red"},
		{"10 MB", reply(strings.Repeat("and so on ", 1<<20)), exitNoCorrect, "parse_error", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			cmd := h.command("refine", "softmax", "--plain", "--turns", "1")
			cmd.Env = append(cmd.Env, "OPENAI_BASE_URL="+endpoint(t, tt.answer), "OPENAI_MODEL=m", "OPENAI_API_KEY="+plantedKey)
			out, _ := cmd.CombinedOutput()
			text := string(out)
			if code := cmd.ProcessState.ExitCode(); code != tt.code {
				t.Errorf("exit code %d, want %d:\n%.4000s", code, tt.code, text)
			}
			if !strings.Contains(text, tt.says) {
				t.Errorf("no %q in:\n%.4000s", tt.says, text)
			}
			for _, bad := range []string{"\x1b", "\x07", plantedKey} {
				if strings.Contains(text, bad) {
					t.Errorf("%q was printed", bad)
				}
			}
			checkOutcome(t, h, tt.outcome)
		})
	}
}

// checkOutcome reads the record back: complete, with the outcome and no key.
func checkOutcome(t *testing.T, h home, outcome string) {
	t.Helper()
	events := h.onlyEvents()
	var s agent.State
	for _, e := range events {
		s.Apply(e)
		if strings.Contains(fmt.Sprintf("%+v", e.Data), plantedKey) {
			t.Errorf("event %s holds the key", e.Kind)
		}
	}
	if turn := s.Turn(1); turn == nil || turn.End == nil || turn.End.Outcome != outcome {
		t.Errorf("turn 1 ended as %+v, want %s", turn, outcome)
	}
	if s.Ended == nil {
		t.Error("the record has no end")
	}
}
