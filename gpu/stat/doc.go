// Package stat turns repeated measurements into figures that can be defended: a
// median, a confidence interval that assumes nothing about the distribution,
// the ratio of two series measured side by side, and a rule that says when
// enough has been measured.
//
// It is pure arithmetic: it reads no clock and runs nothing. Start at [Median],
// then [Rule].
package stat
