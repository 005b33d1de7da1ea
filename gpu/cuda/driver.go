package cuda

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Version is a version of CUDA or of NVRTC.
type Version struct {
	Major int `json:"major"`
	Minor int `json:"minor"`
}

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

func (v Version) before(other Version) bool {
	return v.Major < other.Major || v.Major == other.Major && v.Minor < other.Minor
}

// oldest is the CUDA version of the oldest driver that hone works with: an older
// one loads no cubin of a compiler that anybody still ships.
var oldest = Version{12, 0}

// Driver is libcuda, initialised. Any goroutine may use it.
type Driver struct {
	lib     *library
	version Version
}

// Open loads libcuda and initialises it, which takes about 0.1 s and can hang
// where the driver is broken. The error is an [Unavailable].
func Open(o Options) (*Driver, error) { return open(o, "/dev") }

// open is Open with the folder of the device nodes.
func open(o Options, devices string) (*Driver, error) {
	lib, err := load("libcuda", "cu", o.driverPaths("libcuda.so.1"))
	if err != nil {
		return nil, advise(err, "install the NVIDIA driver, version 525 or newer; in a container, start it with the GPU (--gpus all)")
	}
	d := &Driver{lib: lib}
	lib.explain = d.explain
	if err := d.readVersion(); err != nil {
		return nil, err
	}
	if err := lib.call("cuInit", 0); err != nil {
		return nil, cannotStart(err, devices)
	}
	return d, nil
}

// readVersion comes before cuInit, which some old drivers fail without saying why.
func (d *Driver) readVersion() error {
	var v int32
	if err := d.lib.call("cuDriverGetVersion", &v); err != nil {
		return cannotStart(err, "")
	}
	d.version = Version{int(v / 1000), int(v % 1000 / 10)}
	if d.version.before(oldest) {
		return &Unavailable{
			Cause:  OldDriver,
			Reason: fmt.Sprintf("the NVIDIA driver supports CUDA %s, and hone needs %s", d.version, oldest),
			Remedy: "install driver 525 or newer",
		}
	}
	return nil
}

// Version is the newest CUDA version that the driver supports.
func (d *Driver) Version() Version { return d.version }

// Devices is the number of devices that this process may use.
func (d *Driver) Devices() (int, error) {
	var n int32
	if err := d.lib.call("cuDeviceGetCount", &n); err != nil {
		return 0, fmt.Errorf("count devices: %w", err)
	}
	return int(n), nil
}

// explain names a code of the driver.
func (d *Driver) explain(code int) (name, text string) {
	name, text = d.lib.text("cuGetErrorName", code), d.lib.text("cuGetErrorString", code)
	if text == "" {
		text = "a code that this driver does not know"
	}
	return name, text
}

// advise gives an Unavailable its remedy, and says why nothing can be loaded
// where this build cannot.
func advise(err error, remedy string) error {
	u, ok := errors.AsType[*Unavailable](err)
	if !ok {
		return err
	}
	if unsupported != "" {
		return &Unavailable{Cause: NotBuilt, Reason: unsupported, Remedy: "build hone on Linux with gcc and CGO_ENABLED=1 to use an NVIDIA device"}
	}
	u.Remedy = remedy
	if u.Cause == NoSymbol {
		u.Remedy = "it is too old or damaged: " + remedy
	}
	return u
}

// noDeviceCode is the driver's code where it sees no device.
const noDeviceCode = 100

// cannotStart says what a failure to initialise means.
func cannotStart(err error, devices string) error {
	u := Unavailable{Err: err}
	switch codeOf(err) {
	case noDeviceCode, 101:
		u.Cause, u.Reason, u.Remedy = noDevice(devices)
	case 304:
		u.Cause, u.Reason = NoPermission, "the system refused the NVIDIA driver something that it needs"
		u.Remedy = "a sandbox must leave it /dev/nvidia*, /sys and /proc readable, /proc/self/task/*/comm writable, and memfd_create allowed"
	case 34:
		u.Cause, u.Reason = NoLibrary, "the libcuda that was found is the toolkit's stub, not the driver"
		u.Remedy = "take the toolkit's stubs folder out of LD_LIBRARY_PATH, and install the NVIDIA driver"
	case 46:
		u.Cause, u.Reason, u.Remedy = inUse()
	case 802:
		u.Cause, u.Reason = Failed, "the machine's GPUs are not ready yet"
		u.Remedy = "wait a moment, and see that the NVIDIA fabric manager runs"
	case 803, 804:
		u.Cause, u.Reason = OldDriver, "the NVIDIA kernel module and libcuda do not match"
		u.Remedy = "restart the machine after an update of the driver, or take the compatibility libcuda out of LD_LIBRARY_PATH"
	default:
		u.Cause, u.Reason = Failed, fmt.Sprintf("the NVIDIA driver did not start: %s", err)
		u.Remedy = "see that nvidia-smi works and that the module nvidia-uvm is loaded (nvidia-modprobe -u -c=0), or restart the machine"
	}
	return &u
}

// noDevice tells a machine without a device from one that hides it.
func noDevice(devices string) (cause Cause, reason, remedy string) {
	node := devices + "/nvidiactl"
	f, err := os.OpenFile(node, os.O_RDWR, 0)
	if err == nil {
		_ = f.Close()
	}
	if errors.Is(err, fs.ErrPermission) {
		return NoPermission, "this user may not open " + node, "add the user to the group that owns " + node + " (often video or render)"
	}
	return NoDevice, "the NVIDIA driver finds no device that this process may use",
		"see that nvidia-smi lists one, and that CUDA_VISIBLE_DEVICES does not hide it; in a container, start it with the GPU (--gpus all)"
}

func inUse() (cause Cause, reason, remedy string) {
	return InUse, "another process holds the device, or its compute mode forbids use",
		"end the other process (nvidia-smi lists them), or set the compute mode to default"
}
