package compile

import (
	"context"
	"time"
)

// BuildDeviceModule is [Compiler.BuildDevice] for a module: its host part is compiled
// as the module says, and may use torch, whose headers the device part never sees.
func (c *Compiler) BuildDeviceModule(ctx context.Context, m Module, target DeviceTarget, nvrtc DeviceCompiler) (
	DeviceArtifact, error) {
	start := time.Now()
	file := Parse(m.Name, m.Text)
	if bad := foreignIncludes(file); len(bad) > 0 {
		return DeviceArtifact{File: file, Diagnostics: bad, Elapsed: time.Since(start)}, nil
	}
	src := Source{Name: m.Name, Text: m.Text, Limit: m.Limit, Defines: m.Defines}
	b := deviceBuild{c, src, target, nvrtc, file, splitFor(file, moduleRules()), nil}
	if b.parts.needs != nil {
		return DeviceArtifact{File: file, Needs: b.parts.needs, Elapsed: time.Since(start)}, nil
	}
	host := c.moduleHostJob(m, src, file, b.parts.host)
	b.host = &host
	a, err := b.run(ctx)
	a.File, a.Elapsed = file, time.Since(start)
	return a, err
}

// moduleRules are the rules of what needs nvcc, but for torch's own headers.
func moduleRules() []rule {
	var rules []rule
	for _, r := range unsplittableRules() {
		if r.construct != "PyTorch headers" {
			rules = append(rules, r)
		}
	}
	return rules
}

// moduleHostJob is the build of the host part. Where its lines stand reaches nobody:
// torch's own messages name them in backtraces alone, which are cut off.
func (c *Compiler) moduleHostJob(m Module, src Source, file File, host rewritten) partJob {
	j := job{source: src, file: file, code: host}
	j.unit = unitWith(m.Head, Unit{Entry: m.Tail}, host.text)
	args := c.gxx.moduleArguments(m, hostFile)
	return partJob{
		name: m.Name, product: hostFile, unit: j.unit,
		inputs: append(append([]string{"device module", c.gxx.path, c.gxx.version}, args...), m.Inputs...),
		build: func(ctx context.Context, folder string) (partResult, error) {
			return c.runGXX(ctx, j, folder, args)
		},
	}
}

// HostHeaders are the headers that the host part of a device build needs, by name.
// hone_launch.h is the one to include.
func HostHeaders() map[string]string {
	all := map[string]string{}
	for _, name := range headerNames() {
		if name != preludeHeader {
			all[name] = headerText(name)
		}
	}
	return all
}
