package cuda

import (
	"errors"
	"fmt"
)

// Error is a call that a library refused.
type Error struct {
	Library string // "libcuda", "NVRTC" or "NVML"
	Call    string // the function's exported name
	Code    int    // what it returned
	Name    string // the code's name, where the library tells it
	Text    string // what the library says of the code
	Sticky  bool   // the process can no longer use the device: only a new one can
}

func (e *Error) Error() string {
	name := fmt.Sprintf("%s error %d", e.Library, e.Code)
	if e.Name != "" {
		name = fmt.Sprintf("%s, %d", e.Name, e.Code)
	}
	text := fmt.Sprintf("%s: %s (%s)", e.Call, e.Text, name)
	if e.Sticky {
		text += "; the device can be used again only from a new process"
	}
	return text
}

// Sticky reports whether err left the process unable to use the device. The call
// that reports it may be later than the launch that caused it.
func Sticky(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Sticky
}

// codeOf is the code that a library returned, or 0 where err is no Error.
func codeOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return 0
}

// sticky reports whether a code of the driver ends the use of the device by this
// process: what it documents as leaving the process in an inconsistent state.
func sticky(code int) bool {
	switch {
	case code == 214, code == 220, code == 226: // memory, link and contained faults of the hardware
		return true
	case code == 700, code == 702, code == 709, code == 710: // illegal address, timeout, context gone, assert
		return true
	default: // stack, instruction, alignment, address space, program counter, launch; tensor memory
		return code >= 714 && code <= 719 || code == 721
	}
}

// Cause is why something cannot be used, for those who must tell apart.
type Cause string

// The causes.
const (
	NotBuilt     Cause = "not built"     // this binary cannot load libraries
	NoLibrary    Cause = "no library"    // none was found, or the loader refused it
	NoSymbol     Cause = "no symbol"     // a library lacks a function
	OldDriver    Cause = "old driver"    // the driver is older than hone needs
	NoDevice     Cause = "no device"     // the driver sees no device
	NoPermission Cause = "no permission" // the system keeps this process from the device
	InUse        Cause = "in use"        // another process holds the device
	Failed       Cause = "failed"        // the driver did not start, for another reason
)

// Unavailable says why a device or a library cannot be used.
type Unavailable struct {
	Cause  Cause
	Reason string // what is so
	Remedy string // what a person can do
	Err    error  // the call that told, nil where none did
}

func (u *Unavailable) Error() string { return u.Reason + ": " + u.Remedy }

func (u *Unavailable) Unwrap() error { return u.Err }
