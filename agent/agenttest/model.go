package agenttest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"example.com/hone/agent"
	"example.com/hone/agent/prompt"
)

// Answer is one scripted reply of a [Model].
type Answer struct {
	Reasoning string
	Content   string
	Finish    string        // "stop" when empty
	Error     error         // returned after all text was emitted; the reply is then incomplete
	Pause     time.Duration // after all text, before the reply ends
	Hang      bool          // after all text, wait until the context ends
	Panic     string        // after all text, panic with this
	Failures  int           // attempts that fail before the first token
}

// Model gives its answers in order and then fails.
type Model struct {
	Answers []Answer

	mu   sync.Mutex
	seen [][]prompt.Message
}

var _ agent.Model = (*Model)(nil)

// Describe implements [agent.Model].
func (m *Model) Describe() agent.ModelRequested {
	temperature, limit := 0.9, 16384
	return agent.ModelRequested{
		Model: "scripted-32b", Endpoint: "127.0.0.1:4000",
		Temperature: &temperature, MaxTokens: &limit, Attempt: 1,
	}
}

// Prompts are the messages of every request so far.
func (m *Model) Prompts() [][]prompt.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.seen)
}

func (m *Model) next(messages []prompt.Message) (Answer, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = append(m.seen, messages)
	if len(m.seen) > len(m.Answers) {
		return Answer{}, false
	}
	return m.Answers[len(m.seen)-1], true
}

// Stream implements [agent.Model].
func (m *Model) Stream(
	ctx context.Context, messages []prompt.Message, emit func(agent.ModelEvent),
) (agent.Reply, error) {
	a, ok := m.next(messages)
	if !ok {
		return agent.Reply{}, errors.New("the script has no more answers")
	}
	for i := range a.Failures {
		emit(agent.ModelEvent{Attempt: i + 2, Wait: time.Second, Cause: "429 too many requests"})
	}
	stream(a.Reasoning, true, emit)
	stream(a.Content, false, emit)
	reply := agent.Reply{
		Content: a.Content, Reasoning: a.Reasoning,
		Usage: agent.Usage{Prompt: 100, Completion: len(a.Content) / 4, Reasoning: len(a.Reasoning) / 4},
	}
	if a.Panic != "" {
		panic(a.Panic)
	}
	if a.Pause > 0 {
		time.Sleep(a.Pause)
	}
	if a.Hang {
		<-ctx.Done()
		return reply, ctx.Err()
	}
	if a.Error != nil {
		return reply, a.Error
	}
	reply.Complete, reply.FinishReason = true, "stop"
	if a.Finish != "" {
		reply.FinishReason = a.Finish
	}
	return reply, nil
}

// stream emits text in pieces about as long as tokens.
func stream(text string, reasoning bool, emit func(agent.ModelEvent)) {
	for _, piece := range pieces(text, 4) {
		emit(agent.ModelEvent{Delta: agent.TextDelta{Reasoning: reasoning, Text: piece}})
	}
}

// pieces cuts text after every size bytes, but never inside a character.
func pieces(text string, size int) []string {
	var all []string
	for len(text) > 0 {
		n := min(size, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		all = append(all, text[:n])
		text = text[n:]
	}
	return all
}
