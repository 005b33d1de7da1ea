// Package tasks says what a kernel has to compute.
//
// A [Task] is plain data: a PyTorch reference in the KernelBench file format,
// the exact signature of the CUDA function that answers it, a native reference
// and the sizes it is evaluated at. A [Catalog] holds many of them and finds
// one by what a person types. Loading never stops at the first bad file: it
// returns the good tasks and a list of [Problem] with file and line.
//
// The package knows nothing of compilers, devices, models or screens, and runs
// no task. Start at [Task], then [Load].
package tasks
