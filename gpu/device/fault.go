package device

import (
	"fmt"
	"os"
	"syscall"

	"example.com/hone/gpu/worker"
)

// The kinds of fault that a device has beside those of package worker.
const (
	FaultMisaligned worker.FaultKind = "misaligned"
	FaultAssert     worker.FaultKind = "assert"
	FaultLaunch     worker.FaultKind = "launch_failure" // a trap, a stack, or what the device does not tell
	FaultDriver     worker.FaultKind = "no_driver"      // only at the start
	FaultDevice     worker.FaultKind = "no_device"      // only at the start
	FaultRequest    worker.FaultKind = "request"        // the judge asked for something that cannot be
)

func reported(kind worker.FaultKind) bool {
	switch kind {
	case worker.FaultLoad, worker.FaultAddress, worker.FaultCUDA, worker.FaultAbort, worker.FaultSignal, worker.FaultExit,
		worker.FaultForbidden, worker.FaultMemory, FaultMisaligned, FaultAssert, FaultLaunch, FaultDriver, FaultDevice,
		FaultRequest:
		return true
	}
	return false
}

func parseFault(lines [][]string) (*worker.Fault, error) {
	fault := &worker.Fault{}
	for _, line := range lines {
		fields := fieldReader{fields: line}
		switch key := fields.text(); key {
		case "kind":
			fault.Kind = worker.FaultKind(fields.text())
		case "message":
			fault.Message = fields.text()
		case "kernel":
			fault.Kernel = fields.text()
		default:
			return nil, malformedf("a fault has the unknown line %q", key)
		}
		if !fields.complete() {
			return nil, malformedf("a fault has a bad line")
		}
	}
	if !reported(fault.Kind) || fault.Message == "" {
		return nil, malformedf("a fault has no known kind or no message")
	}
	return fault, nil
}

// faultOfExit explains a process that ended without an answer.
func faultOfExit(state *os.ProcessState) *worker.Fault {
	status, ok := state.Sys().(syscall.WaitStatus)
	switch {
	case !ok || !status.Signaled():
		return &worker.Fault{Kind: worker.FaultExit,
			Message: fmt.Sprintf("the process exited with code %d instead of returning from solve", state.ExitCode())}
	case status.Signal() == syscall.SIGSYS:
		return &worker.Fault{Kind: worker.FaultForbidden, Message: "the process used a forbidden system call (SIGSYS)"}
	case status.Signal() == syscall.SIGKILL:
		return &worker.Fault{Kind: worker.FaultSignal,
			Message: "the process was killed, most likely by the system for using too much memory (SIGKILL)"}
	}
	return &worker.Fault{Kind: worker.FaultSignal, Message: "the process was ended by a signal: " + status.Signal().String()}
}
