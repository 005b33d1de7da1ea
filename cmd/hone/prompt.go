package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/hone/agent"
	"example.com/hone/agent/prompt"
	"example.com/hone/tasks"
	"example.com/hone/tasks/spelling"
	"example.com/hone/ui/term"
)

func (a *app) promptCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prompt",
		Short: "Show what a model is asked, and check templates of your own",
		Long: "Show what a model is asked, and check templates of your own. A prompt set is kevin (one message, as in Kevin's\n" +
			"paper), chat (roles), or a folder of templates; docs/prompts.md describes these.",
		Example: "  hone prompt show softmax\n  hone prompt show softmax --prompt chat --json\n" +
			"  hone prompt copy kevin ./mine\n  hone prompt check ./mine\n  hone refine softmax --prompt ./mine",
	}
	cmd.AddCommand(a.promptShowCommand(), a.promptCheckCommand(), a.promptCopyCommand())
	return cmd
}

// promptFlag is laid over the configuration.
func promptFlag(cmd *cobra.Command) {
	cmd.Flags().String("prompt", "", "prompt set: kevin, chat, or a folder of templates (default "+prompt.Default+")")
}

func (a *app) promptShowCommand() *cobra.Command {
	var hint string
	cmd := &cobra.Command{
		Use: "show TASK", Short: "Print the first prompt of a session, exactly", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := a.findTask(args[0])
			if err != nil {
				return err
			}
			return a.showPrompt(cmd.Context(), task, hint)
		},
	}
	promptFlag(cmd)
	cmd.Flags().String("dialect", "", "form of answers: auto, cuda (solve in CUDA C++) or torch (ModelNew in Python)")
	cmd.Flags().StringVar(&hint, "hint", "", "a hint for the first turn")
	cmd.Flags().BoolVar(&a.flags.json, "json", false, "print JSON: the messages, the prompt set and its digest")
	return cmd
}

// showPrompt asks the judge what a prompt names: the device, and of a task of PyTorch
// what solve takes and gives.
func (a *app) showPrompt(ctx context.Context, task tasks.Task, hint string) error {
	set, err := openPrompts(a.config.Prompt)
	if err == nil {
		err = a.config.asks(set, task)
	}
	if err != nil {
		return err
	}
	judges, err := a.evaluator()
	if err != nil {
		return err
	}
	defer judges.Close()
	dialect := a.config.dialect(task)
	machine, err := judges.Machine(ctx, runtimeOf(task, dialect))
	if err != nil {
		return unusable(err)
	}
	if task, err = posed(ctx, judges, task, dialect, a.aside()); err != nil {
		return err
	}
	p, err := prompt.Build(prompt.Input{
		Set: set, Task: agent.PromptTask(agent.Pin(task), machine.Device, dialect), Hint: hint,
	})
	if err != nil {
		return usageError{err.Error()}
	}
	if a.flags.json {
		return a.printJSON(promptRow{Schema: "hone.prompt/1", Template: p.Template, SHA256: p.SHA256, Tokens: p.Tokens, Messages: p.Messages})
	}
	_, err = fmt.Fprint(a.out, prompt.Text(p.Messages))
	return err
}

// promptRow is the JSON form.
type promptRow struct {
	Schema   string           `json:"schema"`
	Template string           `json:"template"`
	SHA256   string           `json:"template_sha256"`
	Tokens   int              `json:"tokens_estimate"`
	Messages []prompt.Message `json:"messages"`
}

func (a *app) promptCheckCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "check FOLDER", Short: "Name everything that is wrong with a prompt set, by file and line", Args: cobra.ExactArgs(1),
		Long: "Name everything that is wrong with a prompt set, by file and line: templates that do not parse or cannot be\n" +
			"filled in, unknown variables, parts that a model must be told and is not.\n\nExit codes: 0 usable, 2 not.",
		RunE: func(_ *cobra.Command, args []string) error { return a.checkPrompts(args[0]) },
	}
	cmd.Flags().BoolVar(&a.flags.json, "json", false, "print JSON")
	return cmd
}

