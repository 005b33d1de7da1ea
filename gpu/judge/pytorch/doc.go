// Package pytorch judges answers in the torch dialect: Python files with a class
// ModelNew, against a task's PyTorch reference.
//
// An [Evaluator] has the task's reference run by an oracle, a trusted Python
// process that draws inputs and says what is right in the task's types and in
// double, and the answer by a candidate, a contained one. Tensors lie in files of
// the judge, which both map; the candidate gets inputs and state to read and
// outputs to write, and never sees an expected output, a seed or the verdict. What
// an answer passes to load_inline is compiled by the judge (package inline).
//
// Rules are judged on the answer's syntax tree before anything is built or run.
// The score is taken over PyTorch eager, timed by turns with the answer. Start at
// evaluate.go.
package pytorch
