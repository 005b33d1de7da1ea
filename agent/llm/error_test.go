package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestFailedResponses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		body   string
		kind   Kind
		want   string // in the text
	}{
		{"wrong key", 401, `{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}`, KindAuth, "answered 401: Incorrect API key (invalid_api_key); no key was sent"},
		{"forbidden", 403, ``, KindAuth, "answered 403; no key was sent: set api_key_env"},
		{"no quota", 429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, KindRateLimited, "no quota left"},
		{"rate limit", 429, `slow down`, KindRateLimited, "slow down; wait and retry"},
		{"no such model", 404, `{"error":{"message":"model 'x' not found"}}`, KindNotFound, "check the model's name"},
		{"no such path", 404, `404 page not found`, KindNotFound, "check base_url"},
		{"redirect", 307, ``, KindNotFound, "check base_url"},
		{"context, nested", 400, `{"error":{"message":"the request exceeds the available context size","n_ctx":4096}}`, KindContextLength, "lower the prompt budget"},
		{"context, flat", 400, `{"object":"error","message":"maximum context length is 4096","code":400}`, KindContextLength, "maximum context length"},
		{"bad request, flat", 400, `{"object":"error","message":"top_k must be positive"}`, KindBadRequest, "top_k must be positive; check the profile"},
		{"bad request, detail", 422, `{"detail":"field required"}`, KindBadRequest, "field required"},
		{"bad request, a list", 400, `[{"error":{"message":"inside a list"}}]`, KindBadRequest, "inside a list"},
		{"request timeout", 408, ``, KindTimeout, "wait and retry"},
		{"server", 503, `{"error":"overloaded"}`, KindServer, "overloaded; wait and retry"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := fake(t, Profile{Limits: Limits{Attempts: 1}}, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", "https://elsewhere/")
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			reply, _, err := ask(c)
			var e *Error
			if !errors.As(err, &e) || e.Kind != tt.kind || e.Status != tt.status || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v (%+v), want %s with %q", err, e, tt.kind, tt.want)
			}
			if reply.Complete {
				t.Error("a failed request gave a complete reply")
			}
		})
	}
}

func TestWebPageIsNoReply(t *testing.T) {
	t.Parallel()
	c, _ := fake(t, Profile{}, body("text/html; charset=utf-8", "<html>Welcome</html>"))
	_, _, err := ask(c)
	var e *Error
	if !errors.As(err, &e) || e.Kind != KindNotFound || !strings.Contains(err.Error(), "web page; check base_url") {
		t.Errorf("error %v", err)
	}
}

func TestEndpointsThatCannotBeReached(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = quiet()
	secure.StartTLS()
	t.Cleanup(secure.Close)
	hangUp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			conn.Close()
		}
	}))
	t.Cleanup(hangUp.Close)
	for _, tt := range []struct {
		name string
		url  string
		kind Kind
		want string
	}{
		{"nobody listens", closed.URL, KindUnreachable, "connection refused; start the server"},
		{"unknown authority", secure.URL, KindTLS, "install the authority's certificate"},
		{"TLS to a plain server", strings.Replace(plain.URL, "http", "https", 1), KindTLS, "begin base_url with http://"},
		{"hangs up", hangUp.URL, KindUnreachable, "closed the connection without an answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := client(t, Profile{BaseURL: tt.url + "/path-of-its-own/v1", Limits: Limits{Attempts: 1}})
			_, _, err := ask(c)
			var e *Error
			if !errors.As(err, &e) || e.Kind != tt.kind || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s with %q", err, tt.kind, tt.want)
			}
			if strings.Contains(err.Error(), "path-of-its-own") {
				t.Errorf("the text shows more of the address than the host: %v", err)
			}
		})
	}
}

// broken is a network that fails in one way.
type broken struct{ err error }

func (b broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, b.err }

