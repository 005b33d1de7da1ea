package device

import "example.com/hone/gpu/process"

// The kinds of fault that a device has beside those of package process.
const (
	FaultMisaligned process.FaultKind = "misaligned"
	FaultAssert     process.FaultKind = "assert"
	FaultLaunch     process.FaultKind = "launch_failure" // a trap, a stack, or what the device does not tell
	FaultDriver     process.FaultKind = "no_driver"      // only at the start
	FaultDevice     process.FaultKind = "no_device"      // only at the start
	FaultRequest    process.FaultKind = "request"        // the judge asked for something that cannot be
)
