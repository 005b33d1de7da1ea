package device

import (
	"strings"
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

// ReadKernels reads the kernels that a process with this package's library says it
// launched: lines as in the answer to a call.
func ReadKernels(lines []string) ([]gpu.Resources, error) {
	split := make([][]string, len(lines))
	for i, line := range lines {
		split[i] = strings.Split(line, "\t")
	}
	result, err := parseCall(split)
	return result.Kernels, err
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
