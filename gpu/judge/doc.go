// Package judge decides on kernels. It is the trusted process between the
// program, which holds no candidate code, and the workers, which run it.
//
// [Client] is a gpu.Evaluator: it starts the judge, asks one evaluation at a
// time, and kills and restarts it when it does not answer. [Serve] is the
// judge's own main loop. Evaluations are done by one of the packages below it:
// ondevice on an NVIDIA GPU, emulated on a CPU where there is none, and pytorch, on
// either, where the task's reference or the answer is PyTorch; judge.go chooses. All go
// stage by stage: rules, compile, run, check, time.
//
// The judge owns what a kernel must not know: the inputs' seeds, the expected
// outputs and the clock. It has inputs drawn and the task's reference run, in double
// and in the task's types, by itself and by trusted processes, and gives the
// candidate's worker inputs to read and outputs to write, and nothing else. What a
// worker says of itself (times, launches, faults, what its kernels did between threads)
// is a claim: it can cost the candidate its verdict, and times count only as far as the
// outputs, the judge's clock and the device's peaks bear them out.
//
// Beside them, package check does the arithmetic of the comparison in host memory,
// report writes the verdict, platform is a GPU as the judge uses it, ready keeps what a
// task is judged by, and clock is the judge's own for calls. Start at judge.go.
package judge
