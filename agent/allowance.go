package agent

import (
	"sync"
	"time"
)

// Bounds are the most that sessions may spend; a zero bounds nothing.
type Bounds struct {
	Turns  int
	Tokens int           // of prompts and replies
	Cost   float64       // in the unit of the prices
	Time   time.Duration // since the allowance was made
}

// Price is what a million tokens cost, in any one currency.
type Price struct {
	Prompt     float64
	Completion float64
}

// Cost is the price of a reply with its prompt.
func (p Price) Cost(u Usage) float64 {
	return (p.Prompt*float64(u.Prompt) + p.Completion*float64(u.Completion)) / 1e6
}

// The reasons for which an allowance ends a session.
const (
	EndTurnBudget  = "turn_budget"
	EndTokenBudget = "token_budget"
	EndCostBudget  = "cost_budget"
	EndTimeBudget  = "time_budget"
)

// Spent is what was used up so far.
type Spent struct {
	Turns  int     `json:"turns"` // that came to a result, or are under way
	Tokens int     `json:"tokens"`
	Cost   float64 `json:"cost"` // 0 also where no price is known
}

// Allowance is what sessions may still spend. Several may share one. It is
// looked at before each turn that nobody asked for, so that turns under way are
// completed: tokens, cost and time may go beyond their bounds by these. What a
// person asks for counts, and is never refused.
type Allowance struct {
	bounds Bounds
	clock  func() time.Time
	begun  time.Time

	mu    sync.Mutex
	spent Spent
}

// NewAllowance makes an allowance of which something may be spent already.
func NewAllowance(b Bounds, spent Spent, clock func() time.Time) *Allowance {
	return &Allowance{bounds: b, spent: spent, clock: clock, begun: clock()}
}

// Take takes a turn from the allowance. It gives the reason why there is none left, or "".
// A nil allowance has no bounds.
func (a *Allowance) Take() string {
	if a == nil {
		return ""
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	why := a.over()
	if why == "" {
		a.spent.Turns++
	}
	return why
}

// add counts turns that nobody asked the allowance for, or less than none: those
// that came to no result.
func (a *Allowance) add(turns int) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spent.Turns += turns
}

// Over is the reason why nothing more may be spent, "" while it may.
func (a *Allowance) Over() string {
	if a == nil {
		return ""
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.over()
}

func (a *Allowance) over() string {
	b := a.bounds
	switch {
	case b.Turns > 0 && a.spent.Turns >= b.Turns:
		return EndTurnBudget
	case b.Tokens > 0 && a.spent.Tokens >= b.Tokens:
		return EndTokenBudget
	case b.Cost > 0 && a.spent.Cost >= b.Cost:
		return EndCostBudget
	case b.Time > 0 && a.clock().Sub(a.begun) >= b.Time:
		return EndTimeBudget
	}
	return ""
}

// Spend notes what a reply used, at the price of its model.
func (a *Allowance) Spend(u Usage, p Price) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spent.Tokens += u.Prompt + u.Completion
	a.spent.Cost += p.Cost(u)
}

// Spent is what was used up so far.
func (a *Allowance) Spent() Spent {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spent
}

// Spent is what a session has used up, at a price.
func (s *State) Spent(p Price) Spent {
	var spent Spent
	for _, t := range s.Turns {
		if t.Source == SourceModel && t.Told() {
			spent.Turns++
		}
		if t.Response != nil {
			spent.Tokens += t.Response.Usage.Prompt + t.Response.Usage.Completion
			spent.Cost += p.Cost(t.Response.Usage)
		}
	}
	return spent
}
