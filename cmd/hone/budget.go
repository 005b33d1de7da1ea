package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"example.com/hone/agent"
)

// budgetOptions bound what may be spent without a person; 0 bounds nothing.
type budgetOptions struct {
	turns   int
	tokens  int
	cost    float64
	minutes float64
}

// add adds the flags.
func (b *budgetOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&b.turns, "budget-turns", 0, "most turns of the model, all in all")
	f.IntVar(&b.tokens, "budget-tokens", 0, "most tokens of prompts and replies; turns under way are completed")
	f.Float64Var(&b.cost, "budget-cost", 0, "most that tokens may cost, by the prices of the model's profile")
	f.Float64Var(&b.minutes, "budget-minutes", 0, "most minutes from this start on")
}

func (b budgetOptions) check() error {
	if b.turns < 0 || b.tokens < 0 || b.cost < 0 || b.minutes < 0 {
		return usageError{"a budget is negative: give what may be spent, or 0 for no limit"}
	}
	return nil
}

// fits refuses a model whose cost could not be counted.
func (b budgetOptions) fits(model agent.Choice) error {
	switch {
	case b.cost == 0 || model.Price != (agent.Price{}):
		return nil
	case model.Scripted:
		return usageError{"--budget-cost needs prices, and the scripted model has none"}
	}
	return usageError{fmt.Sprintf("--budget-cost needs prices: set price_prompt and price_completion of [models.%s] in %s", model.Profile, configPath())}
}

// allowance is what may be spent, some of it before.
func (b budgetOptions) allowance(spent agent.Spent) *agent.Allowance {
	bounds := agent.Bounds{
		Turns: b.turns, Tokens: b.tokens, Cost: b.cost, Time: time.Duration(b.minutes * float64(time.Minute)),
	}
	return agent.NewAllowance(bounds, spent, time.Now)
}
