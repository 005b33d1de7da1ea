package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/hone/tasks/rules"
)

// defaultRules is the set that answers are held to when nobody says.
const defaultRules = "kevin"

func (a *app) rulesCommand() *cobra.Command {
	return &cobra.Command{
		Use: "rules [SET]", Short: "List the rules that answers are held to, set by set", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			sets := rules.Sets()
			if len(args) == 1 {
				set, err := rules.Find(args[0])
				if err != nil {
					return usageError{err.Error()}
				}
				sets = []rules.Set{set}
			}
			return a.listRules(sets)
		},
	}
}

// ruleSet and ruleRow are the JSON form.
type ruleSet struct {
	Name  string    `json:"name"`
	Title string    `json:"title"`
	Rules []ruleRow `json:"rules"`
}

type ruleRow struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Why   string `json:"why"`
}

func (a *app) listRules(sets []rules.Set) error {
	if a.flags.json {
		out := []ruleSet{}
		for _, s := range sets {
			row := ruleSet{Name: s.Name, Title: s.Title, Rules: []ruleRow{}}
			for _, r := range s.Rules {
				row.Rules = append(row.Rules, ruleRow{r.Name, r.Title, r.Why})
			}
			out = append(out, row)
		}
		return a.printJSON(out)
	}
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for i, s := range sets {
		if i > 0 {
			fmt.Fprintln(table)
		}
		fmt.Fprintf(table, "%s: %s\n", s.Name, s.Title)
		for _, r := range s.Rules {
			fmt.Fprintf(table, "  %s\t%s\n", r.Name, r.Title)
		}
	}
	return table.Flush()
}

// checkRules refuses the name of a rule set that there is not.
func checkRules(name string) error {
	_, err := rules.Find(name)
	return err
}
