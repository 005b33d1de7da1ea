// Package candidate owns the processes that run answers written for PyTorch: files
// that define ModelNew. It is the client of hone_torch.candidate, a Python program
// that imports torch, contains itself through a library that is built here
// ([Prepare], runtime/contain_python.cpp), and then executes one answer on buffers of
// the judge. Starting, framing, limits and killing are package process's; the form of
// messages is package torch's.
//
// Nothing that a process says is believed: an answer shares its interpreter and may
// change all of it. Outputs count by the bytes in the judge's buffers, times are
// claims. This package compares nothing, and it builds nothing: what an answer passes
// to load_inline goes to the [Build] of whoever loads it. Start reading at load.go; in
// Python at candidate.py.
//
// # Messages
//
//	load  {"answer": path, "reference": path, "aliases": bool, "programs": bool}, the description as a descriptor
//	      -> {"unmatched": [name...], "builds": n, "failed_builds": n}
//	map   a set with the groups inputs, state and outputs; state may be left out
//	call  {"set": n, "repeat": n, "kernels": bool} -> {"wall_ns": n, "kernels": [line...]}
//	time  {"method", "samples", "warmup", "first", "l2"} -> {"wall_ns", "empty_ns", "null_ns", "samples": [ns...]}
//
// While an answer runs, load, call or time may be answered with
//
//	{"build": {"part": text, "more": bool}}
//
// instead: the parts together are an inline.Request in JSON. The next message is then
// a load, {} after each part but the last, and after that one
//
//	{"built": {"module": name, "binder": name, "functions": [{"name", "symbol", "spec"}...]}}  with the files as descriptors
//	{"built": {"failed": why, "unsupported": bool}}
//
// and the answer goes on. Time for builds counts in no limit.
//
// On a CPU a torch without CUDA plays the device cuda:0, so that answers written for
// a GPU run; Triton does not.
package candidate
