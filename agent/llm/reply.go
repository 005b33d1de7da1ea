package llm

import (
	"fmt"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"example.com/hone/agent"
	"example.com/hone/agent/extract"
	"example.com/hone/agent/prompt"
)

// maxReply bounds the text of one reply; no model writes as much on purpose.
const maxReply = 16 << 20

// reply gathers one reply while it arrives.
type reply struct {
	emit     func(agent.ModelEvent)
	key      Key
	thoughts extract.Thoughts
	reasoned bool // the server sends reasoning apart, so tags mean nothing

	content   strings.Builder
	reasoning strings.Builder
	finish    string
	usage     *openai.Usage
	raw       rawBody
	started   time.Time
	first     time.Duration
}

func newReply(p Profile, emit func(agent.ModelEvent)) *reply {
	return &reply{emit: emit, key: p.Key, thoughts: extract.Thoughts{Opened: p.ThinkOpen}, started: time.Now()}
}

// add takes one chunk of the stream.
func (r *reply) add(response openai.ChatCompletionStreamResponse) error {
	if response.Usage != nil {
		r.usage = response.Usage
	}
	for _, choice := range response.Choices {
		if text := choice.Delta.ReasoningContent; text != "" {
			if !r.reasoned {
				r.sort(r.thoughts.Close())
				r.reasoned = true
			}
			r.text(true, text)
		}
		if text := choice.Delta.Content; r.reasoned {
			r.text(false, text)
		} else {
			r.sort(r.thoughts.Write(text))
		}
		if choice.FinishReason != "" {
			r.finish = string(choice.FinishReason)
		}
	}
	if r.content.Len()+r.reasoning.Len() > maxReply {
		return &Error{Kind: KindServer, Cause: fmt.Sprintf("the reply is larger than %d MiB", maxReply>>20), Next: "set max_tokens and retry the turn"}
	}
	return nil
}

// sort sends each piece where it belongs. After a Restart what was shown as
// content is reasoning; the deltas already emitted stay as they were.
func (r *reply) sort(pieces []extract.Piece) {
	for _, p := range pieces {
		if p.Kind == extract.Restart {
			r.reasoning.WriteString(r.content.String())
			r.content.Reset()
			continue
		}
		r.text(p.Kind == extract.Thought, p.Text)
	}
}

func (r *reply) text(reasoning bool, text string) {
	if text == "" {
		return
	}
	if r.first == 0 {
		r.first = max(time.Since(r.started), 1)
	}
	if reasoning {
		r.reasoning.WriteString(text)
	} else {
		r.content.WriteString(text)
	}
	r.emit(agent.ModelEvent{Delta: agent.TextDelta{Reasoning: reasoning, Text: r.key.without(text)}})
}

// close ends the reply and gives what came, taken as complete.
func (r *reply) close(messages []prompt.Message) agent.Reply {
	r.sort(r.thoughts.Close())
	return agent.Reply{
		Content: r.key.without(r.content.String()), Reasoning: r.key.without(r.reasoning.String()),
		FinishReason: r.finish, Complete: true, Usage: r.count(messages),
		FirstToken: r.first, Total: time.Since(r.started), Raw: r.raw.text(r.key),
	}
}

// count is the server's usage, or our estimate.
func (r *reply) count(messages []prompt.Message) agent.Usage {
	if u := r.usage; u != nil {
		usage := agent.Usage{Prompt: u.PromptTokens, Completion: u.CompletionTokens}
		if u.CompletionTokensDetails != nil {
			usage.Reasoning = u.CompletionTokensDetails.ReasoningTokens
		}
		return usage
	}
	usage := agent.Usage{Estimated: true, Reasoning: prompt.Tokens(r.reasoning.String())}
	usage.Completion = usage.Reasoning + prompt.Tokens(r.content.String())
	for _, m := range messages {
		usage.Prompt += prompt.Tokens(m.Content)
	}
	return usage
}
