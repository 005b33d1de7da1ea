package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/adrg/xdg"
	"github.com/pelletier/go-toml/v2"

	"example.com/hone/agent/prompt"
	"example.com/hone/gpu"
	"example.com/hone/gpu/judge"
	"example.com/hone/tasks/spelling"
)

// config is config.toml with the environment laid over it. Flags are laid over
// both by the verbs.
type config struct {
	Profile  string             `toml:"profile"`  // the model profile to use; "" or "demo": the scripted model
	Theme    string             `toml:"theme"`    // "auto", "dark" or "light"
	Runs     string             `toml:"runs"`     // folder of the record
	Cache    string             `toml:"cache"`    // folder of compiled artefacts
	Device   string             `toml:"device"`   // what to judge on: "auto", "emulated" or a GPU's number
	Compiler string             `toml:"compiler"` // for a GPU: "auto" or "nvcc"
	Dialect  string             `toml:"dialect"`  // the form of answers: "auto", "cuda" or "torch"
	Prompt   string             `toml:"prompt"`   // the prompt set: "kevin", "chat" or a folder of templates
	Rules    string             `toml:"rules"`    // the rule set that answers are held to
	Python   string             `toml:"python"`   // the Python that has torch, a name or a path; "": the first that is found
	Models   map[string]profile `toml:"models"`
}

// What may be said of the compiler for a GPU.
const (
	compilerAuto = "auto" // NVRTC and g++, and nvcc for what these cannot build
	compilerNVCC = "nvcc" // nvcc alone
)

// dialectAuto is "cuda" for a task that has a native reference and "torch" for one
// known by its PyTorch reference alone.
const dialectAuto = "auto"

// demoProfile is the name under which the scripted model is asked for.
const demoProfile = "demo"

// envProfile is the profile made of OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL.
const envProfile = "environment"

func configPath() string { return filepath.Join(xdg.ConfigHome, "hone", "config.toml") }

// loadConfig reads the file at path, which need not exist, and lays the
// environment over it. What it says is checked only once the flags are laid over it too.
func loadConfig(path string, env func(string) string) (config, error) {
	cfg := config{
		Theme:    "auto",
		Runs:     filepath.Join(xdg.DataHome, "hone", "runs"),
		Cache:    filepath.Join(xdg.CacheHome, "hone"),
		Device:   judge.DeviceAuto,
		Compiler: compilerAuto,
		Dialect:  dialectAuto,
		Prompt:   prompt.Default,
		Rules:    defaultRules,
		Models:   map[string]profile{},
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return cfg, fmt.Errorf("read configuration: %w", err)
	default:
		if err := decodeConfig(string(text), filepath.Base(path), &cfg); err != nil {
			return cfg, err
		}
	}
	cfg.overlay(env)
	return cfg, nil
}

func decodeConfig(text, name string, cfg *config) error {
	dec := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields()
	err := dec.Decode(cfg)
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) {
		first := strict.Errors[0]
		line, _ := first.Position()
		key := first.Key()[len(first.Key())-1]
		return usageError{fmt.Sprintf("unknown key %q in %s:%d%s", key, name, line, spelling.DidYouMean(key, configKeys()))}
	}
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		line, column := bad.Position()
		return usageError{fmt.Sprintf("%s:%d:%d: %s", name, line, column, strings.TrimPrefix(bad.Error(), "toml: "))}
	}
	return err
}

// configKeys lists every key that a configuration may hold.
func configKeys() []string {
	var keys []string
	for _, t := range []reflect.Type{reflect.TypeFor[config](), reflect.TypeFor[profile]()} {
		for i := range t.NumField() {
			keys = append(keys, t.Field(i).Tag.Get("toml"))
		}
	}
	return keys
}

func (c *config) overlay(env func(string) string) {
	for name, field := range map[string]*string{
		"HONE_PROFILE": &c.Profile, "HONE_THEME": &c.Theme, "HONE_RUNS": &c.Runs, "HONE_CACHE": &c.Cache,
		"HONE_DEVICE": &c.Device, "HONE_COMPILER": &c.Compiler, "HONE_DIALECT": &c.Dialect, "HONE_RULES": &c.Rules,
		"HONE_PYTHON": &c.Python, "HONE_PROMPT": &c.Prompt,
	} {
		if v := env(name); v != "" {
			*field = v
		}
	}
	if url := env("OPENAI_BASE_URL"); url != "" {
		c.Models[envProfile] = profile{BaseURL: url, Model: env("OPENAI_MODEL"), APIKeyEnv: "OPENAI_API_KEY"}
		if c.Profile == "" {
			c.Profile = envProfile
		}
	}
}

func (c *config) check() error {
	if !slices.Contains([]string{"auto", "dark", "light"}, c.Theme) {
		return usageError{fmt.Sprintf("theme is %q: want auto, dark or light", c.Theme)}
	}
	if err := c.checkJudging(); err != nil {
		return err
	}
	return c.checkProfile(c.Profile)
}

// checkJudging holds what chooses the device and its compiler to what there is.
func (c *config) checkJudging() error {
	if _, err := strconv.ParseUint(c.Device, 10, 16); err != nil && c.Device != judge.DeviceAuto && c.Device != judge.DeviceEmulated {
		return usageError{fmt.Sprintf("device is %q: want auto, emulated, or the number of a GPU, such as 0", c.Device)}
	}
	if c.Compiler != compilerAuto && c.Compiler != compilerNVCC {
		return usageError{fmt.Sprintf("compiler is %q: want auto or nvcc", c.Compiler)}
	}
	if !slices.Contains([]string{dialectAuto, string(gpu.CUDA), string(gpu.Torch)}, c.Dialect) {
		return usageError{fmt.Sprintf("dialect is %q: want auto, cuda or torch", c.Dialect)}
	}
	if err := checkRules(c.Rules); err != nil {
		return usageError{err.Error()}
	}
	return nil
}
