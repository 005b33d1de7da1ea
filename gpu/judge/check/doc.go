// Package check is the arithmetic of judging outputs: it draws the inputs of a
// trial, compares what a kernel computed with the truth, and puts in words where
// and how the two differ.
//
// It is pure: it runs nothing, and the same seed always draws the same inputs.
// Start at [Draw], then [Compare].
package check
