// Package gpu holds what the rest of the program knows of an evaluation: the
// [Request] to judge a kernel, the [Event] stream while it is judged, and the
// [Verdict] at the end. It is types and one interface, [Evaluator], in pure Go.
//
// A kernel that fails is a Verdict. An error from Evaluate means that the
// harness could not tell: it is never the kernel's fault and never scored.
//
// Everything that touches compilers, processes or devices lives below: compile
// (text to artefact), emulate (CUDA C++ on a CPU), judge (the trusted process),
// worker (the untrusted one), stat (samples to figures), cuda (the driver's
// libraries), device (the untrusted process on a GPU, which no judge uses yet)
// and native (the C++ that the programs of emulate and device share). Nothing
// here may import them.
package gpu
