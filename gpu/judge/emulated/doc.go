// Package emulated judges kernels by CPU emulation.
//
// An [Evaluator] builds a candidate twice: one build is timed, in the other
// every memory access is watched. Inputs and expected outputs lie in memory of
// the judge; the candidate's worker gets copies of the inputs and nothing else.
// What is right is said by the task's reference, in double and in the task's
// type, run by trusted processes of their own. All times are emulated: they say
// nothing about a GPU. Start at evaluate.go.
package emulated
