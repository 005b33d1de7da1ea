package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"example.com/hone/agent/prompt"
)

// maxRequest bounds the body of a request.
const maxRequest = 64 << 20

// api speaks the protocol.
type api struct {
	model *model
	rate  float64
}

func (a *api) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", a.complete)
	mux.HandleFunc("GET /v1/models", models)
	mux.HandleFunc("POST /lanes/{lane}/v1/chat/completions", a.complete)
	mux.HandleFunc("GET /lanes/{lane}/v1/models", models)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, fmt.Sprintf("no %s %s here: the demo model has POST /v1/chat/completions and GET /v1/models", r.Method, r.URL.Path))
	})
	return mux
}

func models(w http.ResponseWriter, _ *http.Request) {
	respond(w, http.StatusOK, openai.ModelsList{Models: []openai.Model{{ID: Model, Object: "model", OwnedBy: "hone"}}})
}

// complete answers one chat request, as a stream or in one piece.
func (a *api) complete(w http.ResponseWriter, r *http.Request) {
	var request openai.ChatCompletionRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&request); err != nil {
		refuse(w, http.StatusBadRequest, "the body is not a chat request: "+err.Error())
		return
	}
	messages := flatten(request.Messages)
	if len(messages) == 0 {
		refuse(w, http.StatusBadRequest, "messages is empty")
		return
	}
	lane, err := laneOf(r)
	if err != nil {
		refuse(w, http.StatusNotFound, err.Error())
		return
	}
	answer, err := a.model.answer(lane, messages)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	count := usage(messages, answer)
	if !request.Stream {
		respond(w, http.StatusOK, whole(answer, count))
		return
	}
	s := stream{out: w, control: http.NewResponseController(w), pace: newPace(a.rate, answer.thought+answer.reply)}
	if request.StreamOptions == nil || !request.StreamOptions.IncludeUsage {
		count = nil
	}
	// What fails here is the connection; the client has gone.
	_ = s.send(r.Context(), answer, count)
}

// laneOf is the lane that a request's path names, 0 for none.
func laneOf(r *http.Request) (int, error) {
	name := r.PathValue("lane")
	if name == "" {
		return 0, nil
	}
	lane, err := strconv.ParseUint(name, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("there is no lane %q: want a number from 0 to 65535", name)
	}
	return int(lane), nil
}

// flatten reduces messages to their text.
func flatten(all []openai.ChatCompletionMessage) []prompt.Message {
	var messages []prompt.Message
	for _, m := range all {
		text := m.Content
		for _, part := range m.MultiContent {
			text += part.Text
		}
		messages = append(messages, prompt.Message{Role: m.Role, Content: text})
	}
	return messages
}

func usage(messages []prompt.Message, a answer) *openai.Usage {
	var u openai.Usage
	for _, m := range messages {
		u.PromptTokens += prompt.Tokens(m.Content)
	}
	thought := len(pieces(a.thought))
	u.CompletionTokens = thought + len(pieces(a.reply))
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	u.CompletionTokensDetails = &openai.CompletionTokensDetails{ReasoningTokens: thought}
	return &u
}

func whole(a answer, count *openai.Usage) openai.ChatCompletionResponse {
	return openai.ChatCompletionResponse{
		ID: replyID, Object: "chat.completion", Created: time.Now().Unix(), Model: Model, Usage: *count,
		Choices: []openai.ChatCompletionChoice{{
			Message:      openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: a.reply, ReasoningContent: a.thought},
			FinishReason: openai.FinishReasonStop,
		}},
	}
}

const replyID = "chatcmpl-demo"

// stream writes one answer as server-sent events.
type stream struct {
	out     http.ResponseWriter
	control *http.ResponseController
	pace    *pace
}

// send writes the thought, the reply, the end, and the usage unless it is nil.
func (s *stream) send(ctx context.Context, a answer, count *openai.Usage) error {
	s.out.Header().Set("Content-Type", "text/event-stream")
	s.out.Header().Set("Cache-Control", "no-cache")
	if err := s.delta(openai.ChatCompletionStreamChoiceDelta{Role: openai.ChatMessageRoleAssistant}, ""); err != nil {
		return err
	}
	if err := s.pace.wait(ctx, thinking); err != nil {
		return err
	}
	for _, text := range pieces(a.thought) {
		if err := s.token(ctx, openai.ChatCompletionStreamChoiceDelta{ReasoningContent: text}); err != nil {
			return err
		}
	}
	for _, text := range pieces(a.reply) {
		if err := s.token(ctx, openai.ChatCompletionStreamChoiceDelta{Content: text}); err != nil {
			return err
		}
	}
	if err := s.delta(openai.ChatCompletionStreamChoiceDelta{}, openai.FinishReasonStop); err != nil {
		return err
	}
	if count != nil {
		if err := s.event(chunk(nil, count)); err != nil {
			return err
		}
	}
	return s.line("[DONE]")
}

func (s *stream) token(ctx context.Context, d openai.ChatCompletionStreamChoiceDelta) error {
	if err := s.pace.wait(ctx, 1); err != nil {
		return err
	}
	return s.delta(d, "")
}

func (s *stream) delta(d openai.ChatCompletionStreamChoiceDelta, finish openai.FinishReason) error {
	return s.event(chunk([]openai.ChatCompletionStreamChoice{{Delta: d, FinishReason: finish}}, nil))
}

func chunk(choices []openai.ChatCompletionStreamChoice, count *openai.Usage) openai.ChatCompletionStreamResponse {
	return openai.ChatCompletionStreamResponse{
		ID: replyID, Object: "chat.completion.chunk", Created: time.Now().Unix(), Model: Model,
		Choices: choices, Usage: count,
	}
}

func (s *stream) event(response openai.ChatCompletionStreamResponse) error {
	if response.Choices == nil {
		response.Choices = []openai.ChatCompletionStreamChoice{} // the protocol wants a list
	}
	text, err := json.Marshal(response)
	if err != nil {
		return fmt.Errorf("write demo reply: %w", err)
	}
	return s.line(string(text))
}

func (s *stream) line(data string) error {
	if _, err := fmt.Fprintf(s.out, "data: %s\n\n", data); err != nil {
		return fmt.Errorf("write demo reply: %w", err)
	}
	return s.control.Flush()
}

func refuse(w http.ResponseWriter, status int, message string) {
	respond(w, status, openai.ErrorResponse{Error: &openai.APIError{Message: strings.TrimSpace(message), Type: "invalid_request_error"}})
}

func respond(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only if the client has gone
}
