package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/hone/agent"
)

// aloneOptions are the flags of a session that goes on without being asked.
type aloneOptions struct {
	turns   int
	samples int
	beam    bool
	budget  budgetOptions
}

// add adds the flags.
func (o *aloneOptions) add(cmd *cobra.Command) {
	beam := agent.Beam()
	f := cmd.Flags()
	f.IntVar(&o.turns, "auto", 0, "turns to take without being asked (default, without a screen: "+fmt.Sprint(agent.UsualTurns)+")")
	f.IntVar(&o.turns, "turns", 0, "the same as --auto")
	f.IntVar(&o.samples, "samples", 1, "replies to ask for at once in each turn; the next turn goes on from the best")
	f.BoolVar(&o.beam, "beam", false, fmt.Sprintf("search with a beam: --samples (%d) replies in each turn, of which the best %d go on, cloned", beam.Samples, beam.Keep))
	o.budget.add(cmd)
	cmd.MarkFlagsMutuallyExclusive("auto", "turns")
}

func (o aloneOptions) check() error {
	switch {
	case o.turns < 0:
		return usageError{fmt.Sprintf("--auto is %d: want how many turns to take", o.turns)}
	case o.samples < 0:
		return usageError{fmt.Sprintf("--samples is %d: want how many replies to ask for", o.samples)}
	}
	return o.budget.check()
}

// plan is what the session does when it is not told otherwise; usual is how many
// turns it takes when nobody says.
func (o aloneOptions) plan(usual int) agent.Plan {
	p := agent.Plan{Turns: o.turns}
	if o.samples > 1 {
		p.Samples = o.samples
	}
	if o.beam {
		beam := agent.Beam()
		if p.Samples == 0 {
			p.Samples = beam.Samples
		}
		p.Keep = min(beam.Keep, p.Samples)
		usual = beam.Turns
	}
	if p.Turns == 0 {
		p.Turns = usual
	}
	return p
}
