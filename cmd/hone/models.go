package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/hone/agent/llm"
	"example.com/hone/tasks/spelling"
)

func (a *app) modelsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models [PROFILE]",
		Short: "List the models that an endpoint offers",
		Long: "List the models that the endpoint of a profile offers: of the one named, or else of the one in use. The profile\n" +
			"need not name a model yet. Not every server has such a list; what cannot be listed is exit code 4.\n\n" + exitCodes,
		Example: "  hone models\n  hone models local\n  hone models --json",
		Args:    cobra.MaximumNArgs(1),
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return a.load(cmd) // a profile without a model is why one asks
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				a.config.Profile = args[0]
			}
			return a.listModels(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&a.flags.json, "json", false, "print JSON")
	return cmd
}

// offering is what an endpoint offers: hone.models/1.
type offering struct {
	Schema   string  `json:"schema"`
	Profile  string  `json:"profile"`
	Endpoint string  `json:"endpoint"` // host only
	Model    *string `json:"model"`    // the profile's, null where it names none
	Models   []offer `json:"models"`
}

type offer struct {
	ID      string  `json:"id"`
	Context *int    `json:"context"` // tokens, null where the endpoint does not say
	Owner   *string `json:"owner"`   // likewise
}

func (a *app) listModels(ctx context.Context) error {
	name, p, done, err := a.asked(ctx)
	if err != nil {
		return err
	}
	defer done()
	offers, err := llm.Models(ctx, p)
	if err != nil {
		return modelError{err}
	}
	o := offering{Schema: "hone.models/1", Profile: name, Endpoint: endpointHost(p.BaseURL), Models: []offer{}}
	if p.Model != "" {
		o.Model = &p.Model
	}
	for _, m := range offers {
		row := offer{ID: m.ID, Context: m.Context}
		if m.Owner != "" {
			row.Owner = &m.Owner
		}
		o.Models = append(o.Models, row)
	}
	if a.flags.json {
		return a.printJSON(o)
	}
	return a.printModels(o)
}

// asked is the profile in use, and what to do when it is no longer needed.
func (a *app) asked(ctx context.Context) (name string, p llm.Profile, done func(), err error) {
	name = a.config.Profile
	if name == "" || name == demoProfile {
		server, client, err := demoServer(ctx, 0)
		if err != nil {
			return demoProfile, p, nil, err
		}
		return demoProfile, client, func() { server.Close() }, nil
	}
	chosen, err := a.config.profile(name)
	return name, chosen.client(a.environment), func() {}, err
}

func (a *app) printModels(o offering) error {
	fmt.Fprintf(a.out, "Models at %s (profile %s): %d\n", o.Endpoint, o.Profile, len(o.Models))
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tMODEL\tCONTEXT\tOWNER")
	var names []string
	for _, m := range o.Models {
		mark, size, owner := "", "-", "-"
		if o.Model != nil && m.ID == *o.Model {
			mark = "*"
		}
		if m.Context != nil {
			size = strconv.Itoa(*m.Context)
		}
		if m.Owner != nil {
			owner = *m.Owner
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", mark, m.ID, size, owner)
		names = append(names, m.ID)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if o.Model != nil && !slices.Contains(names, *o.Model) {
		a.say("profile %s asks for %q, which is not among them%s", o.Profile, *o.Model, spelling.DidYouMean(*o.Model, names))
	}
	return nil
}
