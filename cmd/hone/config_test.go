package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
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
