// Package canary measures whether a model still writes as it used to.
//
// In Kevin's training (arXiv 2507.11948, section 6.1) thoughts stopped opening
// with "Okay," some fifteen steps before replies became junk. So three measures
// of one reply, each a share from 0 to 1 and linear in its length: whether the
// thought opens as usual, how much of the text repeats itself, and how much of it
// is no text. A [Sample] holds them for one turn, [Summarise] and [Group] join
// samples over time, and [Drifts] compares the newest with earlier ones.
//
// Everything is a pure function of texts and recorded events. It must not read
// files or clocks, judge a kernel, or stop a session: it only says what changed,
// and against what. What is unknown is nil.
//
// Start at measure.go, then sample.go, summary.go and drift.go.
package canary
