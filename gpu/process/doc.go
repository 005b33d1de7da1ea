// Package process runs untrusted programs as child processes and speaks with them:
// it starts a program in a group of its own, exchanges framed messages with it
// within a limit, and kills it with all that it started. It believes nothing a
// program says: messages are bounded and parsed strictly, and whatever does not
// parse is a [Fault] of the program. Start reading at process.go.
//
// What the messages mean is the business of the packages above, worker and device.
// This one makes the memory that is shared with them ([SharedFile]), and knows no
// kernel, no tensor and no verdict. It does not contain a program: programs do that
// themselves and say so in their greeting (package native).
//
// # Protocol
//
// Both directions use a Unix stream socket, descriptor 3 of the program. A message
// is an 8-byte header (little-endian uint32 length of the body, uint32 type) and a
// body of at most 64 KiB: lines of tab-separated fields, in UTF-8, each ended by a
// newline. Descriptors travel as SCM_RIGHTS with the header. Every message but exit
// gets exactly one answer, ok or fault.
//
// Messages to the program have the types of [RequestType]. From the program:
//
//	1 hello  "protocol\t1" "layer\t<name>\t<on|off: reason>" ...       once, unasked
//	2 ok     what was asked for
//	3 fault  "kind\t<kind>" "message\t<text>", and where known "kernel\t<name>" "line\t<n>"
//	         "block\t<x>\t<y>\t<z>" "thread\t<x>\t<y>\t<z>"; the program then exits
package process
