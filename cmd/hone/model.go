package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/demo"
	"example.com/hone/agent/llm"
	"example.com/hone/tasks/spelling"
)

// profile is one model at one endpoint. The key itself is never in the file.
type profile struct {
	BaseURL     string         `toml:"base_url"`
	Model       string         `toml:"model"`
	APIKeyEnv   string         `toml:"api_key_env"` // name of the variable that holds the key
	Temperature *float64       `toml:"temperature"`
	TopP        *float64       `toml:"top_p"`
	MaxTokens   *int           `toml:"max_tokens"`
	Context     int            `toml:"context"`    // tokens the model can read; 0: not known
	ThinkOpen   bool           `toml:"think_open"` // replies begin inside a thought that only </think> ends
	Extra       map[string]any `toml:"extra"`      // further fields of the request
	FirstByte   span           `toml:"first_byte"` // the longest wait for the first byte of a reply
	Idle        span           `toml:"idle"`       // between two bytes of it
	Total       span           `toml:"total"`      // for the whole of it
	Attempts    int            `toml:"attempts"`   // before the first token

	// What a million tokens cost, in any one currency; 0: not known.
	PricePrompt     float64 `toml:"price_prompt"`
	PriceCompletion float64 `toml:"price_completion"`

	ThoughtOpenings *[]string `toml:"thought_openings"` // how thoughts usually begin; nil: canary.DefaultOpenings, empty: in no usual way
}

// span is a duration such as "90s"; 0: the client's default.
type span time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is no length of time: write one such as \"90s\" or \"5m\"", text)
	}
	*s = span(d)
	return nil
}

// Kevin's sampling: temperature 0.9 and 16,384 new tokens (arXiv 2507.11948).
const (
	defaultTemperature = 0.9
	defaultMaxTokens   = 16384
)

// client is what the client of models makes of the profile.
func (p profile) client(env func(string) string) llm.Profile {
	temperature, maxTokens := defaultTemperature, defaultMaxTokens
	if p.Temperature != nil {
		temperature = *p.Temperature
	}
	if p.MaxTokens != nil {
		maxTokens = *p.MaxTokens
	}
	key := llm.Key("")
	if p.APIKeyEnv != "" {
		key = llm.Key(env(p.APIKeyEnv))
	}
	return llm.Profile{
		BaseURL: p.BaseURL, Model: p.Model, Key: key,
		Temperature: &temperature, TopP: p.TopP, MaxTokens: &maxTokens, Extra: p.Extra, ThinkOpen: p.ThinkOpen,
		Limits: llm.Limits{
			FirstByte: time.Duration(p.FirstByte), Idle: time.Duration(p.Idle), Total: time.Duration(p.Total), Attempts: p.Attempts,
		},
	}
}

// profile is the one of a name, with an endpoint.
func (c *config) profile(name string) (profile, error) {
	p, ok := c.Models[name]
	switch {
	case !ok:
		names := append(slices.Sorted(maps.Keys(c.Models)), demoProfile)
		return p, usageError{fmt.Sprintf("no model profile %q%s: add [models.%s] to %s, or use one of: %s",
			name, spelling.DidYouMean(name, names), name, configPath(), strings.Join(names, ", "))}
	case p.BaseURL == "":
		return p, usageError{fmt.Sprintf("model profile %q needs base_url and model (OPENAI_BASE_URL and OPENAI_MODEL)", name)}
	}
	return p, nil
}

// checkProfile holds the profile in use to what a session needs of it.
func (c *config) checkProfile(name string) error {
	if name == "" || name == demoProfile {
		return nil
	}
	p, err := c.profile(name)
	if err == nil && p.Model == "" {
		return usageError{fmt.Sprintf("model profile %q needs base_url and model (OPENAI_BASE_URL and OPENAI_MODEL): \"hone models %s\" lists what it offers", name, name)}
	}
	return err
}

// modelSource is a model ready for use, and how to be rid of it.
type modelSource struct {
	agent.Choice
	close func()
}

// model opens a profile, or the scripted model.
func (a *app) model(ctx context.Context, name string, rate float64) (modelSource, error) {
	if err := a.config.checkProfile(name); err != nil {
		return modelSource{}, err
	}
	if name == "" || name == demoProfile {
		return scriptedModel(ctx, rate)
	}
	p := a.config.Models[name]
	client, err := llm.New(p.client(a.environment))
	if err != nil {
		return modelSource{}, modelError{fmt.Errorf("model profile %q: %w", name, err)}
	}
	choice := agent.Choice{
		Profile: name, Model: client, Price: agent.Price{Prompt: p.PricePrompt, Completion: p.PriceCompletion},
		Budget: promptBudget(p.Context, client.Describe().MaxTokens),
	}
	return modelSource{choice, func() {}}, nil
}

// scriptedModel starts the demo's server and reaches it as any other endpoint.
func scriptedModel(ctx context.Context, rate float64) (modelSource, error) {
	server, p, err := demoServer(ctx, rate)
	if err != nil {
		return modelSource{}, err
	}
	client, err := llm.New(p)
	if err != nil {
		return modelSource{}, errors.Join(modelError{err}, server.Close())
	}
	choice := agent.Choice{Profile: demoProfile, Model: lanes{client, server}, Scripted: true, Budget: promptBudget(0, nil)}
	return modelSource{choice, func() { server.Close() }}, nil
}

// demoServer serves the scripted model, under a profile of its own.
func demoServer(ctx context.Context, rate float64) (*demo.Server, llm.Profile, error) {
	server, err := demo.Start(ctx, demo.Options{Rate: rate})
	if err != nil {
		return nil, llm.Profile{}, modelError{fmt.Errorf("start the scripted model: %w", err)}
	}
	return server, demoClient(server.URL()), nil
}

func demoClient(url string) llm.Profile {
	p := profile{BaseURL: url, Model: demo.Model}
	return p.client(func(string) string { return "" })
}

// lanes is the scripted model, which gives each of several replies from a script of its own.
type lanes struct {
	agent.Model
	server *demo.Server
}

// Sample implements agent.Sampler.
func (l lanes) Sample(n int) agent.Model {
	client, err := llm.New(demoClient(l.server.Lane(n - 1)))
	if err != nil {
		return l.Model
	}
	return client
}

// shelf opens the models that one session asks, each once: a model that was asked
// before is still the same. Only the session's goroutine uses it after it is made.
type shelf struct {
	open func(profile string) (modelSource, error)
	have map[string]modelSource
}

func newShelf(open func(string) (modelSource, error)) *shelf {
	return &shelf{open: open, have: map[string]modelSource{}}
}

// choose is the model of a profile.
func (s *shelf) choose(profile string) (agent.Choice, error) {
	if m, ok := s.have[profile]; ok {
		return m.Choice, nil
	}
	m, err := s.open(profile)
	if err != nil {
		return agent.Choice{}, err
	}
	s.have[profile] = m
	return m.Choice, nil
}

func (s *shelf) close() {
	for _, m := range s.have {
		m.close()
	}
}

// usualBudget is the most tokens of a prompt to a model whose context is not
// known: a dozen turns, and less than what any model of today reads.
const usualBudget = 24_576

// promptBudget is what a prompt may take of a context, beside a reply of the length
// that is asked for. Where replies may fill it, half of it is the prompt's.
func promptBudget(context int, reply *int) int {
	if context == 0 {
		return usualBudget
	}
	reserve := defaultMaxTokens
	if reply != nil {
		reserve = *reply
	}
	return max(context-reserve, context/2)
}
