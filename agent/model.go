package agent

import (
	"context"
	"time"

	"example.com/hone/agent/prompt"
)

// Model writes replies.
type Model interface {
	// Stream sends the messages and calls emit, from one goroutine, for each
	// piece of the reply. The Reply holds all that came, also beside an error.
	Stream(ctx context.Context, messages []prompt.Message, emit func(ModelEvent)) (Reply, error)
	// Describe says what a request will ask for.
	Describe() ModelRequested
}

// Sampler is a model whose replies to one prompt depend on which of several they
// are and on nothing else, so that a search with it can be repeated.
type Sampler interface {
	// Sample is the model for the n-th reply, n = 1, 2, 3, ...
	Sample(n int) Model
}

// ModelEvent is one thing heard from a model: a delta, or a new attempt.
type ModelEvent struct {
	Delta    TextDelta // Text is empty if this is about an attempt
	Attempt  int       // > 1: the request is being sent again after Wait
	Attempts int       // at most so many are made; 0: not known
	Wait     time.Duration
	Cause    string // why, one line
}

// Reply is a whole answer of a model.
type Reply struct {
	Content      string
	Reasoning    string
	FinishReason string // as the server said
	Complete     bool   // false: the stream was cut or cancelled
	Usage        Usage
	FirstToken   time.Duration // 0: none came
	Total        time.Duration
	Raw          string // the body of the response as it came, for the record
}

// Choice is a model that a session can go on with.
type Choice struct {
	Profile  string // the name that it was chosen by
	Model    Model
	Scripted bool // the built-in demo model
	Price    Price
	Budget   int // most tokens a prompt should take, 0: no limit
}

// Recorder keeps events. Append returns once the event is durable.
type Recorder interface {
	Append(Event) error
}
