package canary

import (
	"fmt"
	"math"
)

// Drift is one measure of a session's last replies that is out of the ordinary.
type Drift struct {
	Measure string // "openings", "repetition", "junk" or "length"
	Text    string // what is so, and compared with what; one line
}

// The newest replies that are compared, the fewest of an earlier record to compare
// them with, and the chance at most of a mark where nothing has changed, for one
// measure and one comparison.
const (
	recent    = 4
	record    = 8
	mostLucky = 0.02
)

// measure is one that may drift upwards. A value beyond limit is unusual; the
// margins keep differences out that nobody would care about.
type measure struct {
	name   string
	what   string // drifts, in words
	value  func(Sample) *float64
	limit  func(earlier []float64) float64
	middle func([]float64) *float64 // what is said of several values
	write  func(float64) string
}

func measures() []measure {
	median := func(values []float64) *float64 { return Quantile(values, 0.5) }
	return []measure{
		{"openings", "thoughts open oddly", func(s Sample) *float64 { return fromBool(s.Odd) }, func([]float64) float64 { return 0.5 }, mean, percent},
		{"repetition", "phrases repeat", func(s Sample) *float64 { return s.Repetition }, beyond(1, 0.1), median, percent},
		{"junk", "characters are no text", func(s Sample) *float64 { return s.Junk }, beyond(1, 0.01), median, percent},
		{"length", "replies are longer", func(s Sample) *float64 { return fromInt(s.Tokens) }, beyond(1.5, 0), median, tokens},
	}
}

// beyond is a limit above nine in ten of the earlier values.
func beyond(factor, margin float64) func([]float64) float64 {
	return func(earlier []float64) float64 { return *Quantile(earlier, 0.9)*factor + margin }
}

// Drifts compares the last 4 replies of a session with its model's earlier record,
// or where that has fewer than 8, with the session's first 4. Both are those of the
// model that answered last. A measure drifts if more of the last than of the
// earlier values are beyond a limit than chance allows: 2 in 100 by Fisher's exact
// test, one-sided. Fewer than 4 values say nothing.
func Drifts(session, earlier []Sample) []Drift {
	if len(session) == 0 {
		return nil
	}
	model := session[len(session)-1].Model
	same := func(s Sample) bool { return s.Model == model }
	session, earlier = filter(session, same), filter(earlier, same)
	var drifts []Drift
	for _, m := range measures() {
		if text := m.drift(known(session, m.value), known(earlier, m.value)); text != "" {
			drifts = append(drifts, Drift{m.name, text})
		}
	}
	return drifts
}

// drift says what is out of the ordinary, "" if nothing is.
func (m measure) drift(session, earlier []float64) string {
	base, where := earlier, "%d on record"
	if len(base) < record {
		base, where = session[:min(recent, len(session))], "the session's first %d"
		session = session[len(base):]
	}
	if len(session) < recent {
		return ""
	}
	last := session[len(session)-recent:]
	limit := m.limit(base)
	if byChance(above(last, limit), len(last), above(base, limit), len(base)) > mostLucky {
		return ""
	}
	return fmt.Sprintf("%s: %s in the last %d, %s in "+where,
		m.what, m.write(*m.middle(last)), len(last), m.write(*m.middle(base)), len(base))
}

// byChance is the probability that at least a of n values are unusual, where a+b of
// n+m are and each is as likely to be: the upper tail of the hypergeometric
// distribution, which is Fisher's exact test.
func byChance(a, n, b, m int) float64 {
	p := 0.0
	for k := a; k <= min(n, a+b); k++ {
		p += math.Exp(lchoose(n, k) + lchoose(m, a+b-k) - lchoose(n+m, a+b))
	}
	return p
}

// lchoose is the logarithm of n over k, -Inf where there is no way to choose.
func lchoose(n, k int) float64 {
	if k < 0 || k > n {
		return math.Inf(-1)
	}
	return lfactorial(n) - lfactorial(k) - lfactorial(n-k)
}

func lfactorial(n int) float64 {
	l, _ := math.Lgamma(float64(n) + 1)
	return l
}

func above(values []float64, limit float64) int {
	n := 0
	for _, v := range values {
		n += count(v > limit)
	}
	return n
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

func fromBool(b *bool) *float64 {
	if b == nil {
		return nil
	}
	v := float64(count(*b))
	return &v
}

func fromInt(n *int) *float64 {
	if n == nil {
		return nil
	}
	v := float64(*n)
	return &v
}

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }
func tokens(v float64) string      { return fmt.Sprintf("%.0f tokens", v) }

func filter(samples []Sample, keep func(Sample) bool) []Sample {
	var kept []Sample
	for _, s := range samples {
		if keep(s) {
			kept = append(kept, s)
		}
	}
	return kept
}
