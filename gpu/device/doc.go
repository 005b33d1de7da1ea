// Package device owns the processes that run kernels on an NVIDIA GPU. Like
// packages emulate and worker together, it is a C++ program, embedded here and
// built by g++ on the machine that runs it ([Prepare]), and a client that asks it
// for loads, calls and timings ([Start]). Starting, framing, limits and killing are
// package process's; what the program shares with the emulator is in package native.
//
// The program loads libcuda itself, takes the device's primary context, contains
// itself, and then loads what package compile's BuildDevice made: a cubin, and a
// host object that reaches the device through the table of hone_api.h alone. It
// gets its tensors as device memory of the judge, shared by file descriptor; it
// never sees what the outputs should be. Start reading at
// runtime/worker/worker.cpp.
//
// # Protocol
//
// Messages are framed as package process says. One process loads one module. From
// the judge:
//
//	1 load   "cubin\t<path>" "object\t<path>"
//	         "kernel\t<variable>\t<function>\t<lowered>\t<name>\t<bytes of each parameter>..." ... "variable\t<symbol>" ...
//	         without a cubin the object was built by nvcc and has a CUDA runtime of its own: its launches are not seen
//	2 map    "set" before the buffers of each set, "buffer\t<name>\t<bytes>\t<r|w>\t<size>\t<offset>\t<device|file>" per buffer; one descriptor each
//	3 call   "flags\t<bits>" "repeat\t<n>" "set\t<n>" "poison\t<hex byte>" "dim\t<value>" ...
//	4 exit
//	5 time   "method\t<cold|warm|sustained|graph>" "samples\t<n>" "warmup\t<n>" "first\t<n>" "l2\t<bytes>" "dim\t<value>" ...
//
// From the worker:
//
//	2 ok     for call: "wall_ns\t<n>", "kernel\t<name>\t<launches>\t<gx>\t<gy>\t<gz>\t<bx>\t<by>\t<bz>\t<shared bytes>
//	         \t<registers>\t<local bytes>\t<threads that a multiprocessor holds>\t<threads that it could hold>\t<what limits them>" ...
//	         for time: "wall_ns\t<n>", "empty_ns\t<n>", "null_ns\t<n>", and "samples\t<ns>..." ... or "refused\t<why>"
//
// Kinds of fault: no_driver and no_device at the start; request, load; of the device
// illegal_address, misaligned, assert, launch_failure, out_of_memory, cuda_error; of
// host code illegal_address, out_of_memory, abort, signal, exit, forbidden.
//
// The data of a buffer lies at offset in an allocation of size bytes. Each map
// gives every buffer an address that it did not have before, followed by addresses
// that nothing backs; an input is mapped for reading only. Flag 1 asks for kernel
// lines, flag 2 has every launch waited for, so that a fault names its kernel. An
// object built by nvcc tells launches that did not happen by the function of
// [LastErrorEntry]; without it they go unnoticed.
//
// A file's memory is the host's, and is copied to the device and back around what
// uses it; nothing keeps a kernel from storing to such an input, or beyond it.
//
// A sample is the device's time between two events around one call of hone_entry, or
// of a run of them, or of a replay of one. The device is kept busy while the host
// queues that, for at most half a millisecond (5 ms for a run), and before a cold
// sample twice the L2 cache is written and as much is read. A call that cannot be
// captured in a graph is no fault, whether it waits, allocates, throws or exits.
package device
