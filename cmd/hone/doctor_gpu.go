package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/hone/gpu/cuda"
)

// probeLimit is how long the NVIDIA driver may take to answer.
const probeLimit = 2 * time.Second

// examineGPU asks a short-lived process about the GPU: a broken driver can hang
// or end whoever asks it.
func examineGPU(ctx context.Context) []finding {
	self, err := os.Executable()
	if err != nil {
		return []finding{gpuOff("GPU", fmt.Sprintf("find own executable: %v", err), "")}
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	return runProbe(ctx, exec.CommandContext(ctx, self, "probe"))
}

// runProbe does not wait for a process that is stuck inside the driver: such a
// one may not end even when killed.
func runProbe(ctx context.Context, cmd *exec.Cmd) []finding {
	answer := make(chan []finding, 1)
	go func() {
		out, err := cmd.Output()
		answer <- readProbe(out, err)
	}()
	select {
	case findings := <-answer:
		if ctx.Err() == nil {
			return findings
		}
	case <-ctx.Done():
	}
	return []finding{gpuOff("GPU", fmt.Sprintf("the NVIDIA driver did not answer within %s", probeLimit),
		"see whether nvidia-smi answers, and restart the machine where it does not")}
}

// readProbe is what the process said, or how it ended.
func readProbe(out []byte, err error) []finding {
	var findings []finding
	if err == nil {
		err = json.Unmarshal(out, &findings)
	}
	if err != nil {
		return []finding{gpuOff("GPU", fmt.Sprintf("the process that asked the NVIDIA driver failed: %v", err),
			"see whether nvidia-smi works, and install the driver again where it does not")}
	}
	return findings
}

// probeCommand is the process that examineGPU starts.
func (a *app) probeCommand() *cobra.Command {
	return hidden("probe", "Ask the NVIDIA driver, for the hone that started this process", func(context.Context) error {
		return json.NewEncoder(a.out).Encode(probeGPU(a.libraries()))
	})
}

// libraries says where the environment wants the NVIDIA libraries looked for.
func (a *app) libraries() cuda.Options {
	var o cuda.Options
	for _, name := range []string{"CUDA_PATH", "CUDA_HOME"} {
		if root := a.environment(name); root != "" {
			o.Toolkit = root
		}
	}
	if python, err := exec.LookPath("python3"); err == nil {
		o.Packages = cuda.PackagesOf(python)
	}
	return o
}

// probeGPU looks at every device, and at the compiler where there is a device.
func probeGPU(o cuda.Options) []finding {
	driver, err := cuda.Open(o)
	if err != nil {
		return []finding{unavailable("GPU", err)}
	}
	n, err := driver.Devices()
	if err != nil {
		return []finding{unavailable("GPU", err)}
	}
	var findings []finding
	for i := range max(1, n) { // asking for the first of none says why there is none
		findings = append(findings, probeDevice(driver, i, o))
	}
	o.Major = driver.Version().Major
	return append(findings, probeCompiler(o))
}

func probeDevice(driver *cuda.Driver, index int, o cuda.Options) finding {
	name := fmt.Sprintf("GPU %d", index)
	facts, err := driver.Facts(index)
	if err != nil {
		return unavailable(name, err)
	}
	detail := []string{facts.Name, "compute capability " + facts.Capability.String(),
		fmt.Sprintf("%.0f GiB", float64(facts.Memory)/(1<<30)), "CUDA " + facts.CUDA.String()}
	monitor, err := cuda.OpenMonitor(o, facts.BusID)
	if err != nil {
		return finding{Name: name, Status: "ok", Detail: strings.Join(append(detail, "no state: "+err.Error()), ", ")}
	}
	detail = append(detail, "driver "+monitor.DriverVersion())
	detail = append(detail, stateOf(monitor.Read(), facts.Clock)...)
	return finding{Name: name, Status: "ok", Detail: strings.Join(detail, ", ")}
}

// stateOf is a device's state in words, as far as it is told. Low clocks of a
// device that has nothing to do are not worth a word.
func stateOf(now cuda.Reading, clock int) []string {
	var words []string
	if now.Clock != nil {
		words = append(words, fmt.Sprintf("clock %d of %d MHz", *now.Clock, clock))
	}
	if now.Temperature != nil {
		words = append(words, fmt.Sprintf("%d °C", *now.Temperature))
	}
	held := slices.DeleteFunc(slices.Clone(now.Throttle), func(why string) bool { return why == "idle" })
	if len(held) > 0 {
		words = append(words, "clocks held down: "+strings.Join(held, ", "))
	}
	if len(now.Others) > 0 {
		words = append(words, fmt.Sprintf("used by other processes: %d", len(now.Others)))
	}
	return words
}

func probeCompiler(o cuda.Options) finding {
	compiler, err := cuda.OpenCompiler(o)
	if err != nil {
		return unavailable("NVRTC", err)
	}
	return finding{Name: "NVRTC", Status: "ok", Detail: fmt.Sprintf("%s at %s", compiler.Version(), compiler.Path())}
}

// unavailable is why something of the GPU cannot be used, and what to do.
func unavailable(name string, err error) finding {
	if u, ok := errors.AsType[*cuda.Unavailable](err); ok {
		return gpuOff(name, u.Reason, u.Remedy)
	}
	return gpuOff(name, err.Error(), "")
}

// gpuOff is about a part of the GPU that cannot be used. Kernels are then judged
// by emulation.
func gpuOff(name, detail, remedy string) finding {
	return finding{Name: name, Status: "off", Detail: detail, Remedy: remedy}
}
