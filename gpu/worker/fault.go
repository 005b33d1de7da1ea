package worker

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// FaultKind names how a process failed.
type FaultKind string

// The kinds that a worker reports of itself.
const (
	FaultLoad        FaultKind = "load"
	FaultOutOfBounds FaultKind = "out_of_bounds"
	FaultAddress     FaultKind = "illegal_address"
	FaultDivergence  FaultKind = "barrier_divergence"
	FaultDeadlock    FaultKind = "deadlock"
	FaultUnsupported FaultKind = "unsupported"
	FaultCUDA        FaultKind = "cuda_error"
	FaultAbort       FaultKind = "abort"
	FaultSignal      FaultKind = "signal"
	FaultExit        FaultKind = "exit"
	FaultForbidden   FaultKind = "forbidden"
	FaultMemory      FaultKind = "out_of_memory"
)

// The kinds that only the judge's side sees.
const (
	FaultTimeout  FaultKind = "timeout"  // no answer within the limit
	FaultProtocol FaultKind = "protocol" // an answer that breaks the protocol
)

func (k FaultKind) reported() bool {
	switch k {
	case FaultLoad, FaultOutOfBounds, FaultAddress, FaultDivergence, FaultDeadlock, FaultUnsupported,
		FaultCUDA, FaultAbort, FaultSignal, FaultExit, FaultForbidden, FaultMemory:
		return true
	}
	return false
}

// Fault is why a process can no longer be used: it has ended or was killed. All
// but a kind of the judge's side is the process's own claim.
type Fault struct {
	Kind    FaultKind
	Message string // one line, without control characters
	Kernel  string // where known, else empty
	Line    int    // in the user's text, 0 when unknown
	Block   *[3]int64
	Thread  *[3]int64
}

// Sentence puts the fault in words, with the place where it happened.
func (f Fault) Sentence() string {
	var place []string
	if f.Kernel != "" {
		place = append(place, "kernel "+f.Kernel)
	}
	if f.Line > 0 {
		place = append(place, fmt.Sprintf("line %d", f.Line))
	}
	if f.Block != nil {
		place = append(place, "block "+coordinates(*f.Block))
	}
	if f.Thread != nil {
		place = append(place, "thread "+coordinates(*f.Thread))
	}
	if len(place) == 0 {
		return f.Message
	}
	return fmt.Sprintf("%s (%s)", f.Message, strings.Join(place, ", "))
}

func coordinates(c [3]int64) string {
	return fmt.Sprintf("(%d,%d,%d)", c[0], c[1], c[2])
}

// faultOfExit explains a process that ended without an answer.
func faultOfExit(state *os.ProcessState) Fault {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return faultOfSignal(status.Signal())
	}
	return Fault{Kind: FaultExit, Message: fmt.Sprintf("the process exited with code %d instead of returning from solve", state.ExitCode())}
}

func faultOfSignal(signal syscall.Signal) Fault {
	if signal == syscall.SIGSYS {
		return Fault{Kind: FaultForbidden, Message: "the process used a forbidden system call (SIGSYS)"}
	}
	words := map[syscall.Signal]string{
		syscall.SIGSEGV: "segmentation fault: an address outside every buffer (SIGSEGV)",
		syscall.SIGBUS:  "bus error: an address that no memory backs (SIGBUS)",
		syscall.SIGFPE:  "arithmetic fault, such as an integer division by zero (SIGFPE)",
		syscall.SIGILL:  "illegal instruction (SIGILL)",
		syscall.SIGABRT: "aborted (SIGABRT)",
		syscall.SIGTRAP: "trap (SIGTRAP)",
		syscall.SIGXFSZ: "the process wrote a file larger than allowed (SIGXFSZ)",
		syscall.SIGKILL: "the process was killed, most likely by the system for using too much memory (SIGKILL)",
	}
	message, ok := words[signal]
	if !ok {
		message = fmt.Sprintf("the process was ended by a signal: %s", signal)
	}
	return Fault{Kind: FaultSignal, Message: message}
}
