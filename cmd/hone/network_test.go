package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/hone/agent"
)

// configure writes the configuration of a home.
func (h home) configure(text string) {
	h.t.Helper()
	path := filepath.Join(h.dir, "config", "hone", "config.toml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// profileText is a model profile whose key is the planted one.
func profileText(name, url, more string) string {
	return fmt.Sprintf("[models.%s]\nbase_url = %q\nmodel = \"model-%s\"\napi_key_env = \"NET_KEY\"\n%s\n", name, url, name, more)
}

// first answers the first requests in turn, and every later one with a reply
// that holds no kernel.
func first(answers ...http.HandlerFunc) http.HandlerFunc {
	var calls atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		if n := int(calls.Add(1)); n <= len(answers) {
			answers[n-1](w, r)
			return
		}
		chunk(w, "I would rather not.")
		finish(w)
	}
}

// status refuses a request.
func status(code int, retryAfter string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"error":{"message":"no, %s"}}`, plantedKey)
	}
}

// stall writes some text and then nothing, until the client goes.
func stall(w http.ResponseWriter, r *http.Request) {
	chunk(w, "half a rep")
	io.Copy(io.Discard, r.Body) // the server sees the client go only then
	<-r.Context().Done()
}

const closedBlock = "```cuda\nextern \"C\" void solve() {}\n```\n"

// tokens writes so many pieces of text as fast as it can.
func tokens(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := range n {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" t%d\"}}]}\n\n", i)
		}
		finish(w)
	}
}

// TestNetworks refines one turn over networks and servers that go wrong: what a
// person reads, the exit code, how the turn ends, and what was kept of the reply.
func TestNetworks(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(first())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	tests := []struct {
		name    string
		url     string // where no fake server answers
		answer  http.HandlerFunc
		limits  string // of the profile
		flag    string
		code    int
		outcome string
		says    []string
		content string // of the recorded reply, its beginning
	}{
		{name: "offline", url: "http://127.0.0.1:9/v1", limits: "attempts = 2", code: exitModel, outcome: agent.OutcomeModelError,
			says: []string{"connection refused; asking again in ", "(attempt 2 of 2)", "start the server, or correct base_url"}},
		{name: "offline, as events", url: "http://127.0.0.1:9/v1", limits: "attempts = 2", flag: "--json", code: exitModel, outcome: agent.OutcomeModelError,
			says: []string{`"attempt":2,"attempts":2,"wait_ns":`, `"exit_code":4`}},
		{name: "TLS", url: secure.URL + "/v1", code: exitModel, outcome: agent.OutcomeModelError,
			says: []string{"no secure connection to model endpoint 127.0.0.1:", "install the authority's certificate on this machine"}},
		{name: "429, then fine", answer: first(status(429, "1")), code: exitNoCorrect, outcome: "parse_error",
			says: []string{"answered 429: no, [key]; asking again in ", "(attempt 2 of 4)", "end: "}, content: "I would rather not."},
		{name: "429 for an hour", answer: first(status(429, "3600")), code: exitModel, outcome: agent.OutcomeModelError,
			says: []string{"the server asks to wait 1h0m0s; retry the turn then"}},
		{name: "500 twice, then fine", answer: first(status(500, ""), status(500, "")), code: exitNoCorrect, outcome: "parse_error",
			says: []string{"(attempt 2 of 4)", "(attempt 3 of 4)"}, content: "I would rather not."},
		{name: "500 twice, as events", answer: first(status(500, ""), status(502, "")), flag: "--json", code: exitNoCorrect, outcome: "parse_error",
			says: []string{`"attempt":3,"attempts":4,"wait_ns":`, `"event":"session.end"`}, content: "I would rather not."},
		{name: "500 for ever", answer: first(status(500, ""), status(500, "")), limits: "attempts = 2", code: exitModel, outcome: agent.OutcomeModelError,
			says: []string{"answered 500: no, [key]; wait and retry the turn"}},
		{name: "stall", answer: stall, limits: `idle = "300ms"`, code: exitModel, outcome: agent.OutcomeModelError,
			says: []string{"  | half a rep", "fell silent for 300ms; retry the turn, or raise the profile's limits"}, content: "half a rep"},
		{name: "stall before the first byte", answer: func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, limits: `first_byte = "300ms"`, code: exitModel, outcome: agent.OutcomeModelError, says: []string{"sent nothing for 300ms"}},
		{name: "100,000 tokens", answer: tokens(100_000), code: exitNoCorrect, outcome: "parse_error", says: []string{" t99999"}, content: " t0 t1 t2"},
		{name: "length limit after a closed block", answer: func(w http.ResponseWriter, _ *http.Request) {
			chunk(w, closedBlock)
			fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n")
		}, code: exitNoCorrect, outcome: agent.OutcomeTruncated, says: []string{"the reply hit its length limit; raise max_tokens"}, content: closedBlock},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			url := tt.url
			if url == "" {
				url = endpoint(t, tt.answer)
			}
			h.configure("profile = \"net\"\n" + profileText("net", url, tt.limits))
			flag := tt.flag
			if flag == "" {
				flag = "--plain"
			}
			cmd := h.command("refine", "softmax", flag, "--turns", "1")
			cmd.Env = append(cmd.Env, "NET_KEY="+plantedKey)
			out, _ := cmd.CombinedOutput()
			text := string(out)
			if code := cmd.ProcessState.ExitCode(); code != tt.code {
				t.Errorf("exit code %d, want %d:\n%.4000s", code, tt.code, text)
			}
			for _, want := range tt.says {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in:\n%.4000s", want, text)
				}
			}
			if strings.Contains(text, "planted") {
				t.Error("the key was printed")
			}
			checkOutcome(t, h, tt.outcome)
			if got := h.reply(); !strings.HasPrefix(got.Content, tt.content) || tt.content == "" && got.Content != "" {
				t.Errorf("the record has the reply %.100q, want %q", got.Content, tt.content)
			}
			if strings.Contains(h.wholeRecord(), "planted") {
				t.Error("the key is in the record")
			}
		})
	}
}

