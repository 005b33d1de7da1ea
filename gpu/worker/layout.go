package worker

import "os"

// alignment is what cudaMalloc promises of an address.
const alignment = 256

// Layout places a tensor's bytes in the file of its buffer. Judge and worker
// compute it alike.
type Layout struct {
	Size   int64 // of the file
	Offset int64 // of the first byte of data
}

// LayoutOf is the layout of so many bytes of data, at least one.
func LayoutOf(bytes int64) Layout {
	page := int64(os.Getpagesize())
	size := ((bytes+page-1)/page + 1) * page
	return Layout{Size: size, Offset: (size - bytes) / alignment * alignment}
}
