package tensor

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.com/hone/gpu/cuda"
)

// options are how the kernels are compiled. Package check does not fuse products
// with sums, so the kernels must not.
func options(arch string) []string {
	return []string{"--gpu-architecture=" + arch, "-std=c++17", "--fmad=false"}
}

// cubinFor takes the kernels from the cache or compiles them.
func cubinFor(arch string, nvrtc *cuda.Compiler, cache string) ([]byte, error) {
	file := filepath.Join(cache, cubinName(arch, nvrtc.Version().String()))
	if cubin, ok := readCubin(file); ok {
		return cubin, nil
	}
	o, err := nvrtc.Compile(cuda.Program{Name: "tensor.cu", Source: source, Options: options(arch)})
	if err != nil {
		return nil, fmt.Errorf("%w (NVRTC %s at %s must know %s: install a CUDA toolkit that does)", err, nvrtc.Version(), nvrtc.Path(), arch)
	}
	if o.Cubin == nil {
		return nil, fmt.Errorf("NVRTC %s at %s does not compile them: %s", nvrtc.Version(), nvrtc.Path(), o.Log)
	}
	return o.Cubin, writeCubin(file, o.Cubin)
}

// cubinName names all that decides what the compiler makes of the kernels.
func cubinName(arch, version string) string {
	h := sha256.New()
	for _, s := range append(options(arch), version, source) {
		fmt.Fprintf(h, "%d\n%s", len(s), s)
	}
	return fmt.Sprintf("tensor-%s-%x.cubin", arch, h.Sum(nil)[:16])
}

// readCubin reads a file that writeCubin wrote whole. A damaged one is as good as
// none.
func readCubin(file string) ([]byte, bool) {
	raw, err := os.ReadFile(file)
	if err != nil || len(raw) <= sha256.Size {
		return nil, false
	}
	sum := sha256.Sum256(raw[sha256.Size:])
	return raw[sha256.Size:], bytes.Equal(sum[:], raw[:sha256.Size])
}

// writeCubin puts a checksum and the cubin in a file that appears at once.
func writeCubin(file string, cubin []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("make the folder of compiled kernels: %w", err)
	}
	pending, err := os.CreateTemp(filepath.Dir(file), "pending-*")
	if err != nil {
		return fmt.Errorf("keep the compiled kernels: %w", err)
	}
	sum := sha256.Sum256(cubin)
	_, err = pending.Write(append(sum[:], cubin...))
	if err = errors.Join(err, pending.Close()); err == nil {
		err = os.Rename(pending.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("keep the compiled kernels: %w", errors.Join(err, os.Remove(pending.Name())))
	}
	return nil
}
