package platform

import (
	"context"
	"errors"
	"fmt"

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/device"
	"example.com/hone/gpu/judge/report"
)

// Built is an answer's artefact and how it came to be.
type Built struct {
	compile.DeviceArtifact
	How string // "NVRTC and g++", "nvcc, for CUB at line 3"
}

// Trouble says why there is nothing to run, "" where there is.
func (b Built) Trouble() string {
	switch {
	case b.OK():
		return ""
	case b.Needs != nil:
		return fmt.Sprintf("it needs nvcc for %s at line %d", b.Needs.Construct, b.Needs.Line)
	}
	return "it does not compile: " + report.FirstError(b.Diagnostics)
}

// Build compiles an answer for the device: in two parts, and with nvcc what cannot be
// split or may fail only for a name that nvcc's headers have, or, when nvcc is asked
// for, with that alone. It says at each step what it uses.
func (p *Platform) Build(ctx context.Context, with *compile.Compiler, source compile.Source, nvcc bool, step func(string)) (Built, error) {
	if nvcc {
		return p.whole(ctx, with, source, "nvcc, as asked for", step)
	}
	step("NVRTC and g++")
	a, err := with.BuildDevice(ctx, source, p.Target, p.Compiler())
	b := Built{a, "NVRTC and g++"}
	switch {
	case err != nil:
		return b, err
	case a.Needs != nil && p.NVCC != "":
		return p.whole(ctx, with, source, fmt.Sprintf("nvcc, for %s at line %d", a.Needs.Construct, a.Needs.Line), step)
	case a.Doubtful() && p.NVCC != "":
		whole, err := p.whole(ctx, with, source, "nvcc, whose headers declare more", step)
		if err == nil && !whole.OK() {
			return b, nil // NVRTC's and g++'s messages are the better ones
		}
		return whole, err
	}
	if a.Device.Cached && a.Host.Cached {
		b.How += ", cached"
	}
	return b, nil
}

// whole compiles with nvcc alone.
func (p *Platform) whole(ctx context.Context, with *compile.Compiler, source compile.Source, how string, step func(string)) (Built, error) {
	if p.NVCC == "" {
		return Built{}, errors.New("nvcc was asked for and is not installed: install the CUDA toolkit, or leave the compiler to hone")
	}
	step(how)
	source.Entry += device.LastErrorEntry
	a, err := with.BuildNVCC(ctx, source, compile.NVCC{Path: p.NVCC, Arch: p.Target.Arch})
	return Built{a, how}, err
}
