package cuda

import (
	"errors"
	"fmt"
	"unsafe"
)

// Pointer is an address in a device's memory.
type Pointer uint64

// Alloc takes bytes of device memory, aligned to 256.
func (c *Context) Alloc(bytes uint64) (Pointer, error) {
	var p Pointer
	if err := c.call("cuMemAlloc_v2", &p, bytes); err != nil {
		return 0, fmt.Errorf("allocate %d bytes on the device: %w", bytes, err)
	}
	return p, nil
}

// Free gives back what [Context.Alloc] took. Work that uses it must have ended.
func (c *Context) Free(p Pointer) error { return c.call("cuMemFree_v2", p) }

// MemoryInfo is how many bytes of the device's memory are free, and how many
// there are, all processes counted.
func (c *Context) MemoryInfo() (free, total uint64, err error) {
	err = c.call("cuMemGetInfo_v2", &free, &total)
	return free, total, err
}

// Upload copies to the device, and returns when src may change.
func (c *Context) Upload(dst Pointer, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	return c.call("cuMemcpyHtoD_v2", dst, unsafe.SliceData(src), len(src))
}

// Download copies from the device, after all work of the default stream.
func (c *Context) Download(dst []byte, src Pointer) error {
	if len(dst) == 0 {
		return nil
	}
	return c.call("cuMemcpyDtoH_v2", unsafe.SliceData(dst), src, len(dst))
}

// Copy copies bytes within the device, in the order of the stream.
func (c *Context) Copy(dst, src Pointer, bytes uint64, s Stream) error {
	return c.call("cuMemcpyDtoDAsync_v2", dst, src, bytes, s)
}

// Fill8 sets bytes to a value, in the order of the stream.
func (c *Context) Fill8(dst Pointer, value byte, bytes uint64, s Stream) error {
	return c.call("cuMemsetD8Async", dst, value, bytes, s)
}

// Fill32 sets words of four bytes to a value, in the order of the stream. The
// address must be a multiple of four.
func (c *Context) Fill32(dst Pointer, value uint32, words uint64, s Stream) error {
	return c.call("cuMemsetD32Async", dst, value, words, s)
}

// HostMemory is memory of the host that the device reads and writes directly. It
// is no Go memory: after [Context.FreeHost] its bytes must not be touched.
type HostMemory struct {
	address unsafe.Pointer
	size    uint64
}

// AllocHost takes bytes of pinned host memory.
func (c *Context) AllocHost(bytes uint64) (HostMemory, error) {
	h := HostMemory{size: bytes}
	if err := c.call("cuMemHostAlloc", &h.address, bytes, 0); err != nil {
		return HostMemory{}, fmt.Errorf("allocate %d bytes of pinned host memory: %w", bytes, err)
	}
	return h, nil
}

// FreeHost gives back pinned memory. Copies that use it must have ended.
func (c *Context) FreeHost(h HostMemory) error { return c.call("cuMemFreeHost", h.address) }

// Bytes is the memory.
func (h HostMemory) Bytes() []byte { return unsafe.Slice((*byte)(h.address), h.size) }

var errBeyondHost = errors.New("copy beyond the end of the pinned memory")

// UploadFrom starts a copy of the first bytes of pinned memory to the device.
func (c *Context) UploadFrom(dst Pointer, src HostMemory, bytes uint64, s Stream) error {
	if bytes > src.size {
		return errBeyondHost
	}
	return c.call("cuMemcpyHtoDAsync_v2", dst, src.address, bytes, s)
}

// DownloadTo starts a copy from the device to the start of pinned memory.
func (c *Context) DownloadTo(dst HostMemory, src Pointer, bytes uint64, s Stream) error {
	if bytes > dst.size {
		return errBeyondHost
	}
	return c.call("cuMemcpyDtoHAsync_v2", dst.address, src, bytes, s)
}
