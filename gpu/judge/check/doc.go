// Package check is the arithmetic of judging outputs: it draws the inputs of a
// trial, compares what a kernel computed with the truth, puts in words where and how
// the two differ, and adds the trials of an evaluation up.
//
// It is pure: it runs nothing, and the same seed always draws the same inputs.
// Start at [Draw], then [Compare], then [Tally].
package check
