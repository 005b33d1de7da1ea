package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"example.com/hone/agent"
	"example.com/hone/agent/prompt"
	"example.com/hone/gpu"
	"example.com/hone/tasks"
	"example.com/hone/ui/plain"
)

// demoTask is the task that a demo opens with.
const demoTask = "builtin/l1/softmax"

const commandWords = "next | hint TEXT | prompt [HINT] | send FILE | retry [TURN] | branch TURN | auto TURNS [SAMPLES] | edit FILE | accept [TURN] | reject [REASON]" +
	" | pin [TURN] | rate 1-5 [REASON] | note TEXT | model PROFILE | stop | quit"

const commandHelp = `With --commands, or when standard input is a terminal, lines of standard input steer the session:
  ` + commandWords + `
All are about the current turn, or about turn 3 as in "note @3 spills registers". pin makes a turn the one to beat.
`

func (a *app) refineCommand() *cobra.Command {
	var opts refineOptions
	cmd := &cobra.Command{
		Use:   "refine TASK",
		Short: "Refine one task: on screen, as lines (--plain) or as events (--json)",
		Long: "Refine one task with a model. Without a terminal, or with --plain or --json, nothing is drawn and the session\n" +
			"takes --auto turns by itself.\n\n" + commandHelp + "\n" + exitCodes,
		Example: "  hone refine softmax\n  hone refine softmax --plain --auto 6\n  hone refine softmax --auto 3 --samples 4 --budget-minutes 30\n  hone refine softmax --beam --plain\n  hone refine softmax --json > events.jsonl",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.screen(cmd.Context(), args, opts)
		},
	}
	a.sessionFlags(cmd, &opts)
	return cmd
}

func (a *app) demoCommand() *cobra.Command {
	var opts refineOptions
	cmd := &cobra.Command{
		Use:   "demo [TASK]",
		Short: "Refine with the built-in scripted model: no GPU, no Python, no key",
		Long: "Refine with the built-in scripted model, which answers through a real server on this machine. It begins with\n" +
			"the row softmax; the other tasks are one key (q) away.\n\n" + exitCodes,
		Example: "  hone demo\n  hone demo matmul --rate 300\n  hone demo --plain",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.config.Profile = demoProfile
			if !cmd.Flags().Changed("dialect") {
				a.config.Dialect = dialectAuto // the configuration's suits a real model
			}
			if !cmd.Flags().Changed("prompt") {
				a.config.Prompt = prompt.Default
			}
			if len(args) == 0 {
				args = []string{demoTask}
			}
			return a.screen(cmd.Context(), args, opts)
		},
	}
	a.sessionFlags(cmd, &opts)
	return cmd
}

func (a *app) sessionFlags(cmd *cobra.Command, opts *refineOptions) {
	cmd.Flags().BoolVar(&a.flags.plain, "plain", false, "print lines for people instead of drawing a screen")
	cmd.Flags().BoolVar(&a.flags.json, "json", false, "print one event per line as JSON")
	opts.alone.add(cmd)
	cmd.Flags().StringVar(&opts.hint, "hint", "", "a hint for the first turn")
	cmd.Flags().BoolVar(&opts.commands, "commands", false, "read commands from standard input")
	cmd.Flags().Float64Var(&opts.rate, "rate", defaultRate, "speed of the scripted model in tokens per second; 0: as fast as possible")
	answerFlags(cmd)
	promptFlag(cmd)
	a.timeoutFlag(cmd)
	cmd.MarkFlagsMutuallyExclusive("plain", "json")
}

// answerFlags say how answers are read, held to rules and compiled. They are laid
// over the configuration.
func answerFlags(cmd *cobra.Command) {
	cmd.Flags().String("dialect", "", "form of answers: auto, cuda (solve in CUDA C++) or torch (ModelNew in Python)")
	cmd.Flags().String("rules", "", "rule set that answers are held to, see \"hone tasks rules\" (default "+defaultRules+")")
	compilerFlag(cmd)
}

// compilerFlag is laid over the configuration.
func compilerFlag(cmd *cobra.Command) {
	cmd.Flags().String("compiler", "", "for a GPU: auto (NVRTC and g++, nvcc where these cannot), or nvcc alone")
}

func (a *app) timeoutFlag(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&a.flags.timeout, "timeout", 0, "limit for one call of solve (default 30s)")
}

// limits are those of evaluations, with what the flags say of them.
func (a *app) limits() gpu.Limits { return gpu.Limits{Run: a.flags.timeout}.WithDefaults() }

// drawing reports whether this command line draws a screen.
func (a *app) drawing() bool { return a.interactive() && !a.flags.plain && !a.flags.json }

// lines refines a task without a screen.
func (a *app) lines(ctx context.Context, task tasks.Task, opts refineOptions) error {
	steered := opts.commands || a.inTTY
	usual := agent.UsualTurns
	if steered {
		usual = 0
	}
	opts.plan, opts.allowance = opts.alone.plan(usual), opts.alone.budget.allowance(agent.Spent{})
	var err error
	if opts.prompts, err = openPrompts(a.config.Prompt); err != nil {
		return err
	}
	evaluator, err := a.evaluator()
	if err != nil {
		return err
	}
	defer evaluator.Close()
	session, path, err := a.openSession(ctx, evaluator, task, opts, !steered)
	if err != nil {
		return err
	}
	printer := plain.NewText(a.out, path)
	if a.flags.json {
		printer = plain.NewJSON(a.out)
	}
	var commands <-chan agent.Command
	invite := io.Discard
	if steered {
		commands = a.readCommands(session, session.done)
	}
	if a.inTTY {
		invite = a.err
	}
	state := follow(session, commands, opts, printer, invite)
	if err := errors.Join(session.Close(), printer.Err()); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return ending(state)
}

// follow prints a session to its end and passes it the commands, whose end is a
// quit. It asks for each once the one before has had its effect.
func follow(session *live, commands <-chan agent.Command, opts refineOptions, printer plain.Printer, invite io.Writer) agent.State {
	var state agent.State
	steer := steering{state: &state, asked: opts.hint != "", session: session}
	if opts.plan.Turns > 0 {
		steer.plan = &opts.plan
	}
	asked := false
	for {
		var next <-chan agent.Command
		if steer.idle() && commands != nil {
			next = commands
			if !asked && state.Task.ID != "" {
				fmt.Fprintf(invite, "[%s]\n", commandWords)
				asked = true
			}
		}
		select {
		case e, open := <-session.Events():
			if !open {
				return state
			}
			state.Apply(e)
			steer.heard(e)
			printer.Event(e)
		case c, open := <-next:
			if !open {
				c, commands = agent.Command{Action: agent.ActionQuit}, nil
			}
			steer.send(c)
			asked = false
		}
	}
}
