package cuda

import (
	"fmt"
	"unsafe"
)

// PCH is what became of the precompiled headers of one program.
type PCH string

// The outcomes. Precompiled headers live in memory of this process alone, and
// serve programs whose leading #include lines and options are the same.
const (
	PCHNone      PCH = ""          // none were made: not asked for, made before, or NVRTC is older than 12.8
	PCHCreated   PCH = "created"   // made by this program, for later ones
	PCHExhausted PCH = "exhausted" // did not fit: enlarge the heap with [Compiler.SetPCHHeap]
	PCHFailed    PCH = "failed"    // could not be made, for another reason
)

// pch asks what became of the precompiled headers.
func (c *Compiler) pch(prog program) PCH {
	const notAttempted, exhausted = 13, 14
	if !c.lib.has("nvrtcGetPCHCreateStatus") {
		return PCHNone
	}
	err := c.lib.call("nvrtcGetPCHCreateStatus", prog)
	switch {
	case err == nil:
		return PCHCreated
	case codeOf(err) == notAttempted:
		return PCHNone
	case codeOf(err) == exhausted:
		return PCHExhausted
	}
	return PCHFailed
}

// SetPCHHeap sets the room in bytes for all precompiled headers of the process,
// and drops those that there are. No program may be compiling.
func (c *Compiler) SetPCHHeap(bytes uint64) error {
	if err := c.lib.call("nvrtcSetPCHHeapSize", bytes); err != nil {
		return fmt.Errorf("set the room for precompiled headers: %w", err)
	}
	return nil
}

// lower is the name that an expression has in the cubin. The library's text ends
// with the program, so it is copied here.
func (c *Compiler) lower(prog program, expression string) (string, error) {
	var text unsafe.Pointer
	err := c.lib.call("nvrtcGetLoweredName", prog, cText(expression), &text)
	return goString(text), err
}
