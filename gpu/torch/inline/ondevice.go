package inline

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"example.com/hone/gpu"
	"example.com/hone/gpu/compile"
)

// buildForGPU builds in two parts where that can be, and leaves the rest to torch.
func (b *Builder) buildForGPU(ctx context.Context, r Request, limit time.Duration) (Built, error) {
	if b.config.GPU.NVRTC == nil {
		return b.byTorch(ctx, r, "there is no NVRTC", limit)
	}
	original := r
	names, rest, complete := r.names()
	r.CPP = rest
	w := r.whole()
	e := export(r, w, names)
	switch {
	case !complete:
		return b.byTorch(ctx, original, "its PYBIND11_MODULE does more than bind functions by name", limit)
	case len(e.problems) > 0:
		return Built{Kind: KindHone, How: "load_inline's own rules", Diagnostics: w.locate(e.problems)}, nil
	case e.foreign != "":
		return b.byTorch(ctx, original, e.foreign+", which the binder does not pass", limit)
	}
	a, binder, err := b.inTwoParts(ctx, r, w, e, limit)
	switch {
	case err != nil:
		return Built{}, err
	case a.Needs != nil:
		return b.byTorch(ctx, original, "it needs nvcc for "+a.Needs.Construct, limit)
	case a.Doubtful():
		return b.byTorch(ctx, original, "it names what only the full headers may have", limit)
	}
	built := Built{
		Kind: KindHone, How: "NVRTC and g++", Binder: binder, Functions: e.functions,
		Resources: a.Kernels, Kernels: a.File.Kernels, Diagnostics: w.locate(a.Diagnostics),
		Log: append(a.Device.Log, a.Host.Log...), Cached: a.Host.Cached && a.Device.Cached,
	}
	if a.Host.Cached && !a.Device.Cached {
		built.How += ", host part cached"
	}
	if a.OK() {
		built.Module, err = b.place(a)
	}
	return built, err
}

func (b *Builder) inTwoParts(ctx context.Context, r Request, w wholeText, e exports, limit time.Duration) (
	a compile.DeviceArtifact, binder string, err error) {
	target := b.config.GPU.Target
	target.Options = append(append([]string(nil), target.Options...), deviceFlags(r)...)
	binder, err = b.withTorch(ctx, r, w, e, limit, func(m compile.Module) ([]gpu.Diagnostic, error) {
		var err error
		a, err = b.config.Compiler.BuildDeviceModule(ctx, m, target, b.config.GPU.NVRTC)
		if a.Needs != nil {
			return nil, err
		}
		return a.Diagnostics, err
	})
	return a, binder, err
}

// deviceFlags are the flags of an answer that NVRTC has too.
func deviceFlags(r Request) []string {
	var kept []string
	for _, flag := range r.CUDAFlags {
		name, value, given := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		switch name {
		case "use_fast_math":
			kept = append(kept, "--use_fast_math")
		case "maxrregcount":
			if n, err := strconv.Atoi(value); err == nil && given && n > 0 {
				kept = append(kept, "--maxrregcount="+value)
			}
		case "fmad", "ftz", "prec-div", "prec-sqrt":
			if value == "true" || value == "false" {
				kept = append(kept, "--"+name+"="+value)
			}
		}
	}
	return kept
}

// placedMagic ends a module for a GPU, before the sizes of what it carries.
const placedMagic = "HONEMOD1"

// longestList is what the library of package device takes.
const longestList = 64 << 10

// place makes one file of both parts: behind the object, where a loader does not
// look, stand the list of its kernels, the cubin and their sizes. Package device's
// library reads them.
func (b *Builder) place(a compile.DeviceArtifact) (string, error) {
	list := strings.Join(moduleList(a), "\n") + "\n"
	if len(list) > longestList {
		return "", fmt.Errorf("keep the module: the list of its %d kernels is too long", len(a.Kernels))
	}
	sum := sha256.Sum256([]byte(a.Host.Key + a.Device.Key + list))
	path := filepath.Join(b.config.Cache, "modules", hex.EncodeToString(sum[:])+".so")
	if exists(path) {
		touch(path)
		return path, nil
	}
	object, err := os.ReadFile(a.Host.Path)
	if err != nil {
		return "", fmt.Errorf("keep the module: %w", err)
	}
	cubin, err := os.ReadFile(a.Device.Path)
	if err != nil {
		return "", fmt.Errorf("keep the module: %w", err)
	}
	raw := append(append(append(object, list...), cubin...), placedMagic...)
	raw = binary.LittleEndian.AppendUint64(raw, uint64(len(list)))
	raw = binary.LittleEndian.AppendUint64(raw, uint64(len(cubin)))
	if err := writeWhole(path, raw); err != nil {
		return "", fmt.Errorf("keep the module: %w", err)
	}
	trim(filepath.Dir(path), mostKept)
	return path, nil
}

// writeWhole writes a file that appears at once.
func writeWhole(path string, raw []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".module-*")
	if err != nil {
		return err
	}
	_, err = file.Write(raw)
	if err = errors.Join(err, file.Chmod(0o644), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

func moduleList(a compile.DeviceArtifact) []string {
	var list []string
	for _, k := range a.Kernels {
		fields := []string{"kernel", k.Variable, k.Function, k.Lowered, k.Name}
		for _, size := range k.Parameters {
			fields = append(fields, strconv.Itoa(size))
		}
		list = append(list, strings.Join(fields, "\t"))
	}
	for _, name := range a.Variables {
		list = append(list, "variable\t"+name)
	}
	return list
}
