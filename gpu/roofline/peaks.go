package roofline

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/hone/gpu/cuda"
)

// Schema names the JSON form of [Peaks]. It changes with the way of measuring.
const Schema = "hone.roofline/2"

// The units that do arithmetic, as keys of [Peaks].Compute.
const (
	FP32       = "fp32"
	FP64       = "fp64"
	FP64Matrix = "fp64_matrix"
	TF32Matrix = "tf32_matrix"
	FP16Matrix = "fp16_matrix"
	BF16Matrix = "bf16_matrix"
)

// Peaks are the best that was seen of one device.
type Peaks struct {
	Schema   string       `json:"schema"`
	DeviceID string       `json:"device_id"` // as [cuda.Facts] has it
	Device   string       `json:"device"`    // its name
	Driver   string       `json:"driver"`    // its version, "" when unknown
	NVRTC    cuda.Version `json:"nvrtc"`
	Measured time.Time    `json:"measured"`
	TookMS   float64      `json:"took_ms"`

	// Memory has a curve for each mix of reading and writing, from reading alone
	// to writing alone.
	Memory []Curve `json:"memory"`
	// Spread is the half-width of the 95% interval of the largest copy's median,
	// relative to it. A device that somebody else uses shows a large one.
	Spread float64 `json:"spread"`
	// AddedUS is what two events add to a kernel, in microseconds.
	// It has been taken off all times here.
	AddedUS float64 `json:"added_us"`

	// Compute has the operations a second of each unit that the device has. A
	// multiplication with addition counts as two.
	Compute map[string]float64 `json:"compute"`
	// LowerBound says that the matrix units can do more: this package knows no
	// instruction that reaches their full speed on such a device.
	LowerBound bool `json:"lower_bound"`
}

// Line is one figure for a person.
type Line struct {
	Name  string `json:"name"`  // "copy"
	Value string `json:"value"` // "4180 GB/s"
}

// Lines are the figures in words, for a table.
func (p Peaks) Lines() []Line {
	var lines []Line
	for _, c := range p.Memory {
		if n := len(c.Points); n > 0 {
			last := c.Points[n-1]
			lines = append(lines, Line{c.Name(), fmt.Sprintf("%.0f GB/s over %d MiB, %.1f us at least",
				gigabytes(last.Bytes, last.US), last.Bytes>>20, c.Points[0].US)})
		}
	}
	for _, unit := range slices.Sorted(maps.Keys(p.Compute)) {
		value := fmt.Sprintf("%.1f TFLOP/s", p.Compute[unit]/1e12)
		if p.LowerBound && strings.HasSuffix(unit, "_matrix") {
			value += " or more"
		}
		lines = append(lines, Line{unit, value})
	}
	return lines
}

// gigabytes are those a second.
func gigabytes(bytes int64, us float64) float64 { return float64(bytes) / us / 1e3 }
