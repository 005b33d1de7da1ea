package device

import (
	"time"

	"example.com/hone/gpu"
)

// The bounds of what one answer may list.
const (
	maxLayers  = 32
	maxKernels = 64
)

// CallResult is what a worker says of one call. All of it is a claim.
type CallResult struct {
	Wall    time.Duration   // of all repetitions together, the device waited for
	Kernels []gpu.Resources // launches are those of the first repetition
}

// TimeResult is what a worker says of timed calls. All of it is a claim.
type TimeResult struct {
	Wall    time.Duration // of all samples with everything between them
	Empty   time.Duration // what the events show around nothing: the median of some pairs
	Samples []time.Duration
}

// parseHello reads the layers of containment that the worker put on itself.
func parseHello(lines [][]string) (map[string]string, error) {
	if len(lines) == 0 || len(lines) > maxLayers || len(lines[0]) != 2 || lines[0][0] != "protocol" || lines[0][1] != "1" {
		return nil, malformedf("the greeting does not speak protocol 1")
	}
	layers := make(map[string]string)
	for _, line := range lines[1:] {
		fields := fieldReader{fields: line}
		key, name, state := fields.text(), fields.text(), fields.text()
		if key != "layer" || !fields.complete() {
			return nil, malformedf("the greeting has an unknown line")
		}
		layers[name] = state
	}
	return layers, nil
}

func parseCall(lines [][]string) (CallResult, error) {
	var result CallResult
	for _, line := range lines {
		fields := fieldReader{fields: line}
		switch key := fields.text(); key {
		case "wall_ns":
			result.Wall = time.Duration(fields.count())
		case "kernel":
			result.Kernels = append(result.Kernels, fields.kernel())
		default:
			return CallResult{}, malformedf("an answer has the unknown line %q", key)
		}
		if !fields.complete() || len(result.Kernels) > maxKernels {
			return CallResult{}, malformedf("an answer has a bad line, or too many")
		}
	}
	return result, nil
}

func (r *fieldReader) kernel() gpu.Resources {
	k := gpu.Resources{
		Kernel: r.text(), Launches: r.count(), Grid: r.point(), Block: r.point(), SharedBytes: r.count(),
	}
	registers := int(r.count())
	k.Registers = &registers
	r.count() // local memory: the stack as well as spills, which package compile knows apart
	if held, most := r.count(), r.count(); most > 0 && held > 0 {
		occupancy := float64(held) / float64(most)
		k.Occupancy = &occupancy
	}
	k.Limiter = r.text()
	return k
}

// parseTime reads an answer that must have the samples asked for, no fewer.
func parseTime(lines [][]string, samples int) (TimeResult, error) {
	var result TimeResult
	for _, line := range lines {
		fields := fieldReader{fields: line}
		switch key := fields.text(); key {
		case "wall_ns":
			result.Wall = time.Duration(fields.count())
		case "empty_ns":
			result.Empty = time.Duration(fields.count())
		case "samples":
			for len(fields.fields) > 0 && !fields.bad {
				result.Samples = append(result.Samples, time.Duration(fields.count()))
			}
		default:
			return TimeResult{}, malformedf("an answer has the unknown line %q", key)
		}
		if !fields.complete() {
			return TimeResult{}, malformedf("an answer has a bad line")
		}
	}
	if len(result.Samples) != samples {
		return TimeResult{}, malformedf("an answer has %d samples instead of %d", len(result.Samples), samples)
	}
	return result, nil
}
