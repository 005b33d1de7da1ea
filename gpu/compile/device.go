package compile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/hone/gpu"
)

// DeviceArtifact is the result of a build for a GPU.
//
// A process that loads it hands the object Host.Path a table (hone_bind, see
// device/hone_api.h), loads the cubin, stores the function of each kernel in the
// kernel's variable, and calls hone_entry.
type DeviceArtifact struct {
	Device      Part // the cubin; unset when nvcc built everything
	Host        Part // the shared object
	NVCC        bool // built by nvcc: Host holds the kernels too, and needs no table
	Needs       *NeedsNVCC
	Kernels     []DeviceKernel
	Variables   []string // symbols of device variables, the same in both objects
	File        File     // the number of a launch is its index in File.Launches
	Diagnostics []gpu.Diagnostic
	Elapsed     time.Duration
}

// OK reports whether the text compiled.
func (a DeviceArtifact) OK() bool {
	return a.Needs == nil && a.Host.Path != "" && (a.NVCC || a.Device.Path != "")
}

// Doubtful reports whether the text failed for a name that it does not declare:
// one that the headers of the two parts may lack, and nvcc's have.
func (a DeviceArtifact) Doubtful() bool {
	if a.OK() || a.NVCC {
		return false
	}
	for _, d := range a.Diagnostics {
		for _, phrase := range []string{
			"is undefined", "has no member", "not declared", "not been declared", "is not a member of",
			"does not name a", "no member named", "could not open source file", "No such file",
		} {
			if d.Severity == "error" && strings.Contains(d.Message, phrase) {
				return true
			}
		}
	}
	return false
}

// DeviceKernel is a kernel, or one instance of a template, that the host part may
// launch. Figures are nil where the compiler did not tell them.
type DeviceKernel struct {
	Name        string // as C++ spells it: "softmax<float, 4>"
	Lowered     string // symbol in the cubin
	Variable    string // symbol of its hone_kernel in the host object
	Function    string // symbol of what stands for it there, whose address API calls get
	Parameters  []int  // bytes of each
	Registers   *int
	SpillStores *int // bytes
	SpillLoads  *int
	SharedBytes *int // static
}

// Spills are the bytes that a kernel stores to and loads from local memory for want
// of registers; nil where the compiler did not tell.
func (k DeviceKernel) Spills() *int {
	if k.SpillStores == nil || k.SpillLoads == nil {
		return nil
	}
	bytes := *k.SpillStores + *k.SpillLoads
	return &bytes
}

// AddSpills completes what launches told of kernels with what the compiler knows of them.
func AddSpills(launched []gpu.Resources, known []DeviceKernel) {
	for i := range launched {
		for _, k := range known {
			if k.Name == launched[i].Kernel {
				launched[i].SpillBytes = k.Spills()
			}
		}
	}
}

// deviceBuild is one build for a GPU.
type deviceBuild struct {
	compiler *Compiler
	source   Source
	target   DeviceTarget
	nvrtc    DeviceCompiler
	file     File
	parts    parts
	host     *partJob // in place of the usual one
}

// BuildDevice compiles a source in two parts: the device's by NVRTC, the host's by
// g++, each taken from the cache when nothing in it has changed. A text that
// does not compile is an artefact that is not OK, one that only nvcc can build
// has Needs; an error means that a compiler could not be asked.
//
// NVRTC must be told which instances of templates to compile. Where the text
// does not spell them out, the host part is built first: its symbols tell.
func (c *Compiler) BuildDevice(ctx context.Context, src Source, target DeviceTarget, nvrtc DeviceCompiler) (
	DeviceArtifact, error) {
	start := time.Now()
	file := Parse(src.Name, src.Text)
	if bad := foreignIncludes(file); len(bad) > 0 {
		return DeviceArtifact{File: file, Diagnostics: bad, Elapsed: time.Since(start)}, nil
	}
	b := deviceBuild{c, src, target, nvrtc, file, splitFile(file), nil}
	if b.parts.needs != nil {
		return DeviceArtifact{File: file, Needs: b.parts.needs, Elapsed: time.Since(start)}, nil
	}
	a, err := b.run(ctx)
	a.File, a.Elapsed = file, time.Since(start)
	return a, err
}

// run builds both parts, at once where the instances are known beforehand.
func (b deviceBuild) run(ctx context.Context) (DeviceArtifact, error) {
	hostJob := b.hostJob()
	expressions, sure := guessExpressions(b.file, b.parts.items)
	if !sure {
		host, err := b.compiler.part(ctx, hostJob)
		if err != nil {
			return DeviceArtifact{}, err
		}
		return b.follow(ctx, host, expressions)
	}
	var device built
	done := make(chan error, 1)
	go func() {
		var err error
		device, err = b.compiler.part(ctx, b.compiler.deviceJob(b, expressions))
		done <- err
	}()
	host, err := b.compiler.part(ctx, hostJob)
	if err := errors.Join(<-done, err); err != nil {
		return DeviceArtifact{}, err
	}
	return b.join(ctx, host, device)
}

func (b deviceBuild) hostJob() partJob {
	if b.host != nil {
		return *b.host
	}
	return b.compiler.hostJob(b.source, b.file, b.parts.host)
}

// follow builds the device part once the host part is known.
func (b deviceBuild) follow(ctx context.Context, host built, guess []string) (DeviceArtifact, error) {
	expressions := guess
	if host.part.Path != "" {
		t, err := b.kernelTable(ctx, host.part.Path)
		if err != nil {
			return DeviceArtifact{}, err
		}
		expressions = t.expressions(b.file)
	}
	device, err := b.compiler.part(ctx, b.compiler.deviceJob(b, expressions))
	if err != nil {
		return DeviceArtifact{}, err
	}
	return b.join(ctx, host, device)
}

// join matches the kernels of both parts. Instances that the device part lacks
// are asked for once.
func (b deviceBuild) join(ctx context.Context, host, device built) (DeviceArtifact, error) {
	a := DeviceArtifact{Host: host.part, Device: device.part}
	a.Diagnostics = append(slices.Clone(device.entry.Diagnostics), host.entry.Diagnostics...)
	if host.part.Path == "" || device.part.Path == "" && !device.unnamed() {
		return a, nil
	}
	table, err := b.kernelTable(ctx, host.part.Path)
	if err != nil {
		return a, err
	}
	missing := table.match(&a, device)
	if len(missing) > 0 {
		again, err := b.compiler.part(ctx, b.compiler.deviceJob(b, table.expressions(b.file)))
		if err != nil {
			return a, err
		}
		again.part.Elapsed += device.part.Elapsed
		a.Device, device = again.part, again
		a.Diagnostics = append(slices.Clone(device.entry.Diagnostics), host.entry.Diagnostics...)
		missing = table.match(&a, device)
	}
	switch {
	case table.local != "":
		a.Needs = b.need("the kernel %s, which only its own file can name", table.local)
	case len(missing) > 0 && (device.part.Path != "" || device.unnamed()):
		a.Needs = b.need("the kernel %s, which NVRTC cannot be asked for", missing[0])
	}
	return a, nil
}

// need says that a kernel, by its name in C++, needs nvcc.
func (b deviceBuild) need(format, name string) *NeedsNVCC {
	plain, _, _ := strings.Cut(name, "<")
	return &NeedsNVCC{fmt.Sprintf(format, name), cudaExplainer{file: b.file}.lineOf(plain)}
}