func TestNetworksThatFail(t *testing.T) {
	t.Parallel()
	lookup := &net.DNSError{Err: "no such host", Name: "nowhere.example", IsNotFound: true}
	for _, tt := range []struct {
		name  string
		err   error
		want  string
		tries int
	}{
		{"no such name", lookup, "model endpoint nowhere.example has no address; start the server, or correct base_url", 1},
		{"no resolver", &net.DNSError{Err: "server misbehaving", Name: "nowhere.example", IsTemporary: true}, "cannot be reached: lookup nowhere.example: server misbehaving", 4},
		{"no network", &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ENETUNREACH}, "network is unreachable; start the server", 4},
		{"connection reset", &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}, "connection reset by peer", 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, waits := client(t, Profile{BaseURL: "http://nowhere.example/v1", Transport: broken{tt.err}})
			_, heard, err := ask(c)
			var e *Error
			if !errors.As(err, &e) || e.Kind != KindUnreachable || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if len(*waits) != tt.tries-1 {
				t.Errorf("tried %d times, want %d", len(*waits)+1, tt.tries)
			}
			for i, e := range heard {
				if e.Attempt != i+2 || e.Attempts != 4 {
					t.Errorf("attempt %d of %d was announced as number %d", e.Attempt, e.Attempts, i+2)
				}
			}
		})
	}
}

// A key planted in all that a server may send back is never shown.
func TestNoTextHoldsTheKey(t *testing.T) {
	t.Parallel()
	const key = "sk-planted-0123456789abcdef"
	p := Profile{Key: key, Model: "m", Limits: Limits{Attempts: 2}}
	echo := map[string]http.HandlerFunc{
		"status": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"bad key %s, %s..., %q"}}`, key, key[:12], r.Header.Get("Authorization"))
		},
		"retried status": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "key="+key, http.StatusServiceUnavailable) },
		"stream":         body("text/event-stream", `data: {"error":{"message":"`+key+` has no access"}}`+"\n"),
		"junk":           body("text/event-stream", "data: "+key+"\n"),
		"content":        body("text/event-stream", lines(said("you sent "+key), stop)),
		"event":          body("text/event-stream", "event: error\ndata: "+key+"\n"),
	}
	for name, handler := range echo {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := fake(t, p, handler)
			reply, heard, err := ask(c)
			if err == nil && name != "content" {
				t.Fatal("no error")
			}
			described, marshalErr := json.Marshal([]any{c.Describe(), p.Key})
			if marshalErr != nil {
				t.Fatal(marshalErr)
			}
			all := fmt.Sprintf("%v|%+v|%#v|%v|%+v|%#v|%+v|%s", err, err, heard, reply, p, p, p, described)
			if strings.Contains(all, "planted") {
				t.Errorf("the key shows in %s", all)
			}
		})
	}
}

// A key that comes back in pieces is kept out of what is recorded; pieces that
// were shown by then stay as they were.
func TestAKeyInPiecesIsNotKept(t *testing.T) {
	t.Parallel()
	const key = "sk-planted-0123456789abcdef"
	c, _ := fake(t, Profile{Key: key}, body("text/event-stream", lines(said(key[:9]), said(key[9:]), stop)))
	reply, _, err := ask(c)
	if err != nil || reply.Content != hiddenKey || strings.Contains(reply.Raw, key[:telling]) {
		t.Errorf("reply %+v, error %v", reply, err)
	}
}

func TestScrub(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		text string
		key  Key
		want string
	}{
		{"one line", " a\r\n\tb\u2028c ", "", "a b c"},
		{"control and invisible characters", "a\x1b[0m\x00\u202e\u200bb", "", "a[0mb"},
		{"bounded", strings.Repeat("ä", maxCause+1), "", strings.Repeat("ä", maxCause) + "..."},
		{"the key", "bad key sk-secret-1, again sk-secret-1", "sk-secret-1", "bad key [key], again [key]"},
		{"its beginning", "bad key sk-secre***** given", "sk-secret-1", "bad key [key] given"},
		{"a placeholder is no key", "EMPTY body", "EMPTY", "EMPTY body"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := scrub(tt.text, tt.key); got != tt.want {
				t.Errorf("scrub = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		value string
		want  time.Duration
	}{
		{"", 0},
		{"7", 7 * time.Second},
		{"0.5", 500 * time.Millisecond},
		{"-3", 0},
		{"soon", 0},
		{"1e300", 24 * time.Hour},
		{"NaN", 0},
		{"Sun, 29 Nov 2026 12:00:30 GMT", 30 * time.Second},
		{"Sun, 29 Nov 2026 11:00:00 GMT", 0},
	} {
		t.Run(tt.value, func(t *testing.T) {
			t.Parallel()
			if got := retryAfter(tt.value, now); got != tt.want {
				t.Errorf("retryAfter(%q) = %v, want %v", tt.value, got, tt.want)
			}
		})
	}
}
