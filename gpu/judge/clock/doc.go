// Package clock is the judge's own clock for an answer: what a call costs, whatever its
// process claims. It makes no calls of its own; see [Batch].
package clock
