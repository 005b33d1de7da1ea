// Package worker owns the processes that run kernels on a CPU: it starts the
// emulator contained, asks it in terms of buffers and calls, and believes nothing it
// says. Starting, framing, limits and killing are package process's. Package emulate
// says how its program is started and what limits it takes. It must not compare
// outputs or judge. Start reading at call.go.
//
// # Protocol
//
// Messages are framed as package process says. From the judge:
//
//	1 load   "path\t<shared object>"
//	2 map    "buffer\t<name>\t<bytes>\t<r|w>" per buffer, in order; one descriptor each
//	3 call   "flags\t<bits>" "schedule\t<n>" "seed\t<n>" "repeat\t<n>" "poison\t<hex byte>" "dim\t<value>" ...
//	4 exit
//
// From the worker, in answer to a call:
//
//	2 ok     "wall_ns\t<n>" (a claim), "kernel\t<name>\t<launches>\t<gx>\t<gy>\t<gz>\t<bx>\t<by>\t<bz>\t<shared bytes>" ...,
//	         "finding\t<kind>\t<severity>\t<line>\t<evidence>" ...
//
// Kinds of fault: load, out_of_bounds, illegal_address, barrier_divergence, deadlock,
// unsupported, cuda_error, abort, signal, exit, forbidden, out_of_memory.
//
// A buffer is a file (memfd where there is one) of pages+1 pages' worth: the data
// lies at [Layout].Offset, aligned to 256 bytes, as near to the end as that
// allows; every byte around it is a guard that the judge checks. Worker and judge
// map the file each for itself, the worker between inaccessible pages and at a
// fresh address after each map message.
//
// Schedule 0 runs blocks and threads in order, 1 in reverse, n >= 2 in an order
// drawn from seed. Flag 1 asks for kernel lines, flag 2 says that the object is
// the checked build.
package worker
