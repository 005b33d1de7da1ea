package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/hone/agent"
)

func TestStreamReadsWhatServersSend(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		body      string
		profile   Profile
		content   string
		reasoning string
	}{
		{"plain", lines(said("a"), said("b"), stop, done), Profile{}, "ab", ""},
		{"reasoning", lines(delta("reasoning", "r"), said("a"), stop, done), Profile{}, "a", "r"},
		{"reasoning_content", lines(delta("reasoning_content", "r"), said("a"), stop, done), Profile{}, "a", "r"},
		{
			"both reasoning fields hold the same",
			lines(`data: {"choices":[{"delta":{"reasoning":"r","reasoning_content":"r"}}]}`, said("a"), stop), Profile{}, "a", "r",
		},
		{"tags cut across chunks", lines(said("<th"), said("ink>r</thi"), said(`nk>\n\na`), stop, done), Profile{}, "a", "r"},
		{"closing tag only", lines(said("r"), said("</think>a"), stop, done), Profile{}, "a", "r"},
		{"a template that opens the thought", lines(said("r</th"), said("ink>a"), stop, done), Profile{ThinkOpen: true}, "a", "r"},
		{"a thought that never closes", lines(said("r</th"), stop, done), Profile{ThinkOpen: true}, "", "r</th"},
		{"tags mean nothing beside reasoning", lines(delta("reasoning", "r"), said("a</think>b"), stop), Profile{}, "a</think>b", "r"},
		{"comments without limit", lines(strings.Repeat(": keep-alive\n\n", 2000)+said("a"), ": more", stop, done), Profile{}, "a", ""},
		{"finish reason without [DONE]", lines(said("a"), stop), Profile{}, "a", ""},
		{"[DONE] without finish reason", lines(said("a"), done), Profile{}, "a", ""},
		{"last line without a newline", lines(said("a")) + stop, Profile{}, "a", ""},
		{"no space after data:, CRLF", strings.ReplaceAll(strings.ReplaceAll(lines(said("a"), stop, done), "data: ", "data:"), "\n", "\r\n"), Profile{}, "a", ""},
		{"unknown fields, ids, other events", lines("id: 7\nretry: 10\nevent: message\n"+said("a"), stop, done), Profile{}, "a", ""},
		{"error: null", lines(`data: {"error":null,"choices":[{"delta":{"content":"a"}}]}`, stop), Profile{}, "a", ""},
		{"content: null, tool calls", lines(`data: {"choices":[{"delta":{"content":null,"tool_calls":[{"index":0}]}}]}`, said("a"), stop), Profile{}, "a", ""},
		{"other choices", lines(`data: {"choices":[{"index":1,"delta":{"content":"x"}}]}`, said("a"), stop), Profile{}, "a", ""},
		{"junk between events", lines("hello", said("a"), "{not json", stop), Profile{}, "a", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := fake(t, tt.profile, body("text/event-stream", tt.body))
			reply, heard, err := ask(c)
			if err != nil {
				t.Fatal(err)
			}
			if reply.Content != tt.content || reply.Reasoning != tt.reasoning || !reply.Complete {
				t.Errorf("reply %+v, want content %q, reasoning %q", reply, tt.content, tt.reasoning)
			}
			if reply.FirstToken <= 0 || reply.FirstToken > reply.Total {
				t.Errorf("first token after %v of %v", reply.FirstToken, reply.Total)
			}
			if got := spoken(heard); len(got) != len(tt.content)+len(tt.reasoning) {
				t.Errorf("emitted %q", got)
			}
		})
	}
}

func spoken(heard []agent.ModelEvent) string {
	var text strings.Builder
	for _, e := range heard {
		text.WriteString(e.Delta.Text)
	}
	return text.String()
}

func TestStreamReadsReplyInOnePiece(t *testing.T) {
	t.Parallel()
	whole := `{"choices":[{"message":{"content":"a","reasoning":"r"},"finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`
	for _, tt := range []struct{ name, contentType, body, finish string }{
		{"a server that does not stream", "application/json", whole, "length"},
		{"a stream labelled as JSON", "application/json; charset=utf-8", lines(delta("reasoning", "r"), said("a"), stop, done), "stop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := fake(t, Profile{}, body(tt.contentType, tt.body))
			reply, _, err := ask(c)
			if err != nil || reply.Content != "a" || reply.Reasoning != "r" || reply.FinishReason != tt.finish {
				t.Errorf("reply %+v, error %v", reply, err)
			}
		})
	}
}

