// Package report writes verdicts: what a stage found becomes an outcome, one
// line for a person, and exactly what the model is told.
//
// A [Report] takes one evaluation through its stages and keeps how they went;
// the first conclusion drawn is the outcome and ends it. What is concluded is
// decided by the caller, which knows the evidence. The package runs nothing and
// measures nothing but how long the stages took. Start at report.go.
package report
