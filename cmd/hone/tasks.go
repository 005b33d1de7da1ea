package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/hone/gpu"
	"example.com/hone/tasks"
	"example.com/hone/ui/plain"
)

func (a *app) tasksCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "tasks",
		Short:   "List, show and check the tasks, and the rules for answers",
		Example: "  hone tasks list\n  hone tasks show softmax\n  hone tasks list --source ./KernelBench\n  hone tasks lint --source ./KernelBench level1/23",
	}
	list := &cobra.Command{
		Use: "list", Short: "List the tasks, and every file that could not be read", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listTasks() },
	}
	show := &cobra.Command{
		Use: "show TASK", Short: "Print a task's reference, signature and shapes", Args: cobra.ExactArgs(1),
		Long: "Print a task's reference, signature and shapes. Of a task that is known by its PyTorch reference alone only running\n" +
			"that tells the latter two: --dialect cuda runs it.",
		Example: "  hone tasks show softmax\n  hone tasks show reference.py --dialect cuda",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.showTask(cmd.Context(), args[0], cmd.Flags().Changed("dialect"))
		},
	}
	show.Flags().String("dialect", "", "cuda: run a PyTorch reference to learn the signature of solve")
	for _, c := range []*cobra.Command{list, show, a.lintCommand(), a.rulesCommand()} {
		c.Flags().BoolVar(&a.flags.json, "json", false, "print JSON")
		cmd.AddCommand(c)
	}
	return cmd
}

// taskRow is a task in the JSON listing.
type taskRow struct {
	ID        string  `json:"task"`
	Name      string  `json:"name"`
	Title     string  `json:"title"`
	Level     int     `json:"level"` // 0 unknown
	SHA256    string  `json:"task_sha256"`
	Signature *string `json:"signature"` // null where only running the reference tells
	Shapes    string  `json:"shapes,omitempty"`
	Reference string  `json:"reference,omitempty"`
}

func rowOf(t tasks.Task) taskRow {
	row := taskRow{ID: t.ID, Name: t.Name, Title: t.Title, Level: t.Level, SHA256: t.SHA256}
	if signature := t.Signature.Declare("solve"); signature != "" {
		row.Signature = &signature
	}
	return row
}

func (a *app) listTasks() error {
	catalog, _, err := a.catalog()
	if err != nil {
		return err
	}
	if a.flags.json {
		rows := []taskRow{}
		for _, t := range catalog.All() {
			rows = append(rows, rowOf(t))
		}
		return a.printJSON(rows)
	}
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "LEVEL\tTASK\tTITLE")
	for _, t := range catalog.All() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", levelText(t), t.ID, t.Title)
	}
	return table.Flush()
}

func levelText(t tasks.Task) string {
	if t.Level == 0 {
		return "-"
	}
	return strconv.Itoa(t.Level)
}

// showTask prints a task. Its reference is run only where a dialect that needs it is asked
// for on the command line.
func (a *app) showTask(ctx context.Context, query string, asked bool) error {
	t, err := a.findTask(query)
	if err != nil {
		return err
	}
	if asked && a.config.dialect(t) == gpu.CUDA && t.Torch() {
		if t, err = a.derived(ctx, t); err != nil {
			return err
		}
	}
	if a.flags.json {
		row := rowOf(t)
		row.Shapes, row.Reference = tasks.Shapes(t), t.Reference
		return a.printJSON(row)
	}
	head := t.Title
	if signature := t.Signature.Declare("solve"); signature == "" {
		head += "\n\n" + plain.SignatureUnknown
	} else {
		head += "\n\n" + signature + ";\n\n" + tasks.Shapes(t)
	}
	_, err = fmt.Fprintf(a.out, "%s  (level %s)\n%s\n\n%s", t.ID, levelText(t), head, t.Reference)
	return err
}

// derived has a judge of its own tell what an answer in CUDA C++ has to know of a task.
func (a *app) derived(ctx context.Context, t tasks.Task) (tasks.Task, error) {
	judges, err := a.evaluator()
	if err != nil {
		return t, err
	}
	defer judges.Close()
	return posed(ctx, judges, t, gpu.CUDA, a.aside())
}

// printJSON writes a value as indented JSON.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