func TestStreamCountsTokens(t *testing.T) {
	t.Parallel()
	usage := `data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12,"completion_tokens_details":{"reasoning_tokens":2}}}`
	for _, tt := range []struct {
		name string
		body string
		want agent.Usage
	}{
		{"from the server", lines(said("a"), stop, usage, done), agent.Usage{Prompt: 7, Completion: 5, Reasoning: 2}},
		{"estimated where there is none", lines(delta("reasoning", "seven.."), said("seven.."), stop, done), agent.Usage{Prompt: 2, Completion: 4, Reasoning: 2, Estimated: true}},
		{"estimated where it is not usable", lines(said("seven.."), stop, `data: {"choices":[],"usage":"many"}`, done), agent.Usage{Prompt: 2, Completion: 2, Estimated: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := fake(t, Profile{}, body("text/event-stream", tt.body))
			reply, _, err := ask(c)
			if err != nil || reply.Usage != tt.want {
				t.Errorf("usage %+v, error %v, want %+v", reply.Usage, err, tt.want)
			}
		})
	}
}

// Whatever form an error takes, it ends the turn with its words, and what came
// before it is kept.
func TestStreamErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		tail string // after one token
		kind Kind
		want string // in the text
	}{
		{"connection closed", "", KindCut, "before the reply's end; retry the turn"},
		{"nested error", lines(`data: {"error":{"message":"boom"}}`, said("x"), done), KindServer, "boom"},
		{"nested error without a newline", `data: {"error":{"message":"boom"}}`, KindServer, "boom"},
		{"after a comment", ": alive\n\n" + lines(`data: {"error":{"message":"boom"}}`), KindServer, "boom"},
		{"with spaces", lines(`data: { "error" : { "message" : "boom" } }`), KindServer, "boom"},
		{"not the first key", lines(`data: {"id":"1","error":{"code":502,"message":"boom"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`), KindServer, "boom"},
		{"a finish reason alone", lines(`data: {"choices":[{"delta":{},"finish_reason":"error"}]}`), KindServer, "no reason given"},
		{"a string", lines(`data: {"error":"boom"}`), KindServer, "boom"},
		{"flat", lines(`data: {"object":"error","message":"boom","code":400}`), KindServer, "boom"},
		{"error field", lines(`error: {"message":"boom"}`), KindServer, "boom"},
		{"error event", lines("event: error\ndata: {\"detail\":\"boom\"}"), KindServer, "boom"},
		{"error event, plain text", lines("event: error\ndata: boom"), KindServer, "boom"},
		{"no field at all", lines(`{"error":{"message":"boom"}}`), KindServer, "boom"},
		{"not JSON", lines(`data: <html>`), KindServer, "not what the protocol says"},
		{"too long for the model", lines(`data: {"error":{"message":"This model's maximum context length is 8192 tokens"}}`), KindContextLength, "lower the prompt budget"},
		{"control codes", lines(`data: {"error":{"message":"\u001b[31mbo\u0000om\u001b[0m\ntwo"}}`), KindServer, "[31mboom[0m two"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, waits := fake(t, Profile{}, body("text/event-stream", lines(said("a"))+tt.tail))
			reply, _, err := ask(c)
			var e *Error
			if !errors.As(err, &e) || e.Kind != tt.kind || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want kind %s with %q", err, tt.kind, tt.want)
			}
			if reply.Content != "a" || reply.Complete {
				t.Errorf("reply %+v, want the token before the error, not complete", reply)
			}
			if len(*waits) > 0 {
				t.Error("asked again after the first token")
			}
			if strings.ContainsAny(err.Error(), "\n\x1b\x00") {
				t.Errorf("error is not one clean line: %q", err.Error())
			}
		})
	}
}

func TestStreamRefusesEndlessReplies(t *testing.T) {
	t.Parallel()
	long := lines(said(strings.Repeat("a", 1<<20)))
	for _, tt := range []struct {
		name  string
		write func(w io.Writer) error
	}{
		{"a reply", func(w io.Writer) error { _, err := io.WriteString(w, long); return err }},
		{"a line", func(w io.Writer) error { _, err := io.WriteString(w, strings.Repeat("a", 1<<20)); return err }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := fake(t, Profile{Limits: Limits{Attempts: 1}}, func(w http.ResponseWriter, _ *http.Request) {
				for tt.write(w) == nil {
				}
			})
			reply, _, err := ask(c)
			if err == nil || len(reply.Content) > maxReply+maxLine {
				t.Errorf("error %v, %d bytes kept", err, len(reply.Content))
			}
		})
	}
}

func TestCancelKeepsWhatCame(t *testing.T) {
	t.Parallel()
	c, _ := fake(t, Profile{}, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, lines(said("a")))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(context.Background())
	reply, err := c.Stream(ctx, nil, func(agent.ModelEvent) { cancel() })
	if !errors.Is(err, context.Canceled) || reply.Content != "a" || reply.Complete {
		t.Errorf("reply %+v, error %v", reply, err)
	}
}
