// Package cuda binds the NVIDIA libraries that hone needs: the driver (libcuda),
// the run-time compiler (NVRTC) and the management library (NVML). It is the
// only package of hone with import "C".
//
// Nothing is linked. The libraries are looked up when they are asked for, so
// that a binary starts on a machine that has none of them; [Open],
// [OpenCompiler] and [OpenMonitor] then return an [Unavailable] that says why
// and what to do. Builds without cgo, or for systems without an NVIDIA driver,
// hold the same names and always answer so. A library once loaded stays loaded.
//
// A [Device] is owned by one goroutine on one OS thread, since the driver's
// current context belongs to the thread. [Device.Do] runs a function there and
// gives it a [Context], which has every operation on the device. A call into the
// driver cannot be cancelled: it belongs in a process that can be killed.
//
// From bottom to top: functions.h lists the functions with their prototypes,
// call_linux.c reaches them, library.go finds and calls them by name, and the
// files named after what they do (memory.go, share.go, module.go, stream.go,
// compiler.go, monitor.go) hold the policy, in Go. Start at driver.go.
package cuda
