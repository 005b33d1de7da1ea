package llm

import (
	"encoding/json"
	"fmt"

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
	if len(raw) == 0 || raw[0] != '"' {
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

// normal is the chunk in go-openai's terms, false if nothing is in it.
func (c chunk) normal() (openai.ChatCompletionStreamResponse, bool) {
	var response openai.ChatCompletionStreamResponse
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
		var out openai.ChatCompletionStreamChoice
		out.Delta.Content, out.Delta.ReasoningContent = string(m.Content), string(m.ReasoningContent)
		out.FinishReason = openai.FinishReason(choice.Finish)
		response.Choices = append(response.Choices, out)
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
