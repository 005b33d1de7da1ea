// Package native holds the C++ that every worker program shares, and builds such a
// program once per machine. A worker program is what runs candidates on the other
// end of a socket: the emulator of package emulate, the worker of package device.
//
// Shared are the framed messages (source/message.h) and what a process takes from
// itself before it loads a candidate (source/contain.h). A program names what it
// must still reach as Needs. [Program.Build] unpacks both these files and the
// program's own, and compiles them together.
package native
