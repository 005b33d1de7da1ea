package llm

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/prompt"
)

// fake starts a server and a client of it whose pauses take no time.
func fake(t *testing.T, p Profile, handler http.HandlerFunc) (*Client, *[]time.Duration) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	p.BaseURL = server.URL + "/v1"
	return client(t, p)
}

func client(t *testing.T, p Profile) (*Client, *[]time.Duration) {
	t.Helper()
	if p.Model == "" {
		p.Model = "m"
	}
	c, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	waits := new([]time.Duration)
	c.jitter = func() float64 { return 0 }
	c.pause = func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return ctx.Err()
	}
	return c, waits
}

// body answers with one text in one content type.
func body(contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, text)
	}
}

func lines(all ...string) string { return strings.Join(all, "\n\n") + "\n\n" }

// said is a chunk with content.
func said(text string) string { return delta("content", text) }

func delta(key, text string) string {
	return `data: {"choices":[{"index":0,"delta":{"` + key + `":"` + text + `"},"finish_reason":null}]}`
}

const (
	stop = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	done = "data: [DONE]"
)

// ask streams one reply and returns what was emitted beside it.
func ask(c *Client) (reply agent.Reply, heard []agent.ModelEvent, err error) {
	messages := []prompt.Message{{Role: "user", Content: "task"}}
	reply, err = c.Stream(context.Background(), messages, func(e agent.ModelEvent) { heard = append(heard, e) })
	return reply, heard, err
}
