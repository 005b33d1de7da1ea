package canary

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Summary joins samples. Shares run from 0 to 1; nil: nothing to take it of.
type Summary struct {
	Sessions   int      `json:"sessions"`
	Turns      int      `json:"turns"`
	Replies    int      `json:"replies"`          // that ended as the server meant them to
	Thoughts   int      `json:"thoughts"`         // replies that have one
	Odd        *float64 `json:"odd_openings"`     // share of the thoughts that do not open as usual
	Tokens     *int     `json:"tokens_median"`    // of the replies whose length is known
	TokensHigh *int     `json:"tokens_p90"`       // nine in ten are no longer
	Repetition *float64 `json:"repetition"`       // mean over the replies, see [Repetition]
	Junk       *float64 `json:"junk"`             // mean over the replies, see [Junk]
	Correct    *float64 `json:"correct"`          // share of the turns that were scored
	Judged     int      `json:"correct_of_turns"` // so many
}

// Period is the samples of one day or one run.
type Period struct {
	Name  string    `json:"period"`
	Start time.Time `json:"start"` // of its first turn
	Summary
}

// Model is all samples of one model, and the same by period, oldest first.
type Model struct {
	Model string `json:"model"`
	Summary
	Periods []Period `json:"periods"`
}

// Summarise joins samples.
func Summarise(samples []Sample) Summary {
	sum := Summary{Turns: len(samples)}
	sessions := map[string]bool{}
	odd, correct := tally{}, tally{}
	for _, s := range samples {
		sessions[s.Session] = true
		sum.Replies += count(s.Replied)
		sum.Thoughts += count(s.Thought)
		odd.add(s.Odd)
		correct.add(s.Correct)
	}
	sum.Sessions, sum.Judged = len(sessions), correct.of
	sum.Odd, sum.Correct = odd.share(), correct.share()
	tokens := known(samples, func(s Sample) *int { return s.Tokens })
	sum.Tokens, sum.TokensHigh = Quantile(tokens, 0.5), Quantile(tokens, 0.9)
	sum.Repetition = mean(known(samples, func(s Sample) *float64 { return s.Repetition }))
	sum.Junk = mean(known(samples, func(s Sample) *float64 { return s.Junk }))
	return sum
}

// Group joins samples by model, in the order of their names, and within it by
// period, in that of time. Period names the one that a sample belongs to.
func Group(samples []Sample, period func(Sample) string) []Model {
	samples = slices.SortedStableFunc(slices.Values(samples), func(a, b Sample) int { return a.Time.Compare(b.Time) })
	models := []Model{}
	for _, of := range split(samples, func(s Sample) string { return s.Model }) {
		m := Model{Model: of[0].Model, Summary: Summarise(of)}
		for _, in := range split(of, period) {
			m.Periods = append(m.Periods, Period{Name: period(in[0]), Start: in[0].Time, Summary: Summarise(in)})
		}
		models = append(models, m)
	}
	slices.SortFunc(models, func(a, b Model) int { return cmp.Compare(a.Model, b.Model) })
	return models
}

// split puts samples with the same key together, in the order in which keys and
// samples appear.
func split(samples []Sample, key func(Sample) string) [][]Sample {
	var parts [][]Sample
	at := map[string]int{}
	for _, s := range samples {
		i, ok := at[key(s)]
		if !ok {
			i = len(parts)
			at[key(s)], parts = i, append(parts, nil)
		}
		parts[i] = append(parts[i], s)
	}
	return parts
}

// known are the values of samples that have one.
func known[T any](samples []Sample, value func(Sample) *T) []T {
	var values []T
	for _, s := range samples {
		if v := value(s); v != nil {
			values = append(values, *v)
		}
	}
	return values
}

// Quantile is the least value that at least a share q of all does not exceed (the
// nearest rank), so that it is one of them. Nil without values.
func Quantile[T cmp.Ordered](values []T, q float64) *T {
	if len(values) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(q * float64(len(sorted))))
	return &sorted[max(0, rank-1)]
}

func mean(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	m := sum(values) / float64(len(values))
	return &m
}

// tally counts what is known to be so.
type tally struct{ yes, of int }

func (t *tally) add(b *bool) {
	if b != nil {
		t.of++
		t.yes += count(*b)
	}
}

func (t tally) share() *float64 { return share(t.yes, t.of) }

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
