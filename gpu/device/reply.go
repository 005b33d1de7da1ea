package device

import (
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/process"
)

// maxKernels bounds what one answer may list.
const maxKernels = 64

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

func parseCall(lines [][]string) (CallResult, error) {
	var result CallResult
	err := process.ReadLines(lines, func(key string, fields *process.Fields) bool {
		switch key {
		case "wall_ns":
			result.Wall = time.Duration(fields.Count())
		case "kernel":
			result.Kernels = append(result.Kernels, readKernel(fields))
		default:
			return false
		}
		return true
	})
	if err == nil && len(result.Kernels) > maxKernels {
		err = process.Malformedf("an answer lists more than %d kernels", maxKernels)
	}
	return result, err
}

func readKernel(fields *process.Fields) gpu.Resources {
	k := gpu.Resources{
		Kernel: fields.Text(), Launches: fields.Count(), Grid: fields.Point(), Block: fields.Point(), SharedBytes: fields.Count(),
	}
	registers := int(fields.Count())
	k.Registers = &registers
	fields.Count() // local memory: the stack as well as spills, which package compile knows apart
	if held, most := fields.Count(), fields.Count(); most > 0 && held > 0 {
		occupancy := float64(held) / float64(most)
		k.Occupancy = &occupancy
	}
	k.Limiter = fields.Text()
	return k
}

// parseTime reads an answer that must have the samples asked for, no fewer.
func parseTime(lines [][]string, samples int) (TimeResult, error) {
	var result TimeResult
	err := process.ReadLines(lines, func(key string, fields *process.Fields) bool {
		switch key {
		case "wall_ns":
			result.Wall = time.Duration(fields.Count())
		case "empty_ns":
			result.Empty = time.Duration(fields.Count())
		case "samples":
			for fields.More() {
				result.Samples = append(result.Samples, time.Duration(fields.Count()))
			}
		default:
			return false
		}
		return true
	})
	if err == nil && len(result.Samples) != samples {
		err = process.Malformedf("an answer has %d samples instead of %d", len(result.Samples), samples)
	}
	return result, err
}
