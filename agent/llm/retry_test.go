package llm

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/hone/agent"
)

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// failing answers with one failure per element of statuses, 0 for a stream that
// ends before its first token, and then with a reply.
func failing(statuses []int, retryAfter string) http.HandlerFunc {
	var calls atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		n := int(calls.Add(1)) - 1
		if n >= len(statuses) {
			body("text/event-stream", lines(said("a"), stop, done))(w, r)
			return
		}
		if statuses[n] == 0 {
			body("text/event-stream", ": alive\n\n")(w, r)
			return
		}
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(statuses[n])
	}
}

func TestRetriesBeforeTheFirstToken(t *testing.T) {
	t.Parallel()
	ms := time.Millisecond
	for _, tt := range []struct {
		name       string
		statuses   []int
		retryAfter string
		waits      []time.Duration
		kind       Kind // "" for a reply
	}{
		{"at once", nil, "", nil, ""},
		{"each kind that may pass", []int{408, 429, 503}, "", []time.Duration{250 * ms, 500 * ms, 1000 * ms}, ""},
		{"a stream without a token", []int{0}, "", []time.Duration{250 * ms}, ""},
		{"as long as the server asks", []int{429}, "3", []time.Duration{3000 * ms}, ""},
		{"not when it asks for too long", []int{429}, "3600", nil, KindRateLimited},
		{"not for ever", []int{500, 500, 500, 500, 500}, "", []time.Duration{250 * ms, 500 * ms, 1000 * ms}, KindServer},
		{"not what will fail again", []int{401}, "", nil, KindAuth},
		{"nor a bad request", []int{400}, "1", nil, KindBadRequest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, waits := fake(t, Profile{}, failing(tt.statuses, tt.retryAfter))
			reply, heard, err := ask(c)
			var e *Error
			if errors.As(err, &e) != (tt.kind != "") || e != nil && e.Kind != tt.kind {
				t.Errorf("error %v, want kind %q", err, tt.kind)
			}
			if err == nil && reply.Content != "a" {
				t.Errorf("reply %+v", reply)
			}
			if !slices.Equal(*waits, tt.waits) {
				t.Errorf("waited %v, want %v", *waits, tt.waits)
			}
			announced(t, heard, tt.waits)
		})
	}
}

// announced checks that each wait was told before it began.
func announced(t *testing.T, heard []agent.ModelEvent, waits []time.Duration) {
	t.Helper()
	for i, wait := range waits {
		e := heard[i]
		if e.Attempt != i+2 || e.Wait != wait || !strings.Contains(e.Cause, "model endpoint 127.0.0.1") || e.Delta.Text != "" {
			t.Errorf("event %d: %+v", i, e)
		}
	}
}

func TestTooLongARetryAfterIsAdvice(t *testing.T) {
	t.Parallel()
	c, _ := fake(t, Profile{}, failing([]int{429}, "3600"))
	_, _, err := ask(c)
	var e *Error
	if !errors.As(err, &e) || e.RetryAfter != time.Hour || !strings.Contains(err.Error(), "asks to wait 1h0m0s") {
		t.Errorf("error %v", err)
	}
}

func TestCancelDuringAWait(t *testing.T) {
	t.Parallel()
	c, _ := fake(t, Profile{}, failing([]int{503, 503}, ""))
	c.pause = pause
	c.jitter = func() float64 { return 1e6 } // days
	ctx, cancel := context.WithCancel(context.Background())
	_, err := c.Stream(ctx, nil, func(agent.ModelEvent) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestTimers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		limits Limits
		sent   string
		want   string
	}{
		{"first byte", Limits{FirstByte: 20 * time.Millisecond}, "", "sent nothing for 20ms; retry the turn, or raise"},
		{"idle", Limits{Idle: 20 * time.Millisecond}, lines(said("a")), "fell silent for 20ms"},
		{"total", Limits{Total: 20 * time.Millisecond}, "", "did not finish its reply within 20ms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := fake(t, Profile{Limits: tt.limits}, func(w http.ResponseWriter, r *http.Request) {
				if tt.sent != "" {
					io.WriteString(w, tt.sent)
					w.(http.Flusher).Flush()
				}
				io.Copy(io.Discard, r.Body) // the server sees the client go only then
				<-r.Context().Done()
			})
			reply, _, err := ask(c)
			var e *Error
			if !errors.As(err, &e) || e.Kind != KindTimeout || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want a timeout with %q", err, tt.want)
			}
			if tt.sent != "" && reply.Content != "a" {
				t.Errorf("reply %+v, want what came before", reply)
			}
		})
	}
}
