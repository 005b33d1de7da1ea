package roofline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"example.com/hone/gpu/cuda"
)

// KeepError says that peaks were measured and could not be kept in a file.
type KeepError struct {
	Path string
	Err  error
}

func (e *KeepError) Error() string {
	return fmt.Sprintf("keep the measured peaks in %s: %v: make the folder writable, or they are measured at every start", e.Path, e.Err)
}

func (e *KeepError) Unwrap() error { return e.Err }

// steady is the largest spread of peaks that are worth keeping: somebody else
// was using the device while others were measured.
const steady = 0.1

// Load has the peaks of a device from its file in a folder, or measures them and
// writes the file. Another device, driver, compiler or schema makes it measure
// again, as a damaged file does. Peaks of an unsteady device are not kept. It
// tells whether they came from the file. With a [KeepError] the peaks are
// complete, with any other error they are not.
func Load(ctx context.Context, dev *cuda.Device, nvrtc *cuda.Compiler, folder, driver string) (Peaks, bool, error) {
	path := filepath.Join(folder, "roofline-"+dev.Facts().ID+".json")
	want := identity(dev.Facts(), driver, nvrtc.Version())
	if p, ok := read(path, want); ok {
		return p, true, nil
	}
	p, err := Measure(ctx, dev, nvrtc)
	if err != nil {
		return Peaks{}, false, err
	}
	p.Driver = driver
	if p.Spread > steady {
		return p, false, nil
	}
	return p, false, write(path, p)
}

// identity is what must be the same for peaks to be used again.
func identity(f cuda.Facts, driver string, nvrtc cuda.Version) Peaks {
	return Peaks{Schema: Schema, DeviceID: f.ID, Device: f.Name, Driver: driver, NVRTC: nvrtc}
}

func (p Peaks) sameAs(want Peaks) bool {
	return p.Schema == want.Schema && p.DeviceID == want.DeviceID && p.Device == want.Device &&
		p.Driver == want.Driver && p.NVRTC == want.NVRTC
}

// valid reports whether the peaks answer for every task.
func (p Peaks) valid() bool {
	for _, flops := range p.Compute {
		if !(flops > 0) || math.IsInf(flops, 0) {
			return false
		}
	}
	for i, c := range p.Memory {
		if !c.valid() || i > 0 && c.share() <= p.Memory[i-1].share() {
			return false
		}
	}
	return len(p.Memory) > 0
}

// read has the peaks of a file that is whole and about the wanted device.
func read(path string, want Peaks) (Peaks, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Peaks{}, false
	}
	var p Peaks
	if json.Unmarshal(text, &p) != nil || !p.sameAs(want) || !p.valid() {
		return Peaks{}, false
	}
	return p, true
}

// write makes the file appear at once, so that nobody reads half of it.
func write(path string, p Peaks) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = replace(path, p)
	}
	if err != nil {
		return &KeepError{Path: path, Err: err}
	}
	return nil
}

func replace(path string, p Peaks) error {
	text, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".roofline-*")
	if err != nil {
		return err
	}
	_, err = f.Write(slices.Concat(text, []byte("\n")))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
