//go:build cgo && (amd64 || arm64)

package cuda

// #cgo LDFLAGS: -ldl
// #cgo noescape hone_call
// #cgo nocallback hone_call
// #include <stdlib.h>
// #include "call_linux.h"
import "C"

import (
	"errors"
	"unsafe"
)

// unsupported is empty: this build can load the libraries.
const unsupported = ""

// listed are the functions of functions.h, without addresses.
func listed() []function {
	var count C.int
	first := C.hone_listed(&count)
	table := unsafe.Slice(first, int(count))
	functions := make([]function, len(table))
	for i, p := range table {
		functions[i] = function{
			name:       C.GoString(p.name),
			parameters: int(p.parameters),
			optional:   p.optional != 0,
			trampoline: unsafe.Pointer(p.call),
		}
	}
	return functions
}

// openLibrary loads a library by path, or by name from where the loader looks.
func openLibrary(path string) (unsafe.Pointer, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var reason [512]C.char
	handle := C.hone_open(name, &reason[0], C.size_t(len(reason)))
	if handle == nil {
		return nil, errors.New(C.GoString(&reason[0]))
	}
	return handle, nil
}

// findFunction is the address of a function, or nil.
func findFunction(library unsafe.Pointer, name string) unsafe.Pointer {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return C.hone_find(library, text)
}

// origin is the file that a function was loaded from, "" where unknown.
func origin(address unsafe.Pointer) string { return C.GoString(C.hone_origin(address)) }

// invoke calls a function. The words must be as many as its parameters, and what
// they point to must be pinned, or no Go memory.
func invoke(f function, words *[maxParameters]uint64) int {
	return int(C.hone_call(C.trampoline(f.trampoline), f.address, (*C.uint64_t)(&words[0])))
}
