// Package pytorch judges answers to tasks that have a PyTorch reference: Python files
// with a class ModelNew, in the torch dialect, and CUDA C++ that defines solve with the
// signature that torch.Signature derives, in the cuda dialect.
//
// An [Evaluator] has the task's reference run by an oracle, a trusted Python
// process that draws inputs and says what is right in the task's types and in
// double, and the answer by a candidate, a contained one: Python, or a worker on the
// GPU or one that emulates. Tensors lie in files of the judge, or in its memory of the
// device, which both map; the candidate gets inputs and state to read and outputs to
// write, and never sees an expected output, a seed or the verdict. What an answer
// passes to load_inline is compiled by the judge (package inline).
//
// What is particular to a dialect is behind the interfaces form and answer of answer.go:
// python.go, device.go and emulated.go. Rules are judged on the syntax tree of an
// answer in Python before anything is built or run.
// The score is taken over PyTorch eager, timed by turns with the answer. Start at
// evaluate.go.
package pytorch
