// Package ondevice judges kernels on an NVIDIA GPU.
//
// An [Evaluator] judges on a device that stays its opener's (package platform). Tensors
// lie in memory of the judge (package tensor), which draws inputs and compares outputs
// there with kernels of its own; outputs cross to the host only where they are wrong. A
// candidate runs in a contained process (package device) that is lent
// its inputs to read and its outputs to write. What is right is said by the
// task's reference, in double and in the task's type, in two trusted processes
// of the same kind that share no memory with a candidate but inputs to read.
//
// A time is the median of single calls with a cold L2 cache, each on inputs that
// the candidate has not seen; candidate, reference and best kernel take turns.
// Samples are measured in the candidate's process and so are claims: the judge
// holds them against its own clock, the device's measured roofline and outputs
// checked at random.
//
// The stages are in evaluate.go (rules, compile, run), check.go and timing.go.
// Start there. What outlives an evaluation is in workshop.go and oracle.go.
package ondevice
