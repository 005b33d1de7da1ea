package candidate

import (
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/process"
	"example.com/hone/gpu/worker"
)

// The kinds of fault that an answer has beside those of package process. Line is in
// the answer's file.
const (
	FaultImport      process.FaultKind = "import"      // executing the file raised, or it does not parse
	FaultMissing     process.FaultKind = "missing"     // the file defines no ModelNew
	FaultInit        process.FaultKind = "init"        // ModelNew cannot be made
	FaultRuntime     process.FaultKind = "runtime"     // forward raised
	FaultOutput      process.FaultKind = "output"      // forward returned something else than the task asks for
	FaultBuild       process.FaultKind = "build"       // load_inline failed, and the answer with it
	FaultUnsupported process.FaultKind = "unsupported" // only a GPU can run it: no verdict on the answer
	FaultRequest     process.FaultKind = "request"     // the judge asked for something that cannot be: no verdict either
)

// faults are all kinds: those above, of kernels on a GPU, and of emulated ones.
func faults() []process.FaultKind {
	return []process.FaultKind{
		FaultImport, FaultMissing, FaultInit, FaultRuntime, FaultOutput, FaultBuild, FaultUnsupported, FaultRequest,
		device.FaultMisaligned, device.FaultAssert, device.FaultLaunch, device.FaultDevice,
		worker.FaultOutOfBounds, worker.FaultDivergence, worker.FaultDeadlock,
	}
}
