// Package oracle is the client of the trusted Python process that runs a task's
// reference: it describes the task, draws inputs into the judge's buffers, writes
// what is right into others, times eager and torch.compile, and looks for what makes
// a task a bad one to judge by.
//
// It compares nothing and knows no answer: no answer's code ever runs in this
// process, and a candidate gets nothing from it but through buffers of the judge.
// Its program is hone_torch/oracle.py, see package torch. Start at oracle.go.
//
// # Use
//
// One process serves one reference at a time: [Start], [Process.Load], then [Process.Map]
// with sets of buffers laid out as the description says, [Process.Draw] into a set,
// [Process.Expect] on it. A reference that fails is a [process.Fault] with its line,
// and ends the process.
//
// The model is built as KernelBench builds it: under seed 42 on the CPU, then moved,
// in training mode. Its buffers, and tensors that it keeps elsewhere, are restored
// before every run. Expected outputs are computed with TF32 off, eager times taken
// with torch's own defaults, or as [Config].TF32 says.
package oracle
