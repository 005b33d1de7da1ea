package worker

import "example.com/hone/gpu/process"

// Fault is why a worker can no longer be used.
type Fault = process.Fault

// FaultKind names how a worker failed.
type FaultKind = process.FaultKind

// The kinds that only the emulator reports.
const (
	FaultOutOfBounds FaultKind = "out_of_bounds"
	FaultDivergence  FaultKind = "barrier_divergence"
	FaultDeadlock    FaultKind = "deadlock"
	FaultUnsupported FaultKind = "unsupported"
)

// The kinds of every process, under the name of this package.
const (
	FaultLoad      = process.FaultLoad
	FaultAddress   = process.FaultAddress
	FaultCUDA      = process.FaultCUDA
	FaultAbort     = process.FaultAbort
	FaultSignal    = process.FaultSignal
	FaultExit      = process.FaultExit
	FaultForbidden = process.FaultForbidden
	FaultMemory    = process.FaultMemory
	FaultTimeout   = process.FaultTimeout
	FaultProtocol  = process.FaultProtocol
)
