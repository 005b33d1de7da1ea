// Package tasks says what a kernel has to compute.
//
// A [Task] is plain data: a PyTorch reference in the KernelBench file format,
// the exact signature of the CUDA function that answers it, a native reference
// and the sizes it is evaluated at. Of a task from KernelBench only the first is
// known; package kernelbench loads these, and [FromReference] makes them. A
// [Catalog] holds many tasks and finds one by what a person types. Loading never
// stops at the first bad file: it returns the good tasks and a list of [Problem]
// with file and line.
//
// # A task's folder
//
//	task.toml     title, level, tolerance, dims, sizes, inputs and outputs
//	reference.py  what a model reads, with the dimensions of size "full" as constants
//	reference.cu  the same in CUDA C++, naive, for any floating type
//
// In task.toml an input is filled by "normal(mean, deviation)", "uniform(low,
// high)" or "integers(low, high)", and the axes of a shape are expressions over
// dims. A folder may be called anything; its path below the source is the ID.
//
// The package knows nothing of compilers, devices, models or screens, and runs
// no task. Start at [Task], then [Load]. The built-in tasks are in builtin/. Package
// rules says what answers may not do, spelling what a misspelt name was meant to be.
package tasks
