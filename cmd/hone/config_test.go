package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/hone/agent/demo"
	"example.com/hone/ui"
)

func TestDecodeConfigNamesTheMistake(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"unknown key", "[models.a]\ntempreature = 1.0\n", `unknown key "tempreature" in config.toml:2, did you mean "temperature"?`},
		{"nothing near", "whatever = 1\n", `unknown key "whatever" in config.toml:1`},
		{"wrong type", "theme = 3\n", "config.toml:1:"},
		{"no TOML", "theme dark\n", "config.toml:1:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := config{Models: map[string]profile{}}
			err := decodeConfig(tt.text, "config.toml", &cfg)
			var usage usageError
			if !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want a usage error that begins %q", err, tt.want)
			}
		})
	}
}

func TestEnvironmentMakesAProfile(t *testing.T) {
	t.Parallel()
	env := map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1", "OPENAI_MODEL": "m"}
	cfg, err := loadConfig("does/not/exist.toml", func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	if err := cfg.check(); err != nil {
		t.Fatal(err)
	}
	if cfg.Profile != envProfile || cfg.Models[envProfile].Model != "m" || cfg.Models[envProfile].APIKeyEnv != "OPENAI_API_KEY" {
		t.Errorf("got %+v", cfg)
	}
}

// TestWritersToChooseFrom lists profiles of every kind: who chooses one that names no
// model is told so by the answer.
func TestWritersToChooseFrom(t *testing.T) {
	t.Parallel()
	const url = "http://gpu-box:8000/v1"
	scripted := ui.Profile{Name: demoProfile, Model: demo.Model}
	tests := []struct {
		name    string
		profile profile
		listed  []ui.Profile // beside the scripted one
		answer  string       // part of it, "" where the model is opened
	}{
		{"complete", profile{BaseURL: url, Model: "m"}, []ui.Profile{{Name: "a", Model: "m", Endpoint: "gpu-box:8000"}}, ""},
		{
			"no model", profile{BaseURL: url}, []ui.Profile{{Name: "a", Model: "(no model named)", Endpoint: "gpu-box:8000"}},
			`model profile "a" needs base_url and model (OPENAI_BASE_URL and OPENAI_MODEL): "hone models a" lists what it offers`,
		},
		{"no endpoint", profile{Model: "m"}, nil, `model profile "a" needs base_url and model`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := &app{streams: &streams{environment: func(string) string { return "" }}}
			a.config.Models = map[string]profile{"a": tt.profile}
			if got, want := a.config.writers(), append(tt.listed, scripted); !slices.Equal(got, want) {
				t.Errorf("listed %+v, want %+v", got, want)
			}
			_, err := newShelf(func(name string) (modelSource, error) { return a.model(t.Context(), name, 0) }).choose("a")
			if (err == nil) != (tt.answer == "") || err != nil && !strings.Contains(err.Error(), tt.answer) {
				t.Errorf("choosing it answers %v, want %q", err, tt.answer)
			}
		})
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		text string
		code int
	}{
		{"done", nil, "", exitOK},
		{"no correct kernel", fmt.Errorf("refine: %w", noCorrectKernel{}), "", exitNoCorrect},
		{"interrupted", fmt.Errorf("refine: %w", context.Canceled), "interrupted", exitInterrupted},
		{"usage", usageError{"no task"}, "no task", exitUsage},
		{"model", modelError{errors.New("no key")}, "no key", exitModel},
		{"evaluator", evaluatorError{errors.New("no g++")}, "no g++", exitEvaluator},
		{"flag", errors.New("unknown flag: --rat"), "unknown flag: --rat (see --help)", exitUsage},
		{"anything else", errors.New("disk full"), "disk full", exitFailure},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if text, code := explain(tt.err); text != tt.text || code != tt.code {
				t.Errorf("got %q, %d; want %q, %d", text, code, tt.text, tt.code)
			}
		})
	}
}
