package cuda

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Facts are what a device is. They do not change while it is open.
type Facts struct {
	Index      int     `json:"index"`  // in the driver's order
	Name       string  `json:"name"`   // "NVIDIA H200"
	ID         string  `json:"id"`     // of this very device: a hash of its UUID
	BusID      string  `json:"bus_id"` // PCI address, by which [OpenMonitor] finds it
	Capability Version `json:"capability"`
	CUDA       Version `json:"cuda"` // newest that the driver supports

	Memory      uint64 `json:"memory_bytes"`
	L2          int    `json:"l2_bytes"`
	BusWidth    int    `json:"bus_width_bits"`
	Clock       int    `json:"clock_mhz"`        // highest of the multiprocessors
	MemoryClock int    `json:"memory_clock_mhz"` // highest
	ECC         bool   `json:"ecc"`
	MIG         bool   `json:"mig"` // a slice of a device, not a whole one

	SMs                 int `json:"sms"`
	WarpSize            int `json:"warp_size"`
	MaxThreadsPerBlock  int `json:"max_threads_per_block"`
	MaxThreadsPerSM     int `json:"max_threads_per_sm"`
	MaxBlocksPerSM      int `json:"max_blocks_per_sm"`
	RegistersPerSM      int `json:"registers_per_sm"`
	SharedPerSM         int `json:"shared_per_sm_bytes"`
	SharedPerBlock      int `json:"shared_per_block_bytes"`        // without asking
	SharedPerBlockOptIn int `json:"shared_per_block_opt_in_bytes"` // after [Context.AllowDynamicShared]

	ShareMemory bool `json:"share_memory"` // [Context.AllocShared] works
}

// SM is the architecture as compilers name it: "sm_90".
func (f Facts) SM() string {
	return strings.ReplaceAll("sm_"+f.Capability.String(), ".", "")
}

// Facts are those of a device by its place in the driver's order. They need no
// context, and disturb nobody on the device.
func (d *Driver) Facts(index int) (Facts, error) {
	handle, err := d.handle(index)
	if err != nil {
		return Facts{}, err
	}
	f := Facts{Index: index, CUDA: d.version}
	if err := d.readFacts(&f, handle); err != nil {
		return Facts{}, fmt.Errorf("read the facts of device %d: %w", index, err)
	}
	return f, nil
}

// handle is the driver's own number of a device.
func (d *Driver) handle(index int) (int32, error) {
	n, err := d.Devices()
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, cannotStart(&Error{Library: d.lib.name, Call: "cuDeviceGetCount", Code: noDeviceCode, Text: "no device"}, "/dev")
	}
	if index < 0 || index >= n {
		return 0, fmt.Errorf("open device %d: there are %d, counted from 0", index, n)
	}
	var handle int32
	if err := d.lib.call("cuDeviceGet", &handle, index); err != nil {
		return 0, fmt.Errorf("open device %d: %w", index, err)
	}
	return handle, nil
}

func (d *Driver) readFacts(f *Facts, handle int32) (err error) {
	if f.Name, err = d.deviceText("cuDeviceGetName", handle); err != nil {
		return err
	}
	if f.BusID, err = d.deviceText("cuDeviceGetPCIBusId", handle); err != nil {
		return err
	}
	if f.ID, err = d.identify(handle); err != nil {
		return err
	}
	f.MIG = strings.Contains(f.Name, " MIG ")
	if err = d.lib.call("cuDeviceTotalMem_v2", &f.Memory, handle); err != nil {
		return err
	}
	return d.readAttributes(f, handle)
}

// attribute numbers are those of the driver's enumeration.
type attribute struct {
	number int
	store  func(value int)
}

func into(target *int) func(int)     { return func(v int) { *target = v } }
func yesInto(target *bool) func(int) { return func(v int) { *target = v != 0 } }

func (d *Driver) readAttributes(f *Facts, handle int32) error {
	var addressing, descriptors bool
	for _, a := range []attribute{
		{75, into(&f.Capability.Major)}, {76, into(&f.Capability.Minor)},
		{38, into(&f.L2)}, {37, into(&f.BusWidth)}, {32, yesInto(&f.ECC)},
		{13, into(&f.Clock)}, {36, into(&f.MemoryClock)},
		{16, into(&f.SMs)}, {10, into(&f.WarpSize)},
		{1, into(&f.MaxThreadsPerBlock)}, {39, into(&f.MaxThreadsPerSM)}, {106, into(&f.MaxBlocksPerSM)},
		{82, into(&f.RegistersPerSM)},
		{81, into(&f.SharedPerSM)}, {8, into(&f.SharedPerBlock)}, {97, into(&f.SharedPerBlockOptIn)},
		{102, yesInto(&addressing)}, {103, yesInto(&descriptors)},
	} {
		var value int32
		if err := d.lib.call("cuDeviceGetAttribute", &value, a.number, handle); err != nil {
			return err
		}
		a.store(int(value))
	}
	f.Clock /= 1000 // the driver counts in kHz
	f.MemoryClock /= 1000
	f.ShareMemory = addressing && descriptors
	return nil
}

func (d *Driver) deviceText(call string, handle int32) (string, error) {
	var buffer [256]byte
	err := d.lib.call(call, &buffer, len(buffer), handle)
	return untilNUL(buffer[:]), err
}

// identify tells this device from every other without telling its UUID. The
// second version of the call tells slices of one device apart.
func (d *Driver) identify(handle int32) (string, error) {
	call := "cuDeviceGetUuid"
	if d.lib.has("cuDeviceGetUuid_v2") {
		call = "cuDeviceGetUuid_v2"
	}
	var uuid [16]byte
	err := d.lib.call(call, &uuid, handle)
	sum := sha256.Sum256(uuid[:])
	return hex.EncodeToString(sum[:8]), err
}
