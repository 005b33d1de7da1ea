package process

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
)

// FaultKind names how a program failed.
type FaultKind string

// The kinds that every program may report of itself. Packages above have more.
const (
	FaultLoad      FaultKind = "load"
	FaultAddress   FaultKind = "illegal_address"
	FaultCUDA      FaultKind = "cuda_error"
	FaultAbort     FaultKind = "abort"
	FaultSignal    FaultKind = "signal"
	FaultExit      FaultKind = "exit"
	FaultForbidden FaultKind = "forbidden"
	FaultMemory    FaultKind = "out_of_memory"
)

// The kinds that only this side sees.
const (
	FaultTimeout  FaultKind = "timeout"  // no answer within the limit
	FaultProtocol FaultKind = "protocol" // an answer that breaks the protocol
)

// Fault is why a process can no longer be used: it has ended or was killed. All
// but a kind of this side is the process's own claim.
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

func reported(kind FaultKind, more []FaultKind) bool {
	switch kind {
	case FaultLoad, FaultAddress, FaultCUDA, FaultAbort, FaultSignal, FaultExit, FaultForbidden, FaultMemory:
		return true
	}
	return slices.Contains(more, kind)
}

// parseFault reads a fault of a kind that every program may report, or of more.
func parseFault(lines [][]string, more []FaultKind) (*Fault, error) {
	fault := &Fault{}
	point := func(fields *Fields) *[3]int64 { p := fields.Point(); return &p }
	err := ReadLines(lines, func(key string, fields *Fields) bool {
		switch key {
		case "kind":
			fault.Kind = FaultKind(fields.Text())
		case "message":
			fault.Message = fields.Text()
		case "kernel":
			fault.Kernel = fields.Text()
		case "line":
			fault.Line = int(fields.Count())
		case "block":
			fault.Block = point(fields)
		case "thread":
			fault.Thread = point(fields)
		default:
			return false
		}
		return true
	})
	if err == nil && (!reported(fault.Kind, more) || fault.Message == "") {
		err = Malformedf("a fault has no known kind or no message")
	}
	if err != nil {
		return nil, err
	}
	return fault, nil
}

// faultOfExit explains a process that ended without an answer.
func faultOfExit(state *os.ProcessState) *Fault {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return faultOfSignal(status.Signal())
	}
	return &Fault{Kind: FaultExit, Message: fmt.Sprintf("the process exited with code %d instead of returning from solve", state.ExitCode())}
}

func faultOfSignal(signal syscall.Signal) *Fault {
	if signal == syscall.SIGSYS {
		return &Fault{Kind: FaultForbidden, Message: "the process used a forbidden system call (SIGSYS)"}
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
	return &Fault{Kind: FaultSignal, Message: message}
}
