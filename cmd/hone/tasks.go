package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

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
		RunE: func(_ *cobra.Command, args []string) error { return a.showTask(args[0]) },
	}
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

func (a *app) showTask(query string) error {
	t, err := a.findTask(query)
	if err != nil {
		return err
	}
	if a.flags.json {
		row := rowOf(t)
		row.Shapes, row.Reference = tasks.Shapes(t), t.Reference
		return a.printJSON(row)
	}
	head := t.Title
	if t.Torch() {
		head += "\n\n" + plain.SignatureUnknown
	} else {
		head += "\n\n" + t.Signature.Declare("solve") + ";\n\n" + tasks.Shapes(t)
	}
	_, err = fmt.Fprintf(a.out, "%s  (level %s)\n%s\n\n%s", t.ID, levelText(t), head, t.Reference)
	return err
}

// printJSON writes a value as indented JSON.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
