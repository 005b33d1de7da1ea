package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/hone/tasks"
)

func (a *app) tasksCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "tasks",
		Short:   "List and show the tasks",
		Example: "  hone tasks list\n  hone tasks show softmax\n  hone tasks list --source ./mine",
	}
	list := &cobra.Command{
		Use: "list", Short: "List the tasks, and every file that could not be read", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listTasks() },
	}
	show := &cobra.Command{
		Use: "show TASK", Short: "Print a task's reference, signature and shapes", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.showTask(args[0]) },
	}
	for _, c := range []*cobra.Command{list, show} {
		c.Flags().BoolVar(&a.flags.json, "json", false, "print JSON")
		cmd.AddCommand(c)
	}
	return cmd
}

// taskRow is a task in the JSON listing.
type taskRow struct {
	ID        string `json:"task"`
	Title     string `json:"title"`
	Level     int    `json:"level"`
	SHA256    string `json:"task_sha256"`
	Signature string `json:"signature"`
	Shapes    string `json:"shapes,omitempty"`
	Reference string `json:"reference,omitempty"`
}

func (a *app) listTasks() error {
	catalog, _, err := a.catalog()
	if err != nil {
		return err
	}
	if a.flags.json {
		rows := []taskRow{}
		for _, t := range catalog.All() {
			rows = append(rows, taskRow{ID: t.ID, Title: t.Title, Level: t.Level, SHA256: t.SHA256, Signature: t.Signature.Declare("solve")})
		}
		return a.printJSON(rows)
	}
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "LEVEL\tTASK\tTITLE")
	for _, t := range catalog.All() {
		fmt.Fprintf(table, "%d\t%s\t%s\n", t.Level, t.ID, t.Title)
	}
	return table.Flush()
}

func (a *app) showTask(query string) error {
	t, err := a.findTask(query)
	if err != nil {
		return err
	}
	if a.flags.json {
		return a.printJSON(taskRow{
			ID: t.ID, Title: t.Title, Level: t.Level, SHA256: t.SHA256, Signature: t.Signature.Declare("solve"),
			Shapes: tasks.Shapes(t), Reference: t.Reference,
		})
	}
	_, err = fmt.Fprintf(a.out, "%s  (level %d)\n%s\n\n%s;\n\n%s\n\n%s", t.ID, t.Level, t.Title,
		t.Signature.Declare("solve"), tasks.Shapes(t), t.Reference)
	return err
}

// printJSON writes a value as indented JSON.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
