// Package rules says what an answer may be written with.
//
// A rule set has a name that a person gives: "kevin" (all work is done by
// kernels of the answer's own), "kernelbench" (what KernelBench itself enforces)
// or "open" (only what would break the judging). [Set.Check] judges the facts of
// a Python file's syntax tree and the words of its CUDA C++: comments, strings
// and unused imports never break a rule. Nothing is executed for it.
//
// Rules explain to a model what is not wanted; they are no wall. A text can
// always be written that hides what it does, so whatever must hold is also held
// by the judge: the processes are contained, the results and the clock are its own.
// Element-wise arithmetic on tensors (a + b) looks like that on numbers and is
// not judged.
//
// The package reads no files, runs nothing and knows no lexer: package syntax
// below gpu makes an [Answer]. Start at [Sets], then [Set.Check]; lists of names
// are in names.go.
package rules
