package llm

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Profile says which model to ask, and how.
type Profile struct {
	BaseURL string // up to and without /chat/completions: "http://127.0.0.1:8000/v1"
	Model   string
	Key     Key // may be empty

	// Nil leaves a figure to the server; a zero is sent as zero.
	Temperature *float64
	TopP        *float64
	MaxTokens   *int
	// Extra are further fields of the request body, such as top_k or seed. A nil
	// value leaves out a field that would be sent otherwise.
	Extra map[string]any

	// ThinkOpen says that the chat template opens the thought itself, so that a
	// server without a reasoning parser sends text that begins inside it.
	ThinkOpen bool

	Limits    Limits
	Transport http.RoundTripper // nil: Go's default
}

// Key is a secret. It prints as a placeholder.
type Key string

// String hides the key.
func (Key) String() string { return hiddenKey }

// GoString hides the key.
func (Key) GoString() string { return hiddenKey }

// MarshalText hides the key.
func (Key) MarshalText() ([]byte, error) { return []byte(hiddenKey), nil }

// without is a text of a server that repeats what it was sent, less the key.
func (k Key) without(text string) string {
	if len(k) < telling {
		return text
	}
	return strings.ReplaceAll(text, string(k), hiddenKey)
}

const hiddenKey = "[key]"

// Limits bound a request. Zero fields take defaults.
type Limits struct {
	FirstByte time.Duration // from sending to the first byte of the reply: 5 minutes
	Idle      time.Duration // between bytes, comments included: 2 minutes
	Total     time.Duration // of one attempt: 30 minutes
	Attempts  int           // the first included: 4
	MaxWait   time.Duration // between attempts; a server that asks for more is not asked again: 1 minute
}

func (l Limits) withDefaults() Limits {
	return Limits{
		FirstByte: orDefault(l.FirstByte, 5*time.Minute),
		Idle:      orDefault(l.Idle, 2*time.Minute),
		Total:     orDefault(l.Total, 30*time.Minute),
		Attempts:  orDefault(l.Attempts, 4),
		MaxWait:   orDefault(l.MaxWait, time.Minute),
	}
}

func orDefault[T int | time.Duration](value, fallback T) T {
	if value <= 0 {
		return fallback
	}
	return value
}

// endpoint checks the base URL. Its text never appears in an error, as people
// paste keys into URLs.
func (p Profile) endpoint() (*url.URL, error) {
	base := strings.TrimSuffix(strings.TrimRight(p.BaseURL, "/"), "/chat/completions")
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("base_url is not a web address; write one such as http://127.0.0.1:8000/v1")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("base_url holds a user name, a query or a fragment; keep only http://HOST/PATH and give the key apart")
	}
	return u, nil
}
