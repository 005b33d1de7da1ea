//go:build !linux || !cgo || !(amd64 || arm64)

package cuda

import (
	"errors"
	"unsafe"
)

// unsupported says why no library can be loaded.
const unsupported = "this hone was built without cgo, or for a system that hone knows no NVIDIA driver of"

func listed() []function { return nil }

func openLibrary(string) (unsafe.Pointer, error) { return nil, errors.New(unsupported) }

func findFunction(unsafe.Pointer, string) unsafe.Pointer { return nil }

func origin(unsafe.Pointer) string { return "" }

func invoke(function, *[maxParameters]uint64) int { return -1 }
