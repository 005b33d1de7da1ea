// Package gpu holds what the rest of the program knows of an evaluation: the
// [Request] to judge a kernel, the [Event] stream while it is judged, and the
// [Verdict] at the end. It is types and one interface, [Evaluator], in pure Go.
//
// A kernel that fails is a Verdict. An error from Evaluate means that the
// harness could not tell: it is never the kernel's fault and never scored.
//
// Everything that touches compilers, processes or devices lives below: compile
// (text to artefact), judge (the trusted process), cuda (the driver's libraries),
// tensor (the judge's memory and kernels on a device), roofline (what a device can
// do at most), worker with emulate and device (the untrusted processes on a CPU
// and on a GPU), process and native (what those have in common, in Go and in C++),
// torch (what is written in Python), queue (who waits for a device) and stat (samples
// to figures). Nothing here may import them.
package gpu
