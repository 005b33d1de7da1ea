package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
	"unicode"

	openai "github.com/sashabaranov/go-openai"

	"example.com/hone/agent"
	"example.com/hone/agent/prompt"
)

// Client asks one model. It is safe for concurrent use.
type Client struct {
	profile Profile
	base    string // of the endpoint's URL
	host    string
	http    *http.Client

	pause  func(context.Context, time.Duration) error
	jitter func() float64 // in [0, 1)
}

// New makes a client; it sends nothing.
func New(p Profile) (*Client, error) {
	if p.Model == "" {
		return nil, errors.New("the profile names no model; set one")
	}
	return reach(p)
}

// reach makes a client of an endpoint, whether or not a model is named.
func reach(p Profile) (*Client, error) {
	u, err := p.endpoint()
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(string(p.Key), unicode.IsSpace) {
		return nil, errors.New("the key holds white space; set it without quotes and line breaks")
	}
	p.Limits = p.Limits.withDefaults()
	return &Client{
		profile: p, base: u.String(), host: u.Host, pause: pause, jitter: rand.Float64,
		http: &http.Client{
			Transport: p.Transport,
			// A redirect would turn the request into a GET or carry the key away.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Describe implements agent.Model.
func (c *Client) Describe() agent.ModelRequested {
	return agent.ModelRequested{
		Model: c.profile.Model, Endpoint: c.host,
		Temperature: c.profile.Temperature, TopP: c.profile.TopP, MaxTokens: c.profile.MaxTokens,
		Extra: c.profile.Extra, Attempt: 1, Attempts: c.profile.Limits.Attempts,
	}
}

// Stream implements agent.Model. Its errors are *Error, or wrap ctx's cause when
// ctx ended the request.
func (c *Client) Stream(ctx context.Context, messages []prompt.Message, emit func(agent.ModelEvent)) (agent.Reply, error) {
	for attempt := 1; ; attempt++ {
		reply, err := c.attempt(ctx, messages, emit)
		if err == nil {
			return reply, nil
		}
		wait, again := c.wait(attempt, reply, err)
		if !again {
			return reply, err
		}
		emit(agent.ModelEvent{Attempt: attempt + 1, Attempts: c.profile.Limits.Attempts, Wait: wait, Cause: cause(err)})
		if err := c.pause(ctx, wait); err != nil {
			return reply, stopped(ctx)
		}
	}
}

// attempt sends the request once. Times in the reply count from here.
func (c *Client) attempt(parent context.Context, messages []prompt.Message, emit func(agent.ModelEvent)) (agent.Reply, error) {
	ctx, watch := newWatch(parent, c.host, c.profile.Limits)
	defer watch.stop()
	reply := newReply(c.profile, emit)
	err := c.receive(ctx, watch, messages, reply)
	if err == nil {
		return reply.close(messages), nil
	}
	whole := reply.close(messages)
	whole.Complete = false
	if parent.Err() != nil {
		return whole, stopped(parent)
	}
	var limit, known *Error
	switch {
	case errors.As(context.Cause(ctx), &limit):
		return whole, limit
	case errors.As(err, &known):
		return whole, known
	}
	return whole, fmt.Errorf("ask model: %w", err)
}

// receive sends the request and feeds the reply until the stream ends.
func (c *Client) receive(ctx context.Context, w *watch, messages []prompt.Message, reply *reply) error {
	config := openai.DefaultConfig(string(c.profile.Key))
	config.BaseURL = c.base
	config.HTTPClient = &exchange{client: c.http, host: c.host, key: c.profile.Key, fields: c.fields(messages), watch: w, raw: &reply.raw}
	stream, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	})
	if err != nil {
		return err
	}
	defer stream.Close()
	for {
		response, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := reply.add(response); err != nil {
			return err
		}
	}
}

// fields are those of the request body that come from the profile.
func (c *Client) fields(messages []prompt.Message) map[string]any {
	p := c.profile
	fields := map[string]any{}
	if p.Temperature != nil {
		fields["temperature"] = *p.Temperature
	}
	if p.TopP != nil {
		fields["top_p"] = *p.TopP
	}
	if p.MaxTokens != nil {
		fields["max_tokens"] = *p.MaxTokens
	}
	maps.Copy(fields, p.Extra)
	fields["model"], fields["messages"], fields["stream"] = p.Model, messages, true
	return fields
}

// wait says whether to send again after attempt failed, and when.
func (c *Client) wait(attempt int, reply agent.Reply, err error) (time.Duration, bool) {
	var e *Error
	begun := reply.Content != "" || reply.Reasoning != ""
	if !errors.As(err, &e) || !e.again || begun || attempt >= c.profile.Limits.Attempts {
		return 0, false
	}
	if e.RetryAfter > c.profile.Limits.MaxWait {
		e.Next = fmt.Sprintf("the server asks to wait %s; retry the turn then", e.RetryAfter.Round(time.Second))
		return 0, false
	}
	if e.RetryAfter > 0 {
		return e.RetryAfter + time.Duration(c.jitter()*float64(time.Second)), true
	}
	const first = 500 * time.Millisecond
	backoff := min(first<<min(attempt-1, 10), c.profile.Limits.MaxWait)
	return backoff/2 + time.Duration(c.jitter()*float64(backoff/2)), true
}

func cause(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Cause
	}
	return err.Error()
}

func stopped(ctx context.Context) error {
	return fmt.Errorf("model request stopped: %w", context.Cause(ctx))
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
