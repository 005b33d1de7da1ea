package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// listing is an endpoint that answers GET /v1/models.
func listing(t *testing.T, status int, contentType, text string) Profile {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer sk-planted-0123" {
			t.Errorf("asked for %s %s with %q", r.Method, r.URL.Path, r.Header.Get("Authorization"))
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	return Profile{BaseURL: server.URL + "/v1", Key: "sk-planted-0123"}
}

func TestModels(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		text string
		want []string // "ID context owner"
	}{
		{"none", `{"object":"list","data":[]}`, nil},
		{"OpenAI, sorted", `{"data":[{"id":"b","owned_by":"o"},{"id":"a"}]}`, []string{"a ? ", "b ? o"}},
		{"vLLM", `{"data":[{"id":"a","max_model_len":32768}]}`, []string{"a 32768 "}},
		{"llama.cpp", `{"models":[{"name":"x"}],"data":[{"id":"a","meta":{"n_ctx":4096,"n_ctx_train":8192}}]}`, []string{"a 4096 "}},
		{"OpenRouter", `{"data":[{"id":"a","context_length":131072,"pricing":{}}]}`, []string{"a 131072 "}},
		{"a length that is no number", `{"data":[{"id":"a","context_length":"long"}]}`, []string{"a ? "}},
		{"escape codes", `{"data":[{"id":"a\u001b[31m\n"}]}`, []string{"a[31m ? "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			offers, err := Models(t.Context(), listing(t, 200, "application/json", tt.text))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range offers {
				got = append(got, o.ID+" "+figure(o.Context)+" "+o.Owner)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestModelsThatCannotBeListed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		status      int
		contentType string
		text        string
		kind        Kind
		want        string
	}{
		{"no such path", 404, "text/plain", "404 page not found", KindNotFound, "has no list of models; check base_url"},
		{"not allowed", 405, "text/plain", "", KindNotFound, "some servers offer no list"},
		{"a web page", 200, "text/html", "<html>", KindNotFound, "has no list of models"},
		{"no list", 200, "application/json", `{"object":"list"}`, KindBadRequest, "something else than a list"},
		{"no JSON", 200, "application/json", `hello`, KindBadRequest, "something else than a list"},
		{"wrong key", 401, "application/json", `{"error":{"message":"bad key sk-planted-0123"}}`, KindAuth, "bad key [key]; check the key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Models(t.Context(), listing(t, tt.status, tt.contentType, tt.text))
			var e *Error
			if !errors.As(err, &e) || e.Kind != tt.kind || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "planted") {
				t.Errorf("error %v, want %s with %q and no key", err, tt.kind, tt.want)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Models(ctx, Profile{BaseURL: "http://127.0.0.1:9/v1"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

func figure(n *int) string {
	if n == nil {
		return "?"
	}
	return strconv.Itoa(*n)
}