// promptCheck and promptProblem are the JSON form of a check.
type promptCheck struct {
	Schema   string          `json:"schema"`
	Name     string          `json:"prompt_set"`
	SHA256   *string         `json:"prompt_set_sha256"` // null where the set cannot be used
	Dialects []string        `json:"dialects"`
	Problems []promptProblem `json:"problems"`
}

type promptProblem struct {
	File     string `json:"file"` // "" for the folder itself
	Line     *int   `json:"line"` // null for the whole file
	Severity string `json:"severity"`
	Text     string `json:"text"`
}

func (a *app) checkPrompts(name string) error {
	set, problems, err := loadPrompts(name)
	if err != nil {
		return err
	}
	if err := a.reportPrompts(name, set, problems); err != nil {
		return err
	}
	if set == nil {
		return usageError{fmt.Sprintf("prompt set %s cannot be used", name)}
	}
	return nil
}

func (a *app) reportPrompts(name string, set *prompt.Set, problems []prompt.Problem) error {
	if a.flags.json {
		return a.printJSON(checkOf(name, set, problems))
	}
	for _, p := range problems {
		fmt.Fprintln(a.out, term.Clean(p.String()))
	}
	if set == nil {
		return nil
	}
	_, err := fmt.Fprintf(a.out, "%s can be used for %s; sha256 %s\n", name, strings.Join(set.Dialects(), " and "), set.SHA256)
	return err
}

func checkOf(name string, set *prompt.Set, problems []prompt.Problem) promptCheck {
	check := promptCheck{Schema: "hone.prompt-check/1", Name: name, Dialects: []string{}, Problems: []promptProblem{}}
	if set != nil {
		check.SHA256, check.Dialects = &set.SHA256, set.Dialects()
	}
	for _, p := range problems {
		row := promptProblem{File: p.File, Severity: "error", Text: p.Text}
		if p.Warning {
			row.Severity = "warning"
		}
		if p.Line > 0 {
			row.Line = &p.Line
		}
		check.Problems = append(check.Problems, row)
	}
	return check
}

func (a *app) promptCopyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "copy SET FOLDER", Short: "Copy the templates of kevin or chat to a folder, to change them", Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			files, ok := prompt.Files(args[0])
			if !ok {
				return usageError{noPrompts(args[0])}
			}
			if err := os.CopyFS(args[1], files); err != nil {
				return usageError{fmt.Sprintf("copy prompt set %s: %v: name a new folder, or an empty one that you may write to", args[0], err)}
			}
			_, err := fmt.Fprintf(a.out, "copied to %s: change it, then run \"hone prompt check %s\"\n", args[1], args[1])
			return err
		},
	}
}

// openPrompts is the set of a name or of a folder.
func openPrompts(name string) (*prompt.Set, error) {
	set, problems, err := loadPrompts(name)
	if err != nil || set != nil {
		return set, err
	}
	wrong := slices.DeleteFunc(problems, func(p prompt.Problem) bool { return p.Warning })
	return nil, usageError{fmt.Sprintf("prompt set %s: %v (%d in all: \"hone prompt check %s\" lists them)", name, wrong[0], len(wrong), name)}
}

func loadPrompts(name string) (*prompt.Set, []prompt.Problem, error) {
	if files, ok := prompt.Files(name); ok {
		set, problems := prompt.Load(files, name)
		return set, problems, nil
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return nil, nil, usageError{noPrompts(name)}
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, nil, fmt.Errorf("find prompt set %s: %w", name, err)
	}
	set, problems := prompt.Load(os.DirFS(path), filepath.Base(path))
	return set, problems, nil
}

// asks refuses a prompt set without a prompt for the answers to a task.
func (c *config) asks(set *prompt.Set, task tasks.Task) error {
	if err := set.Fits(string(c.dialect(task))); err != nil {
		return usageError{fmt.Sprintf("%s: %v", task.ID, err)}
	}
	return nil
}

func noPrompts(name string) string {
	return fmt.Sprintf("no prompt set or folder %q%s (prompt sets: %s)", name,
		spelling.DidYouMean(name, prompt.Names()), strings.Join(prompt.Names(), ", "))
}