// reply is the model's last one in the record of the one run.
func (h home) reply() (last agent.ModelResponded) {
	h.t.Helper()
	for _, e := range h.onlyEvents() {
		if d, ok := e.Data.(*agent.ModelResponded); ok {
			last = *d
		}
	}
	return last
}

// wholeRecord is the log of the one run, with the texts that lie beside it.
func (h home) wholeRecord() string {
	h.t.Helper()
	cmd := h.command("runs", "show", "last", "--json")
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("show the run: %v\n%s", err, out)
	}
	return string(out)
}

// TestNothingOfALongReplyIsLost compares what was recorded of 100,000 tokens with
// what was sent, and the text with the raw bytes.
func TestNothingOfALongReplyIsLost(t *testing.T) {
	t.Parallel()
	const n = 100_000
	h := newHome(t)
	h.configure("profile = \"net\"\n" + profileText("net", endpoint(t, tokens(n)), ""))
	h.command("refine", "softmax", "--plain", "--turns", "1").Run()
	var text, raw strings.Builder
	for i := range n {
		fmt.Fprintf(&text, " t%d", i)
		fmt.Fprintf(&raw, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" t%d\"}}]}\n\n", i)
	}
	got := h.reply()
	if got.Content != text.String() {
		t.Errorf("the record has %d bytes of text, want %d", len(got.Content), text.Len())
	}
	if !strings.HasPrefix(got.Raw, raw.String()) || !strings.HasSuffix(got.Raw, "data: [DONE]\n\n") {
		t.Errorf("the record has %d raw bytes, want the %d of the tokens and the end", len(got.Raw), raw.Len())
	}
	if !got.Complete || got.FirstToken == nil || !got.Usage.Estimated {
		t.Errorf("the reply is %v, first token %v, usage %+v", got.Complete, got.FirstToken, got.Usage)
	}
}

// TestInterruptEndsAWait breaks off the wait for another attempt.
func TestInterruptEndsAWait(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	asked := make(chan struct{})
	h.configure("profile = \"net\"\n" + profileText("net", endpoint(t, first(func(w http.ResponseWriter, r *http.Request) {
		status(429, "50")(w, r)
		close(asked)
	})), ""))
	cmd := h.command("refine", "softmax", "--plain", "--turns", "1")
	cmd.Env = append(cmd.Env, "NET_KEY="+plantedKey)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	var seen strings.Builder
	piece := make([]byte, 4096)
	for !strings.Contains(seen.String(), "(attempt 2 of 4)") {
		n, err := out.Read(piece)
		seen.Write(piece[:n])
		if err != nil {
			t.Fatalf("the wait was never told:\n%s", seen.String())
		}
	}
	begun := time.Now()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, out)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || time.Since(begun) > 20*time.Second {
		t.Errorf("exit code %d after %v, want %d at once", code, time.Since(begun), exitInterrupted)
	}
	checkOutcome(t, h, agent.OutcomeStopped)
}

// TestAnotherProfileFromTheNextTurnOn asks two endpoints in one session, each
// with the key of its own.
func TestAnotherProfileFromTheNextTurnOn(t *testing.T) {
	t.Parallel()
	keyed := func(key string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Authorization"); got != "Bearer "+key {
				t.Errorf("asked with %q, want %q", got, key)
			}
			first()(w, r)
		}
	}
	small, big := endpoint(t, keyed(plantedKey)), endpoint(t, keyed("sk-another-planted-key"))
	h := newHome(t)
	h.configure("profile = \"small\"\n" + profileText("small", small, "") +
		strings.Replace(profileText("big", big, "[models.big.extra]\ntop_k = 20\nchat_template_kwargs = { thinking = true }"), "NET_KEY", "BIG_KEY", 1))
	cmd := h.command("refine", "softmax", "--plain", "--commands")
	cmd.Env = append(cmd.Env, "NET_KEY="+plantedKey, "BIG_KEY=sk-another-planted-key")
	cmd.Stdin = strings.NewReader("next\nmodel huge\nmodel big\nnext\nquit\n")
	out, _ := cmd.CombinedOutput()
	for _, want := range []string{
		"asking model-small at", `warn: the model stays as it is: no model profile "huge"`, "you: model: big",
		"from the next turn on: model-big at " + strings.TrimSuffix(strings.TrimPrefix(big, "http://"), "/v1"), "asking model-big at",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	var s agent.State
	for _, e := range h.onlyEvents() {
		s.Apply(e)
	}
	if len(s.Turns) != 2 || s.Turn(1).Request.Model != "model-small" || s.Turn(2).Request.Model != "model-big" || s.Session.Profile != "big" {
		t.Fatalf("%d turns; the session ends with profile %q:\n%s", len(s.Turns), s.Session.Profile, out)
	}
	if got := fmt.Sprint(s.Turn(2).Request.Extra); got != "map[chat_template_kwargs:map[thinking:true] top_k:20]" {
		t.Errorf("the record of turn 2 has the extra fields %s", got)
	}
	if whole := string(out) + h.wholeRecord(); strings.Contains(whole, "planted") {
		t.Error("a key shows")
	}
}
