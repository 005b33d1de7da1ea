package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"example.com/hone/tasks"
)

func start(t *testing.T, ctx context.Context, o Options) *Server {
	t.Helper()
	s, err := Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func send(t *testing.T, s *Server, method, path, body string) (status int, contentType, text string) {
	t.Helper()
	return request(t, method, s.URL()+path, body)
}

// post asks the model at a base URL.
func post(t *testing.T, base, body string) (status int, contentType, text string) {
	t.Helper()
	return request(t, "POST", base+"/chat/completions", body)
}

func request(t *testing.T, method, url, body string) (status int, contentType, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("Content-Type"), string(raw)
}

func TestServerSpeaksTheProtocol(t *testing.T) {
	t.Parallel()
	s := start(t, t.Context(), Options{})
	const messages = `"messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}]`
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		contentType              string
		want                     []string
	}{
		{
			"stream with usage", "POST", "/chat/completions", `{"stream":true,"stream_options":{"include_usage":true},` + messages + `}`,
			200, "text/event-stream", []string{`"role":"assistant"`, `"reasoning_content":"This"`, `"content":" code"`, `"finish_reason":"stop"`, `"choices":[],`, `"usage":{"prompt_tokens":2,`, "data: [DONE]\n\n"},
		},
		{"in one piece", "POST", "/chat/completions", `{` + messages + `}`, 200, "application/json", []string{`do not know this task`, `"reasoning_content":"This is`, `"finish_reason":"stop"`}},
		{"models", "GET", "/models", "", 200, "application/json", []string{`"id":"hone-demo"`}},
		{"not JSON", "POST", "/chat/completions", "hello", 400, "application/json", []string{`{"error":{"message":"the body is not a chat request`}},
		{"no messages", "POST", "/chat/completions", "{}", 400, "application/json", []string{"messages is empty"}},
		{"no such path", "GET", "/completions", "", 404, "application/json", []string{"no GET /v1/completions here"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			status, contentType, text := send(t, s, tt.method, tt.path, tt.body)
			if status != tt.status || contentType != tt.contentType {
				t.Errorf("status %d, content type %q", status, contentType)
			}
			for _, want := range tt.want {
				before, after, ok := strings.Cut(text, want)
				if !ok {
					t.Fatalf("%q is missing, or not in its place:\n%s\n...%s", want, before, after)
				}
				text = after
			}
		})
	}
}

// TestLanes asks for two samples of one prompt, in either order.
func TestLanes(t *testing.T) {
	t.Parallel()
	text := built(t, mustFind(t, "softmax").Reference, 0)[0].Content
	body, err := json.Marshal(openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{{Role: "user", Content: text}}})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(s *Server, lane int) string {
		status, _, reply := post(t, s.Lane(lane), string(body))
		if status != 200 {
			t.Errorf("lane %d: status %d: %s", lane, status, reply)
		}
		_, reply, _ = strings.Cut(reply, `"model"`) // the time comes before
		return reply
	}
	one, other := start(t, t.Context(), Options{}), start(t, t.Context(), Options{})
	a0, a1 := ask(one, 0), ask(one, 1)
	b1, b0 := ask(other, 1), ask(other, 0)
	if a0 != b0 || a1 != b1 || a0 == a1 {
		t.Errorf("lane 0 %v, lane 1 %v, they differ %v: want true of all", a0 == b0, a1 == b1, a0 != a1)
	}
	if status, _, text := post(t, strings.Replace(one.Lane(0), "/0/", "/x/", 1), string(body)); status != 404 {
		t.Errorf("no such lane: status %d: %s", status, text)
	}
}

func mustFind(t *testing.T, name string) tasks.Task {
	t.Helper()
	catalog, err := tasks.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	task, err := catalog.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

func TestUsageOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	s := start(t, t.Context(), Options{})
	_, _, text := send(t, s, "POST", "/chat/completions", `{"stream":true,"messages":[{"role":"user","content":"x"}]}`)
	if strings.Contains(text, `"usage"`) || !strings.HasSuffix(text, "data: [DONE]\n\n") {
		t.Errorf("stream %s", text)
	}
}

// Cancelling the context, or closing, breaks off a reply that would take hours.
func TestEndOfServerEndsReplies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(*Server, context.CancelFunc)
	}{
		{"context", func(_ *Server, cancel context.CancelFunc) { cancel() }},
		{"close", func(s *Server, _ context.CancelFunc) { s.Close() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := start(t, ctx, Options{Rate: 0.001})
			body, err := json.Marshal(openai.ChatCompletionRequest{Stream: true, Messages: []openai.ChatCompletionMessage{{Content: "x"}}})
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.Post(s.URL()+"/chat/completions", "application/json", strings.NewReader(string(body)))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			lines := bufio.NewReader(resp.Body)
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			tt.end(s, cancel)
			// Whether the rest fails or only stops depends on which end is faster.
			if rest, _ := io.ReadAll(lines); strings.Contains(string(rest), "[DONE]") {
				t.Errorf("the reply ended well: %q", rest)
			}
		})
	}
}
