package roofline

import (
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"example.com/hone/gpu/cuda"
)

//go:embed kernels/memory.cu
var memorySource string

//go:embed kernels/compute.cu
var computeSource string

//go:embed kernels/wgmma.cu
var wgmmaSource string

// programs are what a device of this kind runs.
func programs(f cuda.Facts) []cuda.Program {
	options := []string{"--gpu-architecture=" + f.SM(), "-std=c++17"}
	list := []cuda.Program{
		{Name: "memory.cu", Source: memorySource, Options: options, Expressions: moves()},
		{Name: "compute.cu", Source: computeSource, Options: options},
	}
	if hopper(f) {
		list = append(list, cuda.Program{Name: "wgmma.cu", Source: wgmmaSource,
			Options: []string{"--gpu-architecture=" + f.SM() + "a", "-std=c++17"}})
	}
	return list
}

// hopper reports whether matrix units are reached by wgmma.
func hopper(f cuda.Facts) bool { return f.Capability == cuda.Version{Major: 9} }

// compile compiles all programs at once. It needs no device.
func compile(nvrtc *cuda.Compiler, list []cuda.Program) ([]cuda.Object, error) {
	objects := make([]cuda.Object, len(list))
	failures := make([]error, len(list))
	var group sync.WaitGroup
	for i, p := range list {
		group.Go(func() {
			objects[i], failures[i] = nvrtc.Compile(p)
			if failures[i] == nil && objects[i].Cubin == nil {
				failures[i] = fmt.Errorf("NVRTC %s refuses %s for %s: %s", nvrtc.Version(), p.Name, p.Options[0], objects[i].Log)
			}
		})
	}
	group.Wait()
	return objects, errors.Join(failures...)
}

// kernels are loaded modules.
type kernels struct {
	modules []cuda.Module
	lowered map[string]string // by expression
}

func (b *bench) load(objects []cuda.Object) error {
	b.lowered = map[string]string{}
	for _, o := range objects {
		m, err := b.c.Load(o.Cubin)
		if err != nil {
			return err
		}
		b.later(func() error { return b.c.Unload(m) })
		b.modules = append(b.modules, m)
		for expression, name := range o.Lowered {
			b.lowered[expression] = name
		}
	}
	return nil
}

// find has a kernel by its expression, or by its name where it is extern "C".
func (b *bench) find(name string) (cuda.Function, error) {
	if lowered, ok := b.lowered[name]; ok {
		name = lowered
	}
	var missing error
	for _, m := range b.modules {
		f, err := b.c.Function(m, name)
		if err == nil {
			return f, nil
		}
		missing = err
	}
	return 0, missing
}
