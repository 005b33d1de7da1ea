package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.com/hone/ui/term"
)

const examples = `  hone                          choose a task and refine it on screen
  hone softmax                  go straight to one task
  hone demo                     the same with the built-in scripted model: no key needed
  hone run --level 1            collect trajectories of many tasks without a person
  hone eval softmax kernel.cu   judge one kernel file
  hone models                   what the model's endpoint offers
  hone doctor                   what was found on this machine, and what is missing`

const exitCodes = `Exit codes: 0 done, 1 failure, 2 usage, 3 no correct kernel, 4 model or key, 5 no usable evaluator, 130 interrupted.`

// app is what every verb works with: the streams, and the configuration with
// the flags laid over it.
type app struct {
	*streams
	config config
	flags  flags
}

// flags are those of every verb.
type flags struct {
	theme   string
	profile string
	runs    string
	cache   string
	device  string
	python  string
	sources []string
	json    bool
	plain   bool
	timeout time.Duration // of one call of solve, 0 for the default
}

// run executes one command line and returns its exit code.
func run(args []string, s *streams) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	a := &app{streams: s}
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(ctx)
	text, code := explain(err)
	a.complain(text, code)
	return code
}

// complain prints an error for a person, or with --json as one JSON object.
func (a *app) complain(text string, code int) {
	switch {
	case text == "":
	case a.flags.json:
		line, err := json.Marshal(map[string]any{"error": text, "exit_code": code})
		if err == nil {
			fmt.Fprintf(a.err, "%s\n", line)
		}
	default:
		a.say("%s", text)
	}
}

// say prints a line for a person beside the output. What others named in it is made
// safe for a terminal.
func (a *app) say(format string, args ...any) {
	fmt.Fprintln(a.err, "hone: "+term.Clean(fmt.Sprintf(format, args...)))
}

func (a *app) rootCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:           "hone [TASK]",
		Short:         "Refine CUDA kernels together with a language model, turn by turn",
		Long:          "Refine CUDA kernels together with a language model, turn by turn.\n\n" + exitCodes,
		Example:       examples,
		Args:          cobra.MaximumNArgs(1),
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return a.configure(cmd)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.screen(cmd.Context(), args, refineOptions{rate: defaultRate})
		},
	}
	cmd.SetVersionTemplate("hone {{.Version}}\n")
	global := cmd.PersistentFlags()
	global.StringVar(&a.flags.theme, "theme", "", "auto, dark or light")
	global.StringVar(&a.flags.profile, "profile", "", "model profile of config.toml, \"environment\" or \"demo\"")
	global.StringVar(&a.flags.runs, "runs", "", "folder of the record")
	global.StringVar(&a.flags.cache, "cache", "", "folder of compiled artefacts")
	global.StringVar(&a.flags.device, "device", "", "what to judge on: auto, emulated, or the number of a GPU")
	global.StringVar(&a.flags.python, "python", "", "the Python that has torch, a name or a path")
	global.StringArrayVar(&a.flags.sources, "source", nil,
		"more tasks: a KernelBench checkout, a folder of task folders or .py files, or a .py, .jsonl or .parquet file (may be repeated)")
	answerFlags(cmd)
	promptFlag(cmd)
	cmd.AddCommand(a.demoCommand(), a.refineCommand(), a.runCommand(), a.evalCommand(), a.tasksCommand(), a.runsCommand(), a.promptCommand(),
		a.modelsCommand(), a.doctorCommand(), a.versionCommand(), a.judgeCommand(), a.probeCommand(), a.selfTestCommand())
	return cmd
}

// configure reads the configuration, lays the flags over it and checks it.
func (a *app) configure(cmd *cobra.Command) error {
	if err := a.load(cmd); err != nil {
		return err
	}
	return a.config.check()
}

// load reads the configuration and lays the flags over it.
func (a *app) load(cmd *cobra.Command) error {
	cfg, err := loadConfig(configPath(), a.environment)
	if err != nil {
		return err
	}
	for flag, target := range map[string]*string{
		"theme": &cfg.Theme, "profile": &cfg.Profile, "runs": &cfg.Runs, "cache": &cfg.Cache,
		"device": &cfg.Device, "compiler": &cfg.Compiler, "dialect": &cfg.Dialect, "rules": &cfg.Rules, "python": &cfg.Python,
		"prompt": &cfg.Prompt,
	} {
		if f := cmd.Flags().Lookup(flag); f != nil && f.Changed {
			*target = f.Value.String()
		}
	}
	a.config = cfg
	return nil
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "version",
		Short:             "Print the version",
		Args:              cobra.NoArgs,
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(a.out, "hone "+version)
			return err
		},
	}
}

// interrupted reports whether err is only the person's wish to stop.
func interrupted(err error) bool { return errors.Is(err, context.Canceled) }
