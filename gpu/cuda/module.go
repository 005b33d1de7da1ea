package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"unsafe"
)

// Module is a loaded cubin.
type Module uintptr

// Function is a kernel of a module. It lives as long as the module.
type Function uintptr

// Load loads a cubin, or PTX, which the driver then compiles.
func (c *Context) Load(image []byte) (Module, error) {
	if len(image) == 0 {
		return 0, errors.New("load module: it is empty")
	}
	var m Module
	text := append(slices.Clip(image), 0) // PTX is read up to a NUL
	if err := c.call("cuModuleLoadData", &m, unsafe.SliceData(text)); err != nil {
		return 0, fmt.Errorf("load module: %w", err)
	}
	return m, nil
}

// Unload removes a module. Its kernels must have ended.
func (c *Context) Unload(m Module) error { return c.call("cuModuleUnload", m) }

// Function finds a kernel by its name in the module: the lowered one.
func (c *Context) Function(m Module, name string) (Function, error) {
	var f Function
	if err := c.call("cuModuleGetFunction", &f, m, cText(name)); err != nil {
		return 0, fmt.Errorf("find kernel %s in module: %w", name, err)
	}
	return f, nil
}

// Resources are what a kernel needs.
type Resources struct {
	MaxThreadsPerBlock int // that it can be launched with
	Registers          int // per thread
	Local              int // bytes per thread: stack and spilled registers
	Shared             int // bytes per block, without the dynamic ones
	Constant           int // bytes
	MaxDynamicShared   int // bytes per block that may be asked for now
}

// Resources asks what a kernel needs.
func (c *Context) Resources(f Function) (Resources, error) {
	var r Resources
	for _, a := range []attribute{
		{0, into(&r.MaxThreadsPerBlock)}, {1, into(&r.Shared)}, {2, into(&r.Constant)},
		{3, into(&r.Local)}, {4, into(&r.Registers)}, {8, into(&r.MaxDynamicShared)},
	} {
		var value int32
		if err := c.call("cuFuncGetAttribute", &value, a.number, f); err != nil {
			return r, fmt.Errorf("read the resources of a kernel: %w", err)
		}
		a.store(int(value))
	}
	return r, nil
}

// AllowDynamicShared lets launches of a kernel ask for so many bytes of dynamic
// shared memory, which beyond 48 KiB they may not without.
func (c *Context) AllowDynamicShared(f Function, bytes int) error {
	const maxDynamicShared = 8
	if err := c.call("cuFuncSetAttribute", f, maxDynamicShared, bytes); err != nil {
		return fmt.Errorf("allow %d bytes of dynamic shared memory: %w", bytes, err)
	}
	return nil
}

// Parameter is where a kernel expects one of its arguments.
type Parameter struct {
	Offset, Size uint64 // bytes
}

// Parameters are those of a kernel. Drivers before CUDA 12.4 do not tell: nil.
func (c *Context) Parameters(f Function) ([]Parameter, error) {
	if !c.device.driver.lib.has("cuFuncGetParamInfo") {
		return nil, nil
	}
	const invalidValue = 1 // beyond the last parameter
	params := []Parameter{}
	for {
		var p Parameter
		switch err := c.call("cuFuncGetParamInfo", f, len(params), &p.Offset, &p.Size); {
		case codeOf(err) == invalidValue:
			return params, nil
		case err != nil:
			return nil, fmt.Errorf("read the parameters of a kernel: %w", err)
		}
		params = append(params, p)
	}
}

// Occupancy is how many blocks of a kernel a multiprocessor holds at once.
func (c *Context) Occupancy(f Function, threads, dynamicShared int) (int, error) {
	var blocks int32
	if err := c.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &blocks, f, threads, dynamicShared); err != nil {
		return 0, fmt.Errorf("compute occupancy: %w", err)
	}
	return int(blocks), nil
}

// Dim is the shape of a grid or of a block.
type Dim struct{ X, Y, Z uint32 }

// Launch is how a kernel is launched.
type Launch struct {
	Grid, Block Dim
	Shared      int // bytes of dynamic shared memory per block
	Stream      Stream
}

// check refuses what the driver would call no more than an invalid value.
func (l Launch) check(f Facts) error {
	threads := uint64(l.Block.X) * uint64(l.Block.Y) * uint64(l.Block.Z)
	switch {
	case l.Grid.X == 0 || l.Grid.Y == 0 || l.Grid.Z == 0:
		return fmt.Errorf("the grid %v has no blocks", l.Grid)
	case l.Grid.X > 1<<31-1 || l.Grid.Y > 1<<16-1 || l.Grid.Z > 1<<16-1:
		return fmt.Errorf("the grid %v is beyond {2147483647 65535 65535}", l.Grid)
	case threads == 0:
		return fmt.Errorf("the block %v has no threads", l.Block)
	case l.Block.Z > 64 || threads > uint64(f.MaxThreadsPerBlock):
		return fmt.Errorf("the block %v has more than %d threads, or more than 64 in z", l.Block, f.MaxThreadsPerBlock)
	case l.Shared < 0 || l.Shared > f.SharedPerBlockOptIn:
		return fmt.Errorf("%d bytes of dynamic shared memory: a block has %d", l.Shared, f.SharedPerBlockOptIn)
	}
	return nil
}

// Launch starts a kernel with arguments of fixed size: [Pointer], [Struct], bool,
// and Go's sized numbers. It returns once the kernel is queued.
func (c *Context) Launch(f Function, l Launch, args ...any) error {
	if err := l.check(c.device.facts); err != nil {
		return fmt.Errorf("launch kernel: %w", err)
	}
	packed, err := pack(args)
	if err != nil {
		return fmt.Errorf("launch kernel: %w", err)
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	err = c.call("cuLaunchKernel", f, l.Grid.X, l.Grid.Y, l.Grid.Z, l.Block.X, l.Block.Y, l.Block.Z,
		l.Shared, l.Stream, uintptr(0), launchBuffer(&pins, packed))
	if err != nil {
		return fmt.Errorf("launch kernel: %w", err)
	}
	return nil
}

// launchBuffer names packed arguments as cuLaunchKernel's last parameter does: a
// list of keys and values. The driver copies them before it returns.
func launchBuffer(pins *runtime.Pinner, packed []byte) *[5]uintptr {
	const end, pointer, length = 0, 1, 2
	if len(packed) == 0 {
		return &[5]uintptr{end}
	}
	size := uint64(len(packed))
	pins.Pin(unsafe.SliceData(packed))
	pins.Pin(&size)
	return &[5]uintptr{
		pointer, uintptr(unsafe.Pointer(unsafe.SliceData(packed))),
		length, uintptr(unsafe.Pointer(&size)), end,
	}
}
