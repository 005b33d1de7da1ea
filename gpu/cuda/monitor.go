package cuda

import (
	"fmt"
	"math/bits"
	"os"
	"unsafe"
)

// Monitor reads the state of one device through NVML, without a context. Any
// goroutine may use it.
type Monitor struct {
	lib    *library
	device uintptr
	driver string
}

// Reading is the state of a device at one moment. What the device, the driver or
// the rights of this process do not tell is nil.
type Reading struct {
	Clock       *int      `json:"clock_mhz"` // of the multiprocessors
	MemoryClock *int      `json:"memory_clock_mhz"`
	Temperature *int      `json:"temperature_celsius"`
	Power       *float64  `json:"power_watts"`
	PowerLimit  *float64  `json:"power_limit_watts"`
	Throttle    []string  `json:"throttle"`            // why clocks are held down; empty for no reason
	Utilisation *int      `json:"utilisation_percent"` // of the recent past in which some kernel ran
	MIG         *bool     `json:"mig"`                 // the device is set up to be sliced
	Others      []Process `json:"others"`              // that compute on the device; this process left out
}

// Process is a process with a context on the device. Inside a container its
// number may be that of the host, or the list empty.
type Process struct {
	PID    int     `json:"pid"`
	Memory *uint64 `json:"memory_bytes"`
}

// OpenMonitor loads NVML and finds a device by [Facts].BusID. The error is an
// [Unavailable] where NVML cannot be used at all.
func OpenMonitor(o Options, busID string) (*Monitor, error) {
	lib, err := load("NVML", "nvml", o.driverPaths("libnvidia-ml.so.1"))
	if err != nil {
		return nil, advise(err, "install the NVIDIA driver with its utilities; in a container, allow NVIDIA_DRIVER_CAPABILITIES=compute,utility")
	}
	lib.explain = func(code int) (name, text string) { return "", lib.text("nvmlErrorString", code) }
	if err := lib.call("nvmlInit_v2"); err != nil {
		return nil, noMonitor(err)
	}
	m := &Monitor{lib: lib}
	var version [96]byte
	if err := lib.call("nvmlSystemGetDriverVersion", &version, len(version)); err != nil {
		return nil, fmt.Errorf("read the driver's version: %w", err)
	}
	m.driver = untilNUL(version[:])
	if err := lib.call("nvmlDeviceGetHandleByPciBusId_v2", cText(busID), &m.device); err != nil {
		return nil, fmt.Errorf("find device %s: %w", busID, err)
	}
	return m, nil
}

func noMonitor(err error) error {
	const noPermission, driverNotLoaded, mismatch = 4, 9, 18
	u := Unavailable{Cause: Failed, Reason: fmt.Sprintf("NVML did not start: %s", err), Remedy: "see that nvidia-smi works", Err: err}
	switch codeOf(err) {
	case noPermission:
		u.Cause, u.Reason, u.Remedy = NoPermission, "this user may not ask NVML", "give the user access to /dev/nvidiactl"
	case driverNotLoaded:
		u.Cause, u.Reason, u.Remedy = NoDevice, "the NVIDIA kernel module is not loaded", "load it (modprobe nvidia), or install the driver"
	case mismatch:
		u.Cause, u.Reason = OldDriver, "the NVIDIA kernel module and NVML do not match"
		u.Remedy = "restart the machine after an update of the driver"
	}
	return &u
}

// DriverVersion is the version of the NVIDIA driver: "580.95.05".
func (m *Monitor) DriverVersion() string { return m.driver }

// Read asks for all figures, which takes from one to some tens of milliseconds.
func (m *Monitor) Read() Reading {
	const sm, memory, core = 1, 2, 0
	r := Reading{
		Clock:       m.figure("nvmlDeviceGetClockInfo", sm),
		MemoryClock: m.figure("nvmlDeviceGetClockInfo", memory),
		Temperature: m.figure("nvmlDeviceGetTemperature", core),
		Power:       watts(m.figure("nvmlDeviceGetPowerUsage")),
		PowerLimit:  watts(m.figure("nvmlDeviceGetEnforcedPowerLimit")),
		Throttle:    m.throttle(),
		Others:      m.others(),
	}
	var use utilization
	if m.lib.call("nvmlDeviceGetUtilizationRates", m.device, &use) == nil {
		percent := int(use.gpu)
		r.Utilisation = &percent
	}
	var now, next uint32
	if m.lib.call("nvmlDeviceGetMigMode", m.device, &now, &next) == nil {
		on := now != 0
		r.MIG = &on
	}
	return r
}

// figure is one number of the device, nil where it is not told.
func (m *Monitor) figure(call string, which ...any) *int {
	var value uint32
	args := append(append([]any{m.device}, which...), &value)
	if m.lib.call(call, args...) != nil {
		return nil
	}
	number := int(value)
	return &number
}

// watts converts from NVML's milliwatts.
func watts(milliwatts *int) *float64 {
	if milliwatts == nil {
		return nil
	}
	w := float64(*milliwatts) / 1000
	return &w
}

// throttleWords are the reasons in the order of their bits.
var throttleWords = [...]string{
	"idle", "clocks set by a program", "power limit", "hardware slowdown", "held to a group's clocks",
	"too hot (software)", "too hot (hardware)", "external power brake", "display clocks",
}

// throttle asks by the call's new name and then by its old one.
func (m *Monitor) throttle() []string {
	var mask uint64
	err := m.lib.call("nvmlDeviceGetCurrentClocksEventReasons", m.device, &mask)
	if err != nil {
		err = m.lib.call("nvmlDeviceGetCurrentClocksThrottleReasons", m.device, &mask)
	}
	if err != nil {
		return nil
	}
	return throttleReasons(mask)
}

func throttleReasons(mask uint64) []string {
	reasons := []string{}
	for ; mask != 0; mask &= mask - 1 {
		bit := bits.TrailingZeros64(mask)
		if bit < len(throttleWords) {
			reasons = append(reasons, throttleWords[bit])
		} else {
			reasons = append(reasons, fmt.Sprintf("reason %d", bit))
		}
	}
	return reasons
}

// utilization is NVML's nvmlUtilization_t, in percent.
type utilization struct{ gpu, _ uint32 }

// processInfo is NVML's nvmlProcessInfo_t.
type processInfo struct {
	pid    uint32
	_      uint32
	memory uint64
	_      [2]uint32 // instances, where the device is sliced
}

// unknownMemory is NVML's word for no figure.
const unknownMemory = 1<<64 - 1

// others are the processes beside this one, at most as many as asked for.
func (m *Monitor) others() []Process {
	const most, tooMany = 256, 7 // NVML_ERROR_INSUFFICIENT_SIZE
	found := make([]processInfo, most)
	count := uint32(most)
	err := m.lib.call("nvmlDeviceGetComputeRunningProcesses_v3", m.device, &count, unsafe.SliceData(found))
	if err != nil && codeOf(err) != tooMany {
		return nil
	}
	processes := []Process{}
	for _, p := range found[:min(count, most)] {
		if int(p.pid) == os.Getpid() || p.pid == 0 {
			continue
		}
		other := Process{PID: int(p.pid)}
		if p.memory != unknownMemory {
			other.Memory = &p.memory
		}
		processes = append(processes, other)
	}
	return processes
}
