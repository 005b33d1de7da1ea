// Package worker owns the processes that run kernels: it starts them contained,
// speaks their protocol, and kills them with all they started when a limit is
// passed. It believes nothing they say: replies are bounded, typed and parsed
// strictly, and a reply that does not parse is a fault of the process.
//
// # Protocol
//
// Both directions use a Unix stream socket, descriptor 3 of the worker. A
// message is an 8-byte header (little-endian uint32 length of the body, uint32
// type) and a body of at most 64 KiB: lines of tab-separated fields, in UTF-8,
// each ended by a newline. Descriptors travel as SCM_RIGHTS with the header.
// Every message of the judge but exit gets exactly one answer, ok or fault.
// Package emulate says how its process is started and what limits it takes.
//
// From the judge:
//
//	1 load   "path\t<shared object>"                                   answered by ok or fault
//	2 map    "buffer\t<name>\t<bytes>\t<r|w>" per buffer, in order; one descriptor each
//	3 call   "flags\t<bits>" "schedule\t<n>" "seed\t<n>" "repeat\t<n>" "poison\t<hex byte>" "dim\t<value>" ...
//	4 exit
//
// From the worker:
//
//	1 hello  "protocol\t1" "layer\t<name>\t<on|off: reason>" ...       once, unasked
//	2 ok     for call: "wall_ns\t<n>" (a claim), "kernel\t<name>\t<launches>\t<gx>\t<gy>\t<gz>\t<bx>\t<by>\t<bz>\t<shared bytes>" ...,
//	         "finding\t<kind>\t<severity>\t<line>\t<evidence>" ...
//	3 fault  "kind\t<kind>" "message\t<text>" "kernel\t<name>" "line\t<n>" "block\t<x>\t<y>\t<z>" "thread\t<x>\t<y>\t<z>" ...; the worker then exits
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
