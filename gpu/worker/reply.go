package worker

import (
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/process"
)

// The bounds of what one answer may list.
const (
	maxKernels  = 64
	maxFindings = 64
)

// CallResult is what a worker says of one call. All of it is a claim.
type CallResult struct {
	Wall     time.Duration // of all repetitions together
	Kernels  []gpu.Resources
	Findings []gpu.Finding
}

func parseCall(lines [][]string) (CallResult, error) {
	var result CallResult
	err := process.ReadLines(lines, func(key string, fields *process.Fields) bool {
		switch key {
		case "wall_ns":
			result.Wall = time.Duration(fields.Count())
		case "kernel":
			result.Kernels = append(result.Kernels, readKernel(fields))
		case "finding":
			result.Findings = append(result.Findings, readFinding(fields))
		default:
			return false
		}
		return true
	})
	if err == nil && (len(result.Kernels) > maxKernels || len(result.Findings) > maxFindings) {
		err = process.Malformedf("an answer lists more than %d kernels or %d findings", maxKernels, maxFindings)
	}
	return result, err
}

func readKernel(fields *process.Fields) gpu.Resources {
	return gpu.Resources{
		Kernel:      fields.Text(),
		Launches:    fields.Count(),
		Grid:        fields.Point(),
		Block:       fields.Point(),
		SharedBytes: fields.Count(),
	}
}

func readFinding(fields *process.Fields) gpu.Finding {
	f := gpu.Finding{Kind: fields.Text(), Severity: fields.Text(), Line: int(fields.Count()), Evidence: fields.Text()}
	if f.Kind == "" || (f.Severity != "error" && f.Severity != "suspect" && f.Severity != "warning") {
		fields.Refuse()
	}
	return f
}
