package cuda

import (
	"errors"
	"fmt"
	"os"
)

// Shared is device memory that another process can map too, by a file.
type Shared struct {
	Address Pointer
	Size    uint64 // bytes, rounded up to what the device maps at once
	handle  uint64
}

// Access is what a process may do with memory that it maps.
type Access int32

// The rights of a mapping. A kernel that stores through a ReadOnly one ends with
// an illegal address, and what it stored does not arrive.
const (
	ReadOnly  Access = 1
	ReadWrite Access = 3
)

// The driver's numbers for what share.go asks of it.
const (
	pinnedMemory   = 1 // CU_MEM_ALLOCATION_TYPE_PINNED
	fileDescriptor = 1 // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
	deviceMemory   = 1 // CU_MEM_LOCATION_TYPE_DEVICE
	minimum        = 0 // CU_MEM_ALLOC_GRANULARITY_MINIMUM
)

// location is the driver's CUmemLocation.
type location struct {
	kind   int32
	device int32
}

// allocation is the driver's CUmemAllocationProp.
type allocation struct {
	kind        int32
	handleTypes int32
	location    location
	_           uintptr // for other systems
	_           [8]byte // compression and direct access by other devices: neither
}

// rights is the driver's CUmemAccessDesc.
type rights struct {
	location location
	access   Access
}

// AllocShared takes at least so many bytes of device memory, mapped for reading
// and writing, that [Shared.Export] can share.
func (c *Context) AllocShared(bytes uint64) (Shared, error) {
	want := allocation{kind: pinnedMemory, handleTypes: fileDescriptor, location: location{deviceMemory, c.device.handle}}
	var step uint64
	if err := c.call("cuMemGetAllocationGranularity", &step, &want, minimum); err != nil {
		return Shared{}, fmt.Errorf("ask for the granularity of shared device memory: %w", err)
	}
	s := Shared{Size: max(1, (bytes+step-1)/step) * step}
	if err := c.call("cuMemCreate", &s.handle, s.Size, &want, 0); err != nil {
		return Shared{}, fmt.Errorf("allocate %d bytes of shared device memory: %w", s.Size, err)
	}
	return c.mapped(s, ReadWrite)
}

// Export is a file that stands for the memory. The caller passes it to another
// process and closes it; the memory lives until the last process lets it go.
func (c *Context) Export(s Shared) (*os.File, error) {
	var fd int32
	if err := c.call("cuMemExportToShareableHandle", &fd, s.handle, fileDescriptor, 0); err != nil {
		return nil, fmt.Errorf("export shared device memory: %w", err)
	}
	return os.NewFile(uintptr(fd), "device memory"), nil
}

// Import maps memory that another process exported. The size is that of its
// Shared: a larger one fails. The file may be closed afterwards.
func (c *Context) Import(file *os.File, size uint64, access Access) (Shared, error) {
	s := Shared{Size: size}
	if err := c.call("cuMemImportFromShareableHandle", &s.handle, uint64(file.Fd()), fileDescriptor); err != nil {
		return Shared{}, fmt.Errorf("import shared device memory: %w", err)
	}
	return c.mapped(s, access)
}

// mapped gives memory an address, or lets it go.
func (c *Context) mapped(s Shared, access Access) (Shared, error) {
	err := c.call("cuMemAddressReserve", &s.Address, s.Size, 0, 0, 0)
	if err != nil {
		return Shared{}, errors.Join(fmt.Errorf("reserve addresses for shared device memory: %w", err), c.call("cuMemRelease", s.handle))
	}
	if err := c.call("cuMemMap", s.Address, s.Size, 0, s.handle, 0); err != nil {
		return Shared{}, errors.Join(fmt.Errorf("map shared device memory: %w", err),
			c.call("cuMemAddressFree", s.Address, s.Size), c.call("cuMemRelease", s.handle))
	}
	grant := rights{location{deviceMemory, c.device.handle}, access}
	if err := c.call("cuMemSetAccess", s.Address, s.Size, &grant, 1); err != nil {
		return Shared{}, errors.Join(fmt.Errorf("allow access to shared device memory: %w", err), c.FreeShared(s))
	}
	return s, nil
}

// FreeShared lets this process's part of shared memory go. Work that uses it must
// have ended.
func (c *Context) FreeShared(s Shared) error {
	return errors.Join(
		c.call("cuMemUnmap", s.Address, s.Size),
		c.call("cuMemAddressFree", s.Address, s.Size),
		c.call("cuMemRelease", s.handle))
}
