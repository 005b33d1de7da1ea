package llm

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"example.com/hone/agent"
	"example.com/hone/agent/prompt"
)

func TestRequestCarriesTheProfile(t *testing.T) {
	t.Parallel()
	zero, most := 0.0, 100
	for _, tt := range []struct {
		name    string
		profile Profile
		want    map[string]any // beside messages and stream
	}{
		{"nothing set", Profile{}, map[string]any{"stream_options": map[string]any{"include_usage": true}}},
		{
			"zeros are sent", Profile{Temperature: &zero, TopP: &zero, MaxTokens: &most},
			map[string]any{"temperature": 0.0, "top_p": 0.0, "max_tokens": 100.0, "stream_options": map[string]any{"include_usage": true}},
		},
		{
			"extra fields, nil leaves out", Profile{Extra: map[string]any{"top_k": 20, "stream_options": nil, "stream": false}},
			map[string]any{"top_k": 20.0},
		},
		{
			"a model whose settings go-openai would refuse", Profile{Model: "o1-local", Temperature: &zero, MaxTokens: &most},
			map[string]any{"model": "o1-local", "temperature": 0.0, "max_tokens": 100.0, "stream_options": map[string]any{"include_usage": true}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got map[string]any
			var header http.Header
			tt.profile.Key = "secret"
			c, _ := fake(t, tt.profile, func(w http.ResponseWriter, r *http.Request) {
				header = r.Header
				if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
					t.Error(err)
				}
				body("text/event-stream", lines(stop, done))(w, r)
			})
			messages := []prompt.Message{{Role: "user", Content: "a"}, {Role: "assistant"}}
			if _, err := c.Stream(t.Context(), messages, func(agent.ModelEvent) {}); err != nil {
				t.Fatal(err)
			}
			if tt.want["model"] == nil {
				tt.want["model"] = "m"
			}
			tt.want["stream"] = true
			tt.want["messages"] = []any{
				map[string]any{"role": "user", "content": "a"}, map[string]any{"role": "assistant", "content": ""},
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("request %v\nwant    %v", got, tt.want)
			}
			if header.Get("Authorization") != "Bearer secret" {
				t.Errorf("authorization %q", header.Get("Authorization"))
			}
		})
	}
}

func TestNewChecksTheProfile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		profile Profile
		want    string // in the error, "" for none
	}{
		{"fine", Profile{BaseURL: "https://host/v1/", Model: "m"}, ""},
		{"full path", Profile{BaseURL: "https://host/v1/chat/completions", Model: "m"}, ""},
		{"no address", Profile{BaseURL: "host/v1", Model: "m"}, "base_url is not a web address"},
		{"user in the address", Profile{BaseURL: "https://me:pw@host/v1", Model: "m"}, "give the key apart"},
		{"key in the address", Profile{BaseURL: "https://host/v1?key=pw", Model: "m"}, "give the key apart"},
		{"no model", Profile{BaseURL: "https://host/v1"}, "names no model"},
		{"line break in the key", Profile{BaseURL: "https://host/v1", Model: "m", Key: "pw\n"}, "white space"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := New(tt.profile)
			if tt.want == "" {
				if err != nil || c.base != "https://host/v1" || c.Describe().Endpoint != "host" {
					t.Errorf("client %+v, error %v", c, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "pw") {
				t.Errorf("error %v, want %q and no secret", err, tt.want)
			}
		})
	}
}
