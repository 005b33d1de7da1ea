package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"
)

// chunk is one event of a stream, or a reply in one piece, as servers send it.
type chunk struct {
	Error   json.RawMessage `json:"error"`
	Object  text            `json:"object"`
	Message text            `json:"message"` // of an error that is not nested
	Choices []struct {
		Index   int     `json:"index"`
		Delta   message `json:"delta"`
		Message message `json:"message"`
		Finish  text    `json:"finish_reason"`
	} `json:"choices"`
	Usage json.RawMessage `json:"usage"`
}

type message struct {
	Content          text `json:"content"`
	Reasoning        text `json:"reasoning"`
	ReasoningContent text `json:"reasoning_content"`
}

// text is a string; anything else that servers put in its place counts as none.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(raw []byte) error {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	if plain := raw[1 : len(raw)-1]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		*t = text(plain) // nothing to decode: the common case, once a token
		return nil
	}
	return json.Unmarshal(raw, (*string)(t))
}

// failure is the error that a chunk reports, in whichever form.
func (c chunk) failure() (string, bool) {
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return string(c.Error), true
	}
	if c.Object == "error" {
		return string(c.Message), true
	}
	for _, choice := range c.Choices {
		if choice.Finish == "error" {
			return "no reason given", true
		}
	}
	return "", false
}

// plainChunk is what go-openai shall see of a chunk: the fields of its
// ChatCompletionStreamResponse that hone reads, without the dozens it does not,
// since one is written for every token.
type plainChunk struct {
	Choices []plainChoice `json:"choices"`
	Usage   *openai.Usage `json:"usage,omitempty"`
}

type plainChoice struct {
	Index  int        `json:"index"`
	Delta  plainDelta `json:"delta"`
	Finish string     `json:"finish_reason,omitempty"`
}

type plainDelta struct {
	Content          string `json:"content,omitempty"`
	ReasoningContent string `json:"reasoning_content,omitempty"`
}

// normal is the chunk in go-openai's terms, false if nothing is in it.
func (c chunk) normal() (plainChunk, bool) {
	var response plainChunk
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		m := choice.Delta
		if m == (message{}) {
			m = choice.Message
		}
		if m.ReasoningContent == "" {
			m.ReasoningContent = m.Reasoning
		}
		if m.Content == "" && m.ReasoningContent == "" && choice.Finish == "" {
			continue
		}
		response.Choices = append(response.Choices, plainChoice{
			Delta:  plainDelta{Content: string(m.Content), ReasoningContent: string(m.ReasoningContent)},
			Finish: string(choice.Finish),
		})
	}
	var usage openai.Usage
	if len(c.Usage) > 0 && json.Unmarshal(c.Usage, &usage) == nil && usage.TotalTokens+usage.PromptTokens > 0 {
		response.Usage = &usage
	}
	return response, len(response.Choices) > 0 || response.Usage != nil
}

// errorMessage finds the words in an error body: nested, flat, a string, an
// array of one, or no JSON at all.
func errorMessage(body []byte) string {
	var nested struct {
		Error   json.RawMessage `json:"error"`
		Message text            `json:"message"`
		Detail  text            `json:"detail"`
		Code    text            `json:"code"`
	}
	var plain string
	var list []json.RawMessage
	switch {
	case json.Unmarshal(body, &plain) == nil:
		return plain
	case json.Unmarshal(body, &list) == nil && len(list) > 0:
		return errorMessage(list[0])
	case json.Unmarshal(body, &nested) != nil:
		return string(body)
	case len(nested.Error) > 0 && string(nested.Error) != "null":
		return errorMessage(nested.Error)
	case nested.Message != "" && nested.Code != "":
		return fmt.Sprintf("%s (%s)", nested.Message, nested.Code)
	case nested.Message != "":
		return string(nested.Message)
	case nested.Detail != "":
		return string(nested.Detail)
	}
	return string(body)
}
