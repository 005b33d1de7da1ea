// Package judge decides on kernels. It is the trusted process between the
// program, which holds no candidate code, and the workers, which run it.
//
// [Client] is a gpu.Evaluator: it starts the judge, asks one evaluation at a
// time, and kills and restarts it when it does not answer. [Serve] is the
// judge's own main loop. Evaluations are done by one of the packages below it:
// ondevice on an NVIDIA GPU, emulated on a CPU where there is none, and pytorch for
// answers written for PyTorch; judge.go chooses. All go stage by stage: rules,
// compile, run, check, time.
//
// The judge owns what a kernel must not know: the inputs' seeds, the expected
// outputs and the clock. It draws inputs, has the task's reference, compiled in
// double and in the task's type, run by trusted processes, and gives the
// candidate's worker a copy of the inputs and nothing else. What a worker says
// of itself never decides: only the bytes of its outputs and the judge's clock do.
//
// Beside them, package check does the arithmetic of the comparison in host
// memory, and package report writes the verdict. Start at judge.go.
package judge
