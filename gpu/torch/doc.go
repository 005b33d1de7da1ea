// Package torch is what tasks and answers written for PyTorch have in common: which
// Python has a usable torch ([Find], [FindKept]), the Python programs of hone
// ([Prepare]), what a task's model takes and gives ([Description], kept by a [Memo]), the
// solve that does the same in CUDA C++ ([Derive]), and how the judge's memory reaches a
// Python process ([MapRequest]).
//
// Two kinds of process run Python. The oracle (package oracle) is trusted: it runs
// the task's reference and says what is right. The candidate (package candidate)
// runs an answer, contained; it shares no process with the oracle, and it never sees
// an expected output or a seed. Both speak the protocol of package process.
//
// This package starts no such process and judges nothing: it runs a Python only to ask
// for its torch. Start at find.go, then
// description.go; in Python at python/hone_torch/wire.py and memory.py.
//
// # Messages
//
// A request and its answer are one line, "json\t<object>", of at most [MaxJSON]
// bytes; what is longer travels by the path of a file. Only hello, fault and map
// are as package process has them. One map message gives one set of buffers:
//
//	"set\t<index>"      set 0 drops all earlier sets
//	"group\t<name>"     before the buffers of each group
//	"buffer\t<name>\t<bytes>\t<r|w>\t<size>\t<offset>\t<device|file>\t<descriptor>"
//
// where descriptor counts those that travel with the message: buffers that lie in
// one allocation share one.
package torch
