package llm

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestRawBytesAreKept(t *testing.T) {
	t.Parallel()
	whole := ": alive\r\n\r\n" + lines(delta("reasoning", "r"), said("a"), stop, done)
	for _, tt := range []struct {
		name   string
		status int
		body   string
	}{
		{"a stream, as it came", 200, whole},
		{"a stream that was cut", 200, ": alive\n\n" + said("half")},
		{"an error in the middle", 200, lines(said("a"), `data: {"error":{"message":"boom","n_ctx":4096}}`)},
		{"a refusal", 400, `{"object":"error","message":"maximum context length","n_prompt_tokens":9}`},
		{"nothing at all", 503, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := fake(t, Profile{Limits: Limits{Attempts: 1}}, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			if reply, _, _ := ask(c); reply.Raw != tt.body {
				t.Errorf("kept %q, want %q", reply.Raw, tt.body)
			}
		})
	}
}

func TestRawBytesAreBounded(t *testing.T) {
	t.Parallel()
	var b rawBody
	block := []byte(strings.Repeat("data: token\n", 1<<16))
	for range maxRaw/len(block) + 2 {
		if n, err := b.Write(block); n != len(block) || err != nil {
			t.Fatalf("wrote %d, %v", n, err)
		}
	}
	if b.packed.Len() > 1<<20 {
		t.Errorf("%d bytes for text that repeats itself", b.packed.Len())
	}
	if text := b.text(""); len(text) != maxRaw || !strings.HasPrefix(text, string(block)) {
		t.Errorf("%d bytes kept, want the first %d", len(text), maxRaw)
	}
}
